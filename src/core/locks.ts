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
  retries: string | Absent;
  remaining: string | Absent;
  priority: string | Absent;
  tracked: string | Absent;
  cutoff: string | Absent;
  grace: string | Absent;
  group: string | Absent;
  backoff: string | Absent;
  scheduled: string | Absent;
}

const HELD = [
  "klass",
  "state",
  "worker",
  "lease",
  "queue",
  "time",
  "last",
  "retries",
  "remaining",
  "priority",
  "tracked",
  "cutoff",
  "grace",
  "group",
  "backoff",
  "scheduled",
];

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
  if (lease !== undefined && fields[3] !== `${lease}`) {
    return `LOCK_LOST Job ${jid} has been handed out again, under lease ` + fields[3];
  }
  const held = fields[4] as string;
  if (queue !== undefined && queue !== held) {
    return `WRONG_QUEUE Job ${jid} running in another queue: ` + held;
  }
  return heldOf(jid, worker, fields);
}

function heldOf(jid: string, worker: string, fields: (string | Absent)[]): Held {
  return {
    jid,
    worker,
    queue: fields[4] as string,
    time: fields[5]!,
    last: fields[6]!,
    retries: fields[7]!,
    remaining: fields[8]!,
    priority: fields[9]!,
    tracked: fields[10]!,
    cutoff: fields[11]!,
    grace: fields[12]!,
    group: fields[13]!,
    backoff: fields[14]!,
    scheduled: fields[15]!,
  };
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
  store.rank(locksKey(queue), [expires, jid]);
  store.rank(workerJobsKey(worker), [expires, jid]);
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
