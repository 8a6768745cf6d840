import { type Answers, eachOnce, inOrder } from "../batch.ts";
import { command } from "../command.ts";
import { changePriority } from "../prioritizing.ts";

/** Changes the priority of up to 1,000 jobs, each judged on its own. */
export const priorityMany = command({
  says: "Priority",
  takes: [
    ["priority", "priority"],
    ["jids", "names"],
  ],
  options: [],
  gives: "answers",
  writes: true,
  frees: false,
  run(store, _now, [wanted, jids]) {
    const answers: Answers = {};
    const told = store.text.decimal(wanted);
    for (const jid of eachOnce(jids)) {
      answers[" " + jid] = changePriority(store, jid, wanted) ?? told;
    }
    return inOrder(jids, answers);
  },
});
