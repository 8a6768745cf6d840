import { command } from "../command.ts";
import { comeAt } from "../idling.ts";
import type { Fields } from "../job.ts";
import { recurringKey } from "../keys.ts";
import { noSuchRecurring, planNext, plannedNext, readRecurring } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";

/** Lets a recurring job go on in its rhythm. The children of the time of its pause are not put. */
export const recurUnpause = command({
  says: "Recur",
  takes: [["jid", "jid"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [jid]) {
    const fields = readRecurring(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_RECURRING", noSuchRecurring(jid));
    if (fields.paused === undefined) return 0;
    const next = nextFrom(store, now, jid, fields);
    store.unset(recurringKey(jid), ["paused", "resume"]);
    planNext(store, { jid, queue: fields.queue!, isPaused: false }, next);
    comeAt(store, now, fields.queue!, next);
    return 1;
  },
});

/** The first time in its rhythm that has not passed. */
function nextFrom(store: Store, now: number, jid: string, fields: Fields): number {
  const planned = plannedNext(store, now, jid, fields);
  const interval = store.text.value(fields.interval!);
  return planned > now ? planned : planned + Math.ceil((now - planned) / interval) * interval;
}
