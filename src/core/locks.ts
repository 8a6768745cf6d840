import { noSuchJob } from "./job.ts";
import { jobKey, locksKey, workerJobsKey, workersKey } from "./keys.ts";
import type { Absent, Store } from "./store.ts";

/** Whose job it is claimed to be. Legacy callers know no lease and send none. */
export interface Claim {
  jid: string;
  worker: string;
  lease: number | undefined;
  queue: string | undefined;
}

/** A running job as its holder's commands need it. */
export interface Held {
  jid: string;
  worker: string;
  queue: string;
  time: string | Absent;
  last: string | Absent;
  /** Fields that few jobs have, in the order of `HELD_MORE`. */
  more: (string | Absent)[];
}

const HELD = ["state", "worker", "lease", "queue", "time", "last", "more"];

const HELD_MORE = [
  "remaining",
  "tracked",
  "group",
  "awaited",
  "scheduled",
  "priority",
  "retries",
  "cutoff",
  "grace",
  "backoff",
];
/** What nearly all jobs have of these. */
const NO_MORE: (string | Absent)[] = [
  false,
  false,
  false,
  false,
  false,
  false,
  false,
  false,
  false,
  false,
];

// Where those fields are: naming them by position spares every call a table.
export const REMAINING = 0;
export const TRACKED = 1;
export const GROUP = 2;
export const AWAITED = 3;
export const SCHEDULED = 4;
export const PRIORITY = 5;
export const RETRIES = 6;
export const CUTOFF = 7;
export const GRACE = 8;
export const BACKOFF = 9;

/** The job if the claim is right; else the refusal, as text. */
export function judgeClaim(store: Store, claim: Claim): Held | string {
  const { jid, worker, lease, queue } = claim;
  const fields = store.fields(jobKey(jid), HELD);
  if (fields[0] !== "running") return notRunning(store, jid, fields[0]!);
  const owner = fields[1] as string;
  if (owner !== worker) {
    return `LOCK_LOST Job ${jid} has been handed out to another worker: ` + owner;
  }
  if (lease !== undefined && fields[2] !== store.text.integer(lease)) {
    return `LOCK_LOST Job ${jid} has been handed out again, under lease ` + fields[2];
  }
  const held = fields[3] as string;
  if (queue !== undefined && queue !== held) {
    return `WRONG_QUEUE Job ${jid} running in another queue: ` + held;
  }
  const more = fields[6] === false ? NO_MORE : store.fields(jobKey(jid), HELD_MORE);
  return { jid, worker, queue: held, time: fields[4]!, last: fields[5]!, more };
}

function notRunning(store: Store, jid: string, state: string | Absent): string {
  if (store.field(jobKey(jid), "klass") === false) return "NO_SUCH_JOB " + noSuchJob(jid);
  return (
    `NOT_RUNNING Job ${jid} is not currently running: ` + (state === false ? "waiting" : state)
  );
}

/** Notes until when a worker holds a job. */
export function rankLock(
  store: Store,
  { jid, queue, worker, expires }: { jid: string; queue: string; worker: string; expires: number },
): void {
  const until = store.text.integer(expires);
  store.rank(locksKey(queue), [until, jid]);
  store.rank(workerJobsKey(worker), [until, jid]);
}

export function unrankLock(
  store: Store,
  { jid, queue, worker }: { jid: string; queue: string; worker: string },
): void {
  store.unrank(locksKey(queue), [jid]);
  store.unrank(workerJobsKey(worker), [jid]);
}

/** Notes that the worker is alive. */
export function seeWorker(store: Store, now: number, worker: string): void {
  store.rank(workersKey(), [now, worker]);
}
