import { command } from "../command.ts";
import { recurringKey } from "../keys.ts";
import { noSuchRecurring, readRecurring } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import { tagsJson, tagsOf, without } from "../tags.ts";

/** Removes tags that future children of a recurring job would have. */
export const recurUntag = command({
  says: "Untag",
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
    const json = tagsJson(store, without(tagsOf(store, fields.tags), tags ?? []));
    store.set(recurringKey(jid), ["tags", json]);
    return json;
  },
});
