import { command } from "../command.ts";
import { historyLimit } from "../config.ts";
import { announceLockLost, announceTracked } from "../events.ts";
import { nextEntry, stamped, TIMED_OUT_ENTRY, trimHistory } from "../history.ts";
import { stall } from "../housekeeping.ts";
import { wakeIfIdle } from "../idling.ts";
import { type Fields, isTracked, noSuchJob, readJob, stateOf } from "../job.ts";
import { jobKey } from "../keys.ts";
import { unrankLock } from "../locks.ts";
import { refuse } from "../refuse.ts";
import { countOfDay } from "../statistics.ts";
import type { Store } from "../store.ts";
import { unique } from "../tags.ts";

/**
 * Takes running jobs from their workers at once. Each is next in its queue, at no cost of a retry.
 */
export const timeout = command({
  says: "Timeout",
  takes: [["jids", "names", "?"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [jids]) {
    const jobs: Fields[] = [];
    const once = unique(jids ?? []);
    for (const jid of once) {
      const fields = readJob(store, jid);
      if (fields === undefined) return refuse("NO_SUCH_JOB", noSuchJob(jid));
      if (stateOf(fields) !== "running") {
        refuse("NOT_RUNNING", `Job ${jid} is not currently running: ${stateOf(fields)}`);
      }
      jobs.push(fields);
    }
    const limit = historyLimit(store);
    for (let i = 0; i < once.length; i++) timeOut(store, now, once[i]!, jobs[i]!, limit);
    return false;
  },
});

function timeOut(store: Store, now: number, jid: string, fields: Fields, limit: number): void {
  const queue = fields.queue!;
  const worker = fields.worker!;
  const number = nextEntry(store, fields.last);
  const last = store.text.integer(number);
  if (isTracked(fields)) announceTracked(store, "stalled", jid);
  store.set(jobKey(jid), [last, stamped(store, now, TIMED_OUT_ENTRY)]);
  trimHistory(store, jobKey(jid), number, limit);
  unrankLock(store, jid, queue, worker);
  stall(store, { jid, queue, atMs: now, last, time: fields.time ?? "" });
  countOfDay(store, now, queue, "retries");
  announceLockLost(store, jid, worker, undefined);
  wakeIfIdle(store, now, queue, 1);
}
