import { dueKey, queueKey, queuesKey } from "./keys.ts";
import { markLayout } from "./layout.ts";
import type { Absent, Store } from "./store.ts";

/**
 * A queue's record holds what nearly every call needs to know of it, so that one read will do:
 *
 * known     when the queue was first seen, absent once forgotten
 * place     the last place given out, see `nextPlace`
 * promoted  the last place given to a scheduled job that became due
 * spawned   when a recurring job last put a child here
 * due       the earliest time at which anything in the queue needs housekeeping
 * paused    since when it is paused, with pausedReason and pausedUntil where they are known
 * own       present when it has settings of its own
 * seen      the second in which workers last asked for work, and which did, each between tabs
 * idle      until when the last of the workers waits that have nothing to do, see idling.ts
 * more      present when it is, or once was, paused, forgotten, or has settings of its own, so
 *           that the others need not be asked for these
 */

/** Places per millisecond: beyond that they run ahead of the clock, and stay in order. */
const PLACES_PER_MS = 1024;

/**
 * The place behind `last`: places grow with every put, and tell the time of the put as well, so
 * that a scheduled job can take its place by its due time. Within a priority, places are the
 * order.
 */
export function nextPlace(store: Store, last: string | Absent, atMs: number): number {
  return placeAfter(last === false ? -1 : store.text.orderOf(last), atMs);
}

/** The place behind one that is a number already. */
export const placeAfter = (last: number, atMs: number) => {
  const place = atMs * PLACES_PER_MS;
  return place > last ? place : last + 1;
};

/** The place of a job whose turn came at that very time, however late it is noticed. */
export const placeAt = (atMs: number) => (atMs > 0 ? atMs * PLACES_PER_MS : 0);

/** The time that a place tells, in milliseconds. */
export const timeOfPlace = (place: number) => (place - (place % PLACES_PER_MS)) / PLACES_PER_MS;

/** As `timeOfPlace`, of a place as text, in one expression: each job that is taken is asked for it. */
export const placeTime = (store: Store, place: string) =>
  Math.floor(store.text.orderOf(place) / PLACES_PER_MS);

/**
 * Makes sure that housekeeping comes by at `atMs`; `due` is what the queue's record says now. Tells
 * whether it would have come later.
 */
export function wakeAt(store: Store, queue: string, due: string | Absent, atMs: number): boolean {
  if (due !== false && store.text.value(due) <= atMs) return false;
  store.set(queueKey(queue), ["due", atMs]);
  store.rank(dueKey(), [atMs, queue]);
  return true;
}

/** As `wakeAt`, for callers that have not read the record. */
export function wakeQueueAt(store: Store, queue: string, atMs: number): boolean {
  return wakeAt(store, queue, store.field(queueKey(queue), "due"), atMs);
}

/** Adds the queue to those that are listed, unless it is there. */
export function makeKnown(store: Store, now: number, queue: string, known: string | Absent): void {
  if (known !== false) return;
  markLayout(store);
  store.set(queueKey(queue), ["known", now]);
  store.rank(queuesKey(), [now, queue]);
}
