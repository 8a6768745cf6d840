import { command } from "../command.ts";
import { comeAt } from "../idling.ts";
import { queueKey, recurKey, recurringKey } from "../keys.ts";
import { add } from "../pairs.ts";
import { makeKnown } from "../queue.ts";
import { noSuchRecurring, planNext, plannedNext, readRecurring } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import type { Pairs } from "../store.ts";

/** Changes a recurring job. A new interval moves the next child by the difference. */
export const recurUpdate = command({
  says: "Recur",
  takes: [["jid", "jid"]],
  options: [
    ["priority", "priority"],
    ["interval", "seconds"],
    ["retries", "whole"],
    ["backlog", "whole"],
    ["data", "json"],
    ["klass", "name"],
    ["queue", "name"],
  ],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [jid], { priority, interval, retries, backlog, data, klass, queue }) {
    const fields = readRecurring(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_RECURRING", noSuchRecurring(jid));
    if (interval !== undefined && interval <= 0) {
      refuse("BAD_ARGUMENT", 'Arg "interval" must be greater than 0');
    }
    const old = fields.queue!;
    const moved =
      (interval ?? store.text.value(fields.interval!)) - store.text.value(fields.interval!);
    const next = Math.max(plannedNext(store, now, jid, fields) + moved, 0);
    const pairs: Pairs = ["queue", queue ?? old];
    if (priority !== undefined) add(pairs, "priority", store.text.decimal(priority));
    if (interval !== undefined) add(pairs, "interval", interval);
    if (retries !== undefined) add(pairs, "retries", retries);
    if (backlog !== undefined) add(pairs, "backlog", backlog);
    if (data !== undefined) add(pairs, "data", data);
    if (klass !== undefined) add(pairs, "klass", klass);
    store.set(recurringKey(jid), pairs);
    const into = queue ?? old;
    if (into !== old) store.unrank(recurKey(old), [jid]);
    const isPaused = fields.paused !== undefined;
    planNext(store, { jid, queue: into, isPaused }, next);
    makeKnown(store, now, into, store.field(queueKey(into), "known"));
    if (!isPaused) comeAt(store, now, into, next);
    return 1;
  },
});
