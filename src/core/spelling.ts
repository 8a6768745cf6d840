import { currentNamespace, locksKey, queueKey, workerJobsKey, workKey } from "./keys.ts";
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
  /** How the state ends of a job of which there is no more to know, and whether that tells the queue. */
  plain: string;
  isTold: boolean;
  /** The same of one that waited for the first time, from behind its lease. */
  first: string;
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
  isTold: false,
  first: "",
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
  if (isOther) spellNames(store, worker, queue);
  if (now !== lastNow || ends !== lastEnds) spellTimes(store, now, ends);
  const { at } = spelled;
  spelled.popped = at + "\tpopped\t" + worker;
  spelled.plain = at + "\t" + (spelled.isTold ? queue : "");
  spelled.first = "\t2\t" + spelled.plain;
  return spelled;
}

function spellNames(store: Store, worker: string, queue: string): void {
  lastWorker = worker;
  lastQueue = queue;
  lastNamespace = currentNamespace();
  spelled.worker = worker;
  spelled.queue = queue;
  spelled.start = startOf(worker);
  spelled.isTold = isShort(store, spelled.start, queue);
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
/** What a running job's state has beside worker and queue, with a long lease and history. */
const BESIDE_BYTES = 26;

/** Whether a state may tell the queue: unless it were that which makes it too long. */
function isShort(store: Store, start: string, queue: string): boolean {
  const without = store.text.bytes(start) + BESIDE_BYTES;
  return without > PLAIN_BYTES || without + 1 + store.text.bytes(queue) <= PLAIN_BYTES;
}
