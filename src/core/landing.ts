import { type Gathered, gathered, listOf, rankAll } from "./gather.ts";
import { dependsKey, queueKey, scheduledKey, workKey } from "./keys.ts";
import { add } from "./pairs.ts";
import { makeKnown, nextPlace, placeTime, wakeAt } from "./queue.ts";
import type { Absent, Pairs, Store } from "./store.ts";

/**
 * Bringing jobs into queues: one way in for put, advance, retry, release and unfail. A landing
 * collects what a batch does to queues and writes it at the end.
 */
export interface Landing {
  now: number;
  ranks: Gathered;
  views: QueueView[];
}

/** What a landing knows of a queue, and how far it has changed it. */
export interface QueueView {
  queue: string;
  known: string | Absent;
  place: string | Absent;
  due: string | Absent;
  own: string | Absent;
  /** The earliest time at which something that landed is due; 0 when nothing is. */
  wake: number;
}

export const newLanding = (now: number): Landing => ({ now, ranks: gathered(), views: [] });

const VIEWED = ["known", "place", "due", "own"];

/** The landing's view of a queue, read on first use. */
export function viewOf(store: Store, landing: Landing, queue: string): QueueView {
  for (const view of landing.views) if (view.queue === queue) return view;
  const [known, place, due, own] = store.fields(queueKey(queue), VIEWED);
  const view = { queue, known: known!, place: place!, due: due!, own: own!, wake: 0 };
  landing.views.push(view);
  return view;
}

export interface Arrival {
  jid: string;
  queue: string;
  priority: number;
  /** When the job is due, in milliseconds; not after now means at once. */
  dueMs: number;
  /** Whether it has to wait for other jobs first. */
  depends: boolean;
  /** When its wait began; undefined leaves it as it is recorded. */
  since: number | undefined;
  /** Whether it has no record yet. */
  isNew: boolean;
}

export type Landed = "waiting" | "scheduled" | "depends";

/** Gives the job its place, adds to `pairs` what its record must say, and returns its state. */
export function land(store: Store, landing: Landing, arrival: Arrival, pairs: Pairs): Landed {
  const { now } = landing;
  const view = viewOf(store, landing, arrival.queue);
  const place = store.text.order(nextPlace(store, view.place, now));
  view.place = place;
  const { jid, queue, dueMs, since } = arrival;
  add(pairs, "place", place);
  if (arrival.depends || dueMs > now) {
    if (since !== undefined) add(pairs, "time", since);
    if (dueMs > now) add(pairs, "scheduled", dueMs);
    if (arrival.depends) {
      add(pairs, "state", "depends");
      add(listOf(landing.ranks, dependsKey(queue)), now, jid);
      return "depends";
    }
    add(pairs, "state", "scheduled");
    add(listOf(landing.ranks, scheduledKey(queue)), dueMs, place + jid);
    if (view.wake === 0 || dueMs < view.wake) view.wake = dueMs;
    return "scheduled";
  }
  if (!arrival.isNew) add(pairs, "state", "waiting");
  if (since !== undefined && (!arrival.isNew || placeTime(store, place) !== since)) {
    add(pairs, "time", since);
  }
  add(listOf(landing.ranks, workKey(queue)), arrival.priority, place + jid);
  return "waiting";
}

/** Writes the places given so far, for what comes next may take jobs out of them again. */
export function settleLanding(store: Store, landing: Landing): void {
  rankAll(store, landing.ranks);
  landing.ranks = gathered();
}

/** Writes what the landing did to its queues. */
export function finishLanding(store: Store, landing: Landing): void {
  rankAll(store, landing.ranks);
  for (const view of landing.views) {
    makeKnown(store, landing.now, view.queue, view.known);
    if (view.place !== false) store.set(queueKey(view.queue), ["place", view.place]);
    if (view.wake !== 0) wakeAt(store, view.queue, view.due, view.wake);
  }
}
