import { command } from "../command.ts";
import { recurKey, recurringKey } from "../keys.ts";

/** Ends a recurring job. Its children stay. */
export const unrecur = command({
  says: "Unrecur",
  takes: [["jid", "jid"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: true,
  run(store, _now, [jid]) {
    const queue = store.field(recurringKey(jid), "queue");
    if (queue !== false) store.unrank(recurKey(queue), [jid]);
    store.remove([recurringKey(jid)]);
    return 1;
  },
});
