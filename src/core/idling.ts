import { acquaintance } from "./asking.ts";
import { roomFor } from "./choosing.ts";
import { popSettings } from "./config.ts";
import { announceWake } from "./events.ts";
import { numberOr } from "./job.ts";
import { idleKey, queueKey, workKey } from "./keys.ts";
import { MAX_WOKEN } from "./limits.ts";
import { pauseOf } from "./pausing.ts";
import { wakeQueueAt } from "./queue.ts";
import type { Store } from "./store.ts";

/**
 * Workers with nothing to do say where they wait, and who puts a job wakes one of them: no worker
 * need ask again and again, nor all of them come for one job.
 *
 * A queue's idle ranking holds them by the time until which they wait. Its record has that of the
 * last in `idle`, so that a put into a queue where nobody waits need not look further.
 */

/** How soon to look again where jobs wait but no more may run at a time. */
const CROWDED_MS = 250;

/** What a queue has for a worker that asks. */
export interface Prospect {
  queue: string;
  /** When there is something: now, or later, or infinity if nobody knows. */
  next: number;
  /** Until when somebody waits there already; 0 when nobody does. */
  idle: number;
}

export function prospectOf(store: Store, now: number, queue: string): Prospect {
  const [due, more, last] = store.fields(queueKey(queue), ["due", "more", "idle"]);
  const pause = more === false ? undefined : pauseOf(store, now, queue);
  const at = numberOr(store, due!, Infinity);
  const next = pause === undefined ? nextIn(store, now, queue, at) : (pause.until ?? Infinity);
  return { queue, next, idle: numberOr(store, last!, 0) };
}

/** When there is something in a queue that is not paused, and needs housekeeping at that time. */
function nextIn(store: Store, now: number, queue: string, due: number): number {
  if (due <= now) return now;
  if (!store.exists(workKey(queue)) || acquaintance(store, queue) === "foreign") return due;
  const settings = popSettings(store, queue, store.field(queueKey(queue), "own"));
  return roomFor(store, queue, 1, settings) > 0 ? now : Math.min(due, now + CROWDED_MS);
}

/** Notes that the worker waits for jobs of the queue. */
export function enlist(
  store: Store,
  { queue, idle }: Prospect,
  worker: string,
  until: number,
): void {
  const at = store.text.integer(until);
  store.rank(idleKey(queue), [at, worker]);
  if (idle < until) store.set(queueKey(queue), ["idle", at]);
}

/**
 * Notes that the worker waits no longer. What is there, or will be at a known time, is left to
 * another: this worker may be the only one that was told of it.
 */
export function leave(
  store: Store,
  now: number,
  { queue, next, idle }: Prospect,
  worker: string,
): void {
  if (store.unrank(idleKey(queue), [worker]) > 0) noteIdle(store, queue);
  if (next <= now) wakeIfIdle(store, now, queue, 1);
  else if (idle > now && next < Infinity) tellWhenDue(store, now, queue, next);
}

/**
 * Wakes the workers that wait for jobs of a queue after its settings have changed: for every job
 * that is there now, or one of them for the time of the next.
 */
export function callIdle(store: Store, now: number, queue: string): void {
  const { next, idle } = prospectOf(store, now, queue);
  if (idle <= now) return;
  if (next <= now) wakeWorkers(store, now, queue, Math.max(store.size(workKey(queue)), 1));
  else if (next < Infinity) tellWhenDue(store, now, queue, next);
}

/**
 * Makes sure that housekeeping comes by at `at`. If it would have come later, one of the workers
 * that wait there is told: nobody puts a job that would wake one.
 */
export function comeAt(store: Store, now: number, queue: string, at: number): void {
  if (wakeQueueAt(store, queue, at)) tellWhenDue(store, now, queue, at);
}

/** Wakes workers that wait for jobs of the queue, if there are any; as many as there are jobs. */
export function wakeIfIdle(store: Store, now: number, queue: string, jobs: number): void {
  if (jobs <= 0) return;
  const idle = store.field(queueKey(queue), "idle");
  if (idle !== false && store.text.value(idle) > now) wakeWorkers(store, now, queue, jobs);
}

/** As `wakeIfIdle`, for callers that know of some. Who does not hear it any more is left out. */
export function wakeWorkers(store: Store, now: number, queue: string, jobs: number): void {
  if (pauseOf(store, now, queue) !== undefined) return;
  const most = Math.min(jobs, MAX_WOKEN);
  const waiting = store.highestScored(idleKey(queue), 0, most + SPARE);
  const called: string[] = [];
  let woken = 0;
  for (let i = 0; i < waiting.length && woken < most; i += 2) {
    const worker = waiting[i]!;
    called.push(worker);
    const isThere = store.text.value(waiting[i + 1]!) > now;
    if (isThere && announceWake(store, worker, queue, undefined)) woken += 1;
  }
  store.unrank(idleKey(queue), called);
  if (called.length * 2 === waiting.length) noteIdle(store, queue);
}

/** Workers that may be called in vain: they died while they waited. */
const SPARE = 4;

/** Notes until when anybody waits. */
export function noteIdle(store: Store, queue: string): void {
  const last = store.highestScored(idleKey(queue), 0, 1)[1];
  if (last === undefined) store.unset(queueKey(queue), ["idle"]);
  else store.set(queueKey(queue), ["idle", last]);
}

/** Tells one of those who wait that there will be something at that time. */
export function tellWhenDue(store: Store, now: number, queue: string, at: number): void {
  const waiting = store.highestScored(idleKey(queue), 0, SPARE);
  for (let i = 0; i < waiting.length; i += 2) {
    if (store.text.value(waiting[i + 1]!) <= now) return;
    if (announceWake(store, waiting[i]!, queue, at)) return;
  }
}
