import { badLease, badName } from "./arguments.ts";
import { damagedRefusal, damageOf } from "./damage.ts";
import { heldBy, noSuchJob, piecesOf } from "./job.ts";
import { jobKey, locksKey, workerJobsKey, workersKey } from "./keys.ts";
import { judgeLayout } from "./layout.ts";
import { MAX_LEASE } from "./leases.ts";
import type { Absent, Store } from "./store.ts";
import type { RunText } from "./text.ts";

/** A running job as its holder's commands need it. */
export interface Held {
  jid: string;
  /** The key of its record. */
  key: string;
  queue: string;
  /** The number of its newest entry of history. */
  last: number;
  /** When it began to run, in milliseconds. */
  time: number;
  /** Fields that few jobs have, in the order of `HELD_MORE`. */
  more: (string | Absent)[];
}

const HELD = ["queue", "more"];

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
  "lent",
  "unique",
  "firstFailure",
];
/** What nearly all jobs have of these. */
export const NO_MORE: (string | Absent)[] = [
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
export const LENT = 10;
export const UNIQUE = 11;
export const FIRST_FAILURE = 12;

/** The worker that claimed last, and how the states of its jobs begin: it claims many. */
let lastWorker = "";
let lastStart = heldBy("");

/** How the state of a job begins that the worker runs, in front of the lease. */
export function startOf(worker: string): string {
  if (worker !== lastWorker) {
    lastWorker = worker;
    lastStart = heldBy(worker);
  }
  return lastStart;
}

/**
 * The state of the job that was handed out last, to whom and under which lease, and what it says:
 * whoever has one job at a time ends that one next, and it need not be read again.
 */
export const given = { state: "", worker: "", lease: "", last: 2, time: 0, queue: "" };

/** Remembers a state that tells all there is to know of a job that runs for the first time. */
export function rememberHeld(
  state: string,
  worker: string,
  lease: string,
  time: number,
  queue: string,
): void {
  given.state = state;
  given.worker = worker;
  given.lease = lease;
  given.time = time;
  given.queue = queue;
}

/** What `judgeClaim` answers: one for all, for Lua takes longer to make one than to fill it. */
const held: Held = { jid: "", key: "", queue: "", last: 0, time: 0, more: NO_MORE };

/**
 * The job if it is the worker's, under this lease; else the refusal, as text. What is told of the
 * job holds until the next claim is judged. Callers who know no lease, the legacy ones, are asked
 * for none. A lease is compared as text, and read only when that fails.
 */
export function judgeClaim(
  store: Store,
  jid: string,
  worker: string,
  lease: string | undefined,
): Held | string {
  const key = jobKey(jid);
  const state = store.fieldIfSound(key, "state");
  let run: RunText | undefined;
  if (state === undefined) return damagedRefusal(key, damageOf(store, key));
  if (state === given.state && lease === given.lease && worker === given.worker) run = given;
  else if (state !== false && lease !== undefined && lease !== "") {
    run = store.text.runBehind(state, startOf(worker), lease);
  }
  if (run === undefined) {
    const wrong = judgeOther(store, { jid, worker, lease, state });
    if (wrong !== undefined) return wrong;
    const [, , current] = piecesOf(store, state);
    run = store.text.runBehind(state as string, startOf(worker), current!) ?? UNREAD;
  }
  held.jid = jid;
  held.key = key;
  held.last = run.last;
  held.time = run.time;
  held.more = NO_MORE;
  const { queue } = run;
  if (queue === undefined) askMore(store, held);
  else held.queue = queue === "" ? (store.field(key, "queue") as string) : queue;
  return held;
}

/** What a run is taken for of which nothing can be read. */
const UNREAD: RunText = { last: 1, time: 0, queue: undefined };

/** Asks for what the state of a held job does not tell. */
function askMore(store: Store, held: Held): void {
  const [queue, more] = store.fields(held.key, HELD);
  held.queue = queue as string;
  if (more !== false) held.more = store.fields(held.key, HELD_MORE);
}

interface Other {
  jid: string;
  worker: string;
  lease: string | undefined;
  state: string | Absent;
}

/** The refusal of a claim that is not right to the letter; undefined when it is right after all. */
function judgeOther(store: Store, { jid, worker, lease, state }: Other): string | undefined {
  const isGiven = lease !== undefined && lease !== "";
  const given = isGiven ? store.text.number(lease) : undefined;
  if (isGiven && (given === undefined || Math.floor(given) !== given)) {
    return badLease(store, lease);
  }
  // Above the highest lease, different numbers are equal once they are read.
  if (isGiven && given! > MAX_LEASE) return TOO_HIGH;
  const [what, owner, current] = piecesOf(store, state);
  // A state of ours shows whose data it is. Everything else is rare enough to ask.
  if (what !== "running" || owner === undefined) judgeLayout(store);
  if (what !== "running") return notRunning(store, jid, what!);
  if (owner !== worker) {
    return `LOCK_LOST Job ${jid} has been handed out to another worker: ` + (owner ?? "");
  }
  if (!isGiven || given === store.text.value(current!)) return undefined;
  return `LOCK_LOST Job ${jid} has been handed out again, under lease ` + current!;
}

const TOO_HIGH = 'BAD_ARGUMENT Arg "lease" must be at most 9007199254740991';

function notRunning(store: Store, jid: string, state: string): string {
  // A jid that is a job's is a name.
  if (!store.text.isJid(jid)) return badName("jid");
  if (store.field(jobKey(jid), "klass") === false) return "NO_SUCH_JOB " + noSuchJob(jid);
  return `NOT_RUNNING Job ${jid} is not currently running: ` + state;
}

/** The refusal when a held job is not in the queue that it is said to be in. */
export function judgeQueueOf({ jid, queue }: Held, claimed: string): string | undefined {
  if (queue === claimed) return undefined;
  return `WRONG_QUEUE Job ${jid} running in another queue: ` + queue;
}

/** Notes until when a worker holds a job. */
export function rankLock(
  store: Store,
  queue: string,
  worker: string,
  until: string,
  jid: string,
): void {
  store.rank(locksKey(queue), [until, jid]);
  store.rank(workerJobsKey(worker), [until, jid]);
}

export function unrankLock(store: Store, jid: string, queue: string, worker: string): void {
  store.unrank(locksKey(queue), [jid]);
  store.unrank(workerJobsKey(worker), [jid]);
}

/** Notes that the worker is alive. */
export function seeWorker(store: Store, now: number, worker: string): void {
  store.rank(workersKey(), [now, worker]);
}
