import { currentNamespace, locksKey, queueKey, workerJobsKey, workKey } from "./keys.ts";
import { leaseBytes } from "./leases.ts";
import { startOf } from "./locks.ts";
import type { Store } from "./store.ts";

/** What is written of every job that a call hands out, as text. */
export interface Spelled {
  worker: string;
  queue: string;
  /** The time of the call. */
  at: string;
  /** When the locks expire, in milliseconds. */
  expires: string;
  /** The entry of history. */
  popped: string;
  /** How the state begins, in front of the lease. */
  start: string;
  /** How the state ends of a job of which there is no more to know. */
  plain: string;
  /** The same of one that waited for the first time, from behind its lease. */
  first: string;
  /** The queue in these two, or nothing where it would make the state too long. */
  plainQueue: string;
  firstQueue: string;
  /** What the worker is told in front of the lease, and behind it if there is no more to know. */
  within: string;
  behind: string;
  /** The record of the queue, and the rankings of what waits in it, of its locks and of the worker's jobs. */
  record: string;
  work: string;
  locks: string;
  jobs: string;
}

/** Of what it was made, and what came of it: one for all, for a busy worker asks several times in a millisecond. */
let lastNow = -1;
let lastEnds = -1;
let lastWorker = "";
let lastQueue = "";
let lastNamespace = "";
const spelled: Spelled = {
  worker: "",
  queue: "",
  at: "",
  expires: "",
  popped: "",
  start: "",
  plain: "",
  first: "",
  plainQueue: "",
  firstQueue: "",
  within: "",
  behind: "",
  record: "",
  work: "",
  locks: "",
  jobs: "",
};

/** The texts of a call; they hold until the next one. */
export function spell(
  store: Store,
  now: number,
  ends: number,
  worker: string,
  queue: string,
): Spelled {
  const isOther =
    worker !== lastWorker || queue !== lastQueue || currentNamespace() !== lastNamespace;
  if (!isOther && now === lastNow && ends === lastEnds) return spelled;
  if (isOther) spellNames(store, now, worker, queue);
  if (now !== lastNow || ends !== lastEnds) spellTimes(store, now, ends);
  const { at } = spelled;
  spelled.popped = at + "\tpopped\t" + worker;
  spelled.plain = at + "\t" + spelled.plainQueue;
  spelled.first = "\t2\t" + at + "\t" + spelled.firstQueue;
  return spelled;
}

function spellNames(store: Store, now: number, worker: string, queue: string): void {
  lastWorker = worker;
  lastQueue = queue;
  lastNamespace = currentNamespace();
  spelled.worker = worker;
  spelled.queue = queue;
  spelled.start = startOf(worker);
  const bytes = store.text.bytes(spelled.start) + leaseBytes(store, now);
  spelled.plainQueue = isShort(store, bytes + BESIDE_BYTES, queue) ? queue : "";
  spelled.firstQueue = isShort(store, bytes + FIRST_BYTES, queue) ? queue : "";
  spelled.within = "\t" + queue + "\t";
  spelled.record = queueKey(queue);
  spelled.work = workKey(queue);
  spelled.locks = locksKey(queue);
  spelled.jobs = workerJobsKey(worker);
}

function spellTimes(store: Store, now: number, ends: number): void {
  lastNow = now;
  lastEnds = ends;
  spelled.at = store.text.integer(now);
  spelled.expires = store.text.integer(ends);
  spelled.behind = behindLease(store, spelled.expires, "");
}

/** What the worker is told behind the lease: when the lock expires, and what more there is. */
export const behindLease = (store: Store, expires: string, more: string) =>
  "\t" + store.text.seconds(expires) + "\t" + more + "\t";

/** Texts of up to so many bytes leave a record one plain list in Redis, which is half as large. */
const PLAIN_BYTES = 64;
/**
 * What the state of a running job has beside worker, lease and queue: a number of history of up to
 * three digits and a time, or the number 2 and a time in the first run.
 */
const BESIDE_BYTES = 18;
const FIRST_BYTES = 16;

/** Whether a state may name the queue: unless only the queue would make it too long. */
const isShort = (store: Store, without: number, queue: string) =>
  without > PLAIN_BYTES || without + 1 + store.text.bytes(queue) <= PLAIN_BYTES;
