import { command } from "../command.ts";
import { recurringKey } from "../keys.ts";
import { noSuchRecurring, planNext, plannedNext, readRecurring } from "../recurring.ts";
import { refuse } from "../refuse.ts";

/** Stops the children of a recurring job. Those that are there stay. */
export const recurPause = command({
  says: "Recur",
  takes: [["jid", "jid"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [jid]) {
    const fields = readRecurring(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_RECURRING", noSuchRecurring(jid));
    if (fields.paused !== undefined) return 0;
    const next = plannedNext(store, now, jid, fields);
    store.set(recurringKey(jid), ["paused", store.text.integer(now)]);
    // The queue may still be looked at when the child would have come, and not again.
    planNext(store, { jid, queue: fields.queue!, isPaused: true }, next);
    return 1;
  },
});
