import { command } from "../command.ts";
import { recurringKey } from "../keys.ts";
import { noSuchRecurring, readRecurring } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import { tagsJson, tagsOf, unique } from "../tags.ts";

/** Adds tags that future children of a recurring job will have. */
export const recurTag = command({
  says: "Tag",
  takes: [
    ["jid", "jid"],
    ["tags", "names", "?"],
  ],
  options: [],
  gives: "json",
  writes: true,
  frees: false,
  run(store, _now, [jid, tags]) {
    const fields = readRecurring(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_RECURRING", noSuchRecurring(jid));
    const all = tagsOf(store, fields.tags);
    for (const tag of tags ?? []) all.push(tag);
    const json = tagsJson(store, unique(all));
    store.set(recurringKey(jid), ["tags", json]);
    return json;
  },
});
