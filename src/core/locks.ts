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

/** A running job as its holder's commands need it: `fields` are those of `HELD`, in that order. */
export interface Held {
  jid: string;
  worker: string;
  queue: string;
  fields: (string | Absent)[];
}

const HELD = [
  "klass",
  "state",
  "worker",
  "lease",
  "queue",
  "time",
  "last",
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

// Where a held job's fields are: naming them by position spares every call a table of seventeen.
export const TIME = 5;
export const LAST = 6;
export const REMAINING = 7;
export const TRACKED = 8;
export const GROUP = 9;
export const AWAITED = 10;
export const SCHEDULED = 11;
export const PRIORITY = 12;
export const RETRIES = 13;
export const CUTOFF = 14;
export const GRACE = 15;
export const BACKOFF = 16;

/** The job if the claim is right; else the refusal, as text. */
export function judgeClaim(store: Store, claim: Claim): Held | string {
  const { jid, worker, lease, queue } = claim;
  const fields = store.fields(jobKey(jid), HELD);
  if (fields[0] === false) return "NO_SUCH_JOB " + noSuchJob(jid);
  if (fields[1] !== "running") return notRunning(jid, fields[1]!);
  const owner = fields[2] as string;
  if (owner !== worker) {
    return `LOCK_LOST Job ${jid} has been handed out to another worker: ` + owner;
  }
  if (lease !== undefined && fields[3] !== store.text.integer(lease)) {
    return `LOCK_LOST Job ${jid} has been handed out again, under lease ` + fields[3];
  }
  const held = fields[4] as string;
  if (queue !== undefined && queue !== held) {
    return `WRONG_QUEUE Job ${jid} running in another queue: ` + held;
  }
  return { jid, worker, queue: held, fields };
}

function notRunning(jid: string, state: string | Absent): string {
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
