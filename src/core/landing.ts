import { tellWhenDue, wakeWorkers } from "./idling.ts";
import { standing } from "./job.ts";
import { dependsKey, queueKey, scheduledKey, workKey } from "./keys.ts";
import { judgeNewQueue } from "./layout.ts";
import { add, addRare } from "./pairs.ts";
import { makeKnown, placeAfter, timeOfPlace, wakeQueueAt } from "./queue.ts";
import type { Pairs, Store } from "./store.ts";

/**
 * Bringing jobs into queues: one way in for put, advance, retry, release and unfail. A landing
 * collects what a batch does to queues and writes it at the end.
 */
export interface Landing {
  now: number;
  /** Whether the waiting of a queue are ranked all at once, at the end. */
  isBatch: boolean;
  /** The queues that were landed in, the latest first. */
  view: QueueView | undefined;
}

/** What a landing knows of a queue, and how far it has changed it. */
export interface QueueView {
  queue: string;
  /** The last place given out. */
  place: number;
  /** Whether there may be more to know: settings of its own, or that it is not known yet. */
  more: boolean;
  /** The earliest time at which something that landed is due; 0 when nothing is. */
  wake: number;
  /** The entry of history of a job that is put there now. */
  entry: string;
  /** Whether workers wait for jobs of it, and how many jobs they have been brought. */
  idle: boolean;
  seated: number;
  /** Scores and members that are still to be ranked among the waiting. */
  waiting: Pairs | undefined;
  next: QueueView | undefined;
}

export const newLanding = (now: number): Landing => ({ now, isBatch: false, view: undefined });
export const newBatchLanding = (now: number): Landing => ({
  now,
  isBatch: true,
  view: undefined,
});

const VIEWED = ["place", "more", "idle"];

/** The landing's view of a queue, read on first use. */
export function viewOf(store: Store, landing: Landing, queue: string): QueueView {
  let view = landing.view;
  while (view !== undefined) {
    if (view.queue === queue) return view;
    view = view.next;
  }
  const fields = store.fields(queueKey(queue), VIEWED);
  const last = fields[0]!;
  const place = last === false ? -1 : store.text.orderOf(last);
  const more = last === false || fields[1] !== false;
  const entry = store.text.integer(landing.now) + "\tput\t" + queue;
  const idle = fields[2] !== false && store.text.value(fields[2]!) > landing.now;
  view = {
    queue,
    place,
    more,
    wake: 0,
    entry,
    idle,
    seated: 0,
    waiting: undefined,
    next: landing.view,
  };
  landing.view = view;
  return view;
}

/** Refuses to put into a queue without a record where qless-core has filled the namespace. */
export const judgeView = (store: Store, view: QueueView) => {
  if (view.place < 0) judgeNewQueue(store, view.queue);
};

export interface Arrival {
  jid: string;
  queue: string;
  priority: number;
  /** When the job is due, in milliseconds; not after now means at once. */
  dueMs: number;
  /** Whether it has to wait for other jobs first. */
  depends: boolean;
  /** The number of its newest entry of history; undefined for a job that has no record yet. */
  last: string | undefined;
  /** When its wait began, in milliseconds. */
  since: string;
}

/** Gives the job its place, adds to `pairs` what its record must say, and returns its state. */
export function land(
  store: Store,
  landing: Landing,
  arrival: Arrival,
  pairs: Pairs,
): "waiting" | "scheduled" | "depends" {
  const { jid, queue, priority, dueMs, depends, last, since } = arrival;
  const view = viewOf(store, landing, queue);
  const place = placeIn(store, landing, view);
  add(pairs, "place", place);
  if (depends || dueMs > landing.now) return landLater(store, landing, view, arrival, pairs);
  // What a new job's place tells need not be said.
  const told = last === undefined && store.text.integer(timeOfPlace(view.place)) === since;
  if (!told) add(pairs, "state", standing("waiting", last ?? "1", since));
  seat(store, landing, view, store.text.score(priority), place + jid);
  return "waiting";
}

/** The next place in a queue. */
export function placeIn(store: Store, landing: Landing, view: QueueView): string {
  view.place = placeAfter(view.place, landing.now);
  return store.text.order(view.place);
}

/** As `land`, for a job that has its place and waits for others or for its time. */
function landLater(
  store: Store,
  landing: Landing,
  view: QueueView,
  { jid, queue, dueMs, last, since, depends }: Arrival,
  pairs: Pairs,
): "scheduled" | "depends" {
  const { text } = store;
  const due = text.integer(dueMs);
  if (dueMs > landing.now) addRare(pairs, "scheduled", due);
  if (depends) {
    add(pairs, "state", standing("depends", last ?? "1", since));
    store.rank(dependsKey(queue), [text.integer(landing.now), jid]);
    return "depends";
  }
  add(pairs, "state", standing("scheduled", last ?? "1", since));
  store.rank(scheduledKey(queue), [due, text.order(view.place) + jid]);
  if (view.wake === 0 || dueMs < view.wake) view.wake = dueMs;
  return "scheduled";
}

/** Ranks a job among the waiting, at once or with the rest of its batch. */
export function seat(
  store: Store,
  landing: Landing,
  view: QueueView,
  score: string,
  member: string,
): void {
  view.seated += 1;
  if (!landing.isBatch) store.rank(workKey(view.queue), [score, member]);
  else if (view.waiting === undefined) view.waiting = [score, member];
  else add(view.waiting, score, member);
}

/** Writes the places given so far, for what comes next may take jobs out of them again. */
export function settleLanding(store: Store, landing: Landing): void {
  let view = landing.view;
  while (view !== undefined) {
    if (view.waiting !== undefined) store.rank(workKey(view.queue), view.waiting);
    view.waiting = undefined;
    view = view.next;
  }
}

/** Writes what the landing did to its queues. */
export function finishLanding(store: Store, landing: Landing): void {
  let view = landing.view;
  while (view !== undefined) {
    const { queue, waiting } = view;
    const key = queueKey(queue);
    if (waiting !== undefined) store.rank(workKey(queue), waiting);
    if (view.more) makeKnown(store, landing.now, queue, store.field(key, "known"));
    if (view.place >= 0) store.set(key, ["place", store.text.order(view.place)]);
    if (view.wake !== 0) {
      const isNext = wakeQueueAt(store, queue, view.wake);
      if (isNext && view.idle) tellWhenDue(store, landing.now, queue, view.wake);
    }
    if (view.idle && view.seated > 0) wakeWorkers(store, landing.now, queue, view.seated);
    view = view.next;
  }
}
