import { type Answers, eachOnce, inOrder } from "../batch.ts";
import { command } from "../command.ts";
import { MAX_TAGGINGS } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { changeTags } from "../tagging.ts";
import { tagsJson, unique } from "../tags.ts";

/** Adds tags to up to 1,000 jobs or removes them, each judged on its own. */
export const tagMany = command({
  says: "Tag",
  takes: [
    ["command", "text"],
    ["tags", "list"],
    ["jids", "names"],
  ],
  options: [],
  gives: "answers",
  writes: true,
  frees: false,
  run(store, now, [what, list, jids]) {
    if (what !== "add" && what !== "remove") {
      refuse("BAD_ARGUMENT", 'First argument must be "add" or "remove"');
    }
    const tags = unique(list);
    const once = eachOnce(jids);
    if (once.length * tags.length > MAX_TAGGINGS) {
      const limit = `${MAX_TAGGINGS} tags of jobs`;
      refuse("BAD_ARGUMENT", `More than ${limit} in one call: name fewer tags, or fewer jobs`);
    }
    const answers: Answers = {};
    for (const jid of once) {
      const left = changeTags(store, now, { jid, adds: what === "add", tags });
      answers[" " + jid] = typeof left === "string" ? left : tagsJson(store, left);
    }
    return inOrder(jids, answers);
  },
});
