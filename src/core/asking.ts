import { queueKey, workKey } from "./keys.ts";
import { judgeLayout, markLayout } from "./layout.ts";
import { SEEN_MS } from "./limits.ts";
import type { Absent, Store } from "./store.ts";

/** Whether the queue's record says that the worker has asked in this very second. */
export function hasSeen(store: Store, now: number, seen: string | Absent, worker: string): boolean {
  if (seen === lastSeen && worker === asker && now >= seenFrom && now < seenTo) return true;
  if (seen === false || !store.text.startsWith(seen, secondMark(store, now))) return false;
  if (!store.text.holds(seen, "\t" + worker + "\t")) return false;
  lastSeen = seen;
  asker = worker;
  seenFrom = second * SEEN_MS;
  seenTo = seenFrom + SEEN_MS;
  return true;
}

/** What was seen last of whom, and in which second: mostly the same worker asks again. */
let lastSeen = "";
let asker = "";
let seenFrom = 0;
let seenTo = 0;

let second = -1;
let secondText = "";

/** How a note of this second begins. It is asked for at every pop, so the last one is kept. */
function secondMark(store: Store, now: number): string {
  const current = Math.floor(now / SEEN_MS);
  if (current !== second) {
    second = current;
    secondText = store.text.integer(current) + "\t";
  }
  return secondText;
}

/**
 * Bytes that a queue keeps of who has asked; beyond them it notes the same worker more than once.
 */
const SEEN_BYTES = 1000;

/** Notes that the worker has asked for this queue. */
export function see(
  store: Store,
  now: number,
  queue: string,
  seen: string | Absent,
  asker: string,
): void {
  const { text } = store;
  const mark = secondMark(store, now);
  const goesOn = seen !== false && text.startsWith(seen, mark) && text.bytes(seen) < SEEN_BYTES;
  store.set(queueKey(queue), ["seen", (goesOn ? seen : mark) + asker]);
}

/** Forgets that these workers have asked for the queue, so that it is noted when they do again. */
export function forgetAskers(store: Store, queue: string, workers: string[]): void {
  const seen = store.field(queueKey(queue), "seen");
  if (seen === false) return;
  for (const worker of workers) {
    if (store.text.holds(seen, "\t" + worker + "\t")) {
      store.set(queueKey(queue), ["seen", store.text.divide(seen, "\t")[0]! + "\t"]);
      return;
    }
  }
}

/** When a worker last asked for the queue, in milliseconds, and undefined if none ever did. */
export function askedAt(store: Store, queue: string): number | undefined {
  return seenAt(store, store.field(queueKey(queue), "seen"));
}

/** The time in a note of who has asked. */
export function seenAt(store: Store, seen: string | Absent): number | undefined {
  if (seen === false) return undefined;
  const asked = store.text.number(store.text.divide(seen, "\t")[0]!);
  return asked === undefined ? undefined : asked * SEEN_MS;
}

/**
 * Whether a worker may ask for jobs of the queue, and whether the queue has a record of its own.
 * Undefined if it may not: the queue holds jobs that no put of ours has placed. Refuses a namespace
 * that qless-core has filled, before anything is written.
 */
export function admit(store: Store, queue: string): "own" | "new" | undefined {
  const known = acquaintance(store, queue);
  if (known === "own") return known;
  const isMarked = judgeLayout(store);
  if (known === "foreign") return undefined;
  if (!isMarked) markLayout(store);
  return known;
}

/**
 * Whether a queue is one of ours, one that nobody has put anything into, or one with jobs that no
 * put of ours has placed: data of the original qless-core. Its jids would be read as places, found
 * to be nobody's, and thrown out.
 */
export function acquaintance(store: Store, queue: string): "own" | "new" | "foreign" {
  for (const mark of store.fields(queueKey(queue), ["known", "place", "promoted", "spawned"])) {
    if (mark !== false) return "own";
  }
  return store.exists(workKey(queue)) ? "foreign" : "new";
}

/**
 * The refusal of a queue that holds somebody else's data; to be asked before anything is written.
 */
export function judgeQueue(store: Store, queue: string): string | undefined {
  if (acquaintance(store, queue) !== "foreign") return undefined;
  const advice = "let the old workers empty it, or use another queue, namespace or database";
  return `FOREIGN_LAYOUT Queue ${queue} was filled by qless-core: ${advice}`;
}
