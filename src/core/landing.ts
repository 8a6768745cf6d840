import { type Gathered, gathered, listOf, rankAll } from "./gather.ts";
import { dependsKey, queueKey, scheduledKey, workKey } from "./keys.ts";
import { add, addRare } from "./pairs.ts";
import { makeKnown, nextPlace, timeOfPlace, wakeAt } from "./queue.ts";
import type { Absent, Pairs, Store } from "./store.ts";

/**
 * Bringing jobs into queues: one way in for put, advance, retry, release and unfail. A landing
 * collects what a batch does to queues and writes it at the end.
 */
export interface Landing {
  now: number;
  /** What a batch has ranked so far; a single job is ranked at once. */
  ranks: Gathered | undefined;
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

export const newLanding = (now: number): Landing => ({ now, ranks: undefined, views: [] });
export const newBatchLanding = (now: number): Landing => ({ now, ranks: gathered(), views: [] });

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
  const now = landing.now;
  const view = viewOf(store, landing, arrival.queue);
  const next = nextPlace(store, view.place, now);
  const place = store.text.order(next);
  view.place = place;
  const since = arrival.since;
  add(pairs, "place", place);
  if (arrival.depends || arrival.dueMs > now)
    return landLater(store, landing, view, arrival, pairs);
  if (!arrival.isNew) add(pairs, "state", "waiting");
  if (since !== undefined && (!arrival.isNew || timeOfPlace(next) !== since)) {
    add(pairs, "time", store.text.integer(since));
  }
  seat(store, landing, workKey(arrival.queue), arrival.priority, place + arrival.jid);
  return "waiting";
}

/** As `land`, for a job that waits for others or for its time. */
function landLater(
  store: Store,
  landing: Landing,
  view: QueueView,
  { jid, queue, dueMs, since, depends }: Arrival,
  pairs: Pairs,
): Landed {
  const now = landing.now;
  if (since !== undefined) add(pairs, "time", store.text.integer(since));
  if (dueMs > now) addRare(pairs, "scheduled", store.text.integer(dueMs));
  if (depends) {
    add(pairs, "state", "depends");
    seat(store, landing, dependsKey(queue), now, jid);
    return "depends";
  }
  add(pairs, "state", "scheduled");
  seat(store, landing, scheduledKey(queue), dueMs, (view.place as string) + jid);
  if (view.wake === 0 || dueMs < view.wake) view.wake = dueMs;
  return "scheduled";
}

function seat(store: Store, landing: Landing, key: string, score: number, member: string): void {
  const text = store.text.score(score);
  if (landing.ranks === undefined) store.rank(key, [text, member]);
  else add(listOf(landing.ranks, key), text, member);
}

/** Writes the places given so far, for what comes next may take jobs out of them again. */
export function settleLanding(store: Store, landing: Landing): void {
  if (landing.ranks === undefined) return;
  rankAll(store, landing.ranks);
  landing.ranks = gathered();
}

/** Writes what the landing did to its queues. */
export function finishLanding(store: Store, landing: Landing): void {
  if (landing.ranks !== undefined) rankAll(store, landing.ranks);
  for (const view of landing.views) {
    if (view.known === false) makeKnown(store, landing.now, view.queue, view.known);
    if (view.place !== false) store.set(queueKey(view.queue), ["place", view.place]);
    if (view.wake !== 0) wakeAt(store, view.queue, view.due, view.wake);
  }
}
