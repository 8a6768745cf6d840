import { finishClosing, newClosing } from "../closing.ts";
import { command } from "../command.ts";
import { completeJob, judgeCompletion } from "../completing.ts";
import { NOTHING_PLANNED, newSearch } from "../dependencies.ts";
import { judgeClaim, judgeQueueOf } from "../locks.ts";
import { refuseIf, refuseWith } from "../refuse.ts";

/** Ends a run well: the job is complete, or goes on to the next queue. Tells its new state. */
export const complete = command({
  says: "Complete",
  takes: [
    ["jid", "jid"],
    ["worker", "name"],
    ["queue", "name"],
    ["data", "json"],
  ],
  options: [
    ["next", "name"],
    ["delay", "seconds"],
    ["depends", "list"],
    ["lease", "lease"],
  ],
  gives: "text",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [jid, worker, queue, data], options) {
    const { next, delay, depends, lease } = options;
    refuseIf(judgeNext(next, delay, depends));
    const held = judgeClaim(store, jid, worker, lease);
    if (typeof held === "string") return refuseWith(held);
    refuseIf(judgeQueueOf(held, queue));
    if (depends !== undefined)
      refuseIf(judgeCompletion(store, jid, depends, NOTHING_PLANNED, newSearch()));
    const closing = newClosing(store, now, worker);
    const state = completeJob(store, closing, held, data, options);
    finishClosing(store, closing);
    return state;
  },
});

/** The refusal when a delay or dependencies are given for a job that goes nowhere. */
export function judgeNext(
  next: string | undefined,
  delay: number | undefined,
  depends: readonly string[] | undefined,
): string | undefined {
  if (next !== undefined) return undefined;
  if (delay !== undefined) return 'BAD_ARGUMENT "delay" cannot be used without a "next".';
  if (depends !== undefined) return 'BAD_ARGUMENT "depends" cannot be used without a "next".';
  return undefined;
}
