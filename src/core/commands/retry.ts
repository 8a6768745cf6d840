import { judgeBackoff } from "../backoff.ts";
import { finishClosing, newClosing } from "../closing.ts";
import { command } from "../command.ts";
import { judgeClaim, judgeQueueOf } from "../locks.ts";
import { refuseIf, refuseWith } from "../refuse.ts";
import { retryHeld } from "../retrying.ts";

/**
 * Ends a run to try the job again. Tells how many retries are left, -1 when it failed for want of
 * one.
 */
export const retry = command({
  says: "Retry",
  takes: [
    ["jid", "jid"],
    ["queue", "name"],
    ["worker", "name"],
    ["delay", "seconds", "?"],
    ["group", "name", "?"],
    ["message", "text", "?"],
  ],
  options: [
    ["lease", "lease"],
    ["lot", "fraction"],
    ["spend", "flag"],
    ["backoff", "text"],
  ],
  gives: "integer",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [jid, queue, worker, delay, group, message], options) {
    const { lease, lot, spend, backoff } = options;
    judgeBackoff(store, backoff);
    const held = judgeClaim(store, jid, worker, lease);
    if (typeof held === "string") return refuseWith(held);
    refuseIf(judgeQueueOf(held, queue));
    const closing = newClosing(store, now, worker);
    const left = retryHeld(store, closing, held, { delay, group, message, lot, spend, backoff });
    finishClosing(store, closing);
    return left;
  },
});
