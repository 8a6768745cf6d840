import { NO_OPTIONS } from "./arguments.ts";
import { historyLimit } from "./config.ts";
import {
  addDependencies,
  canBeAwaited,
  dependenciesOf,
  dropDependencies,
  judgeCycle,
  NOTHING_PLANNED,
  type Planned,
  type Search,
} from "./dependencies.ts";
import { describe, describeAgain, type PutOptions, restageOld } from "./describing.ts";
import { announceLockLost, announceTracked } from "./events.ts";
import type { Found } from "./existing.ts";
import { nextEntry, putEntry, trimHistory } from "./history.ts";
import { type Fields, isTracked, numberIn, readJob, stateOf } from "./job.ts";
import { dependenciesKey, jobKey } from "./keys.ts";
import { type Landing, land, placeIn, type QueueView, seat, viewOf } from "./landing.ts";
import { leavePlace } from "./leaving.ts";
import { add } from "./pairs.ts";
import { placeAt } from "./queue.ts";
import { refuseIf } from "./refuse.ts";
import type { Pairs, Store } from "./store.ts";
import { without } from "./tags.ts";

/**
 * The positional arguments of put: who puts, which may be the worker that holds the job, and what.
 */
export type Putting = [
  worker: string,
  queue: string,
  jid: string,
  klass: string,
  data: string,
  delay: number,
];

/** When a job is due that is put so, in milliseconds; not after now means at once. */
export const dueBy = (now: number, delay: number, at: number | undefined) =>
  at ?? (delay > 0 ? now + delay : 0);

/** Refuses a put that would make the job wait for itself, before anything is written. */
export function judgePut(
  store: Store,
  jid: string,
  depends: readonly string[] | undefined,
  planned: Planned,
  search: Search,
): void {
  if (depends !== undefined) refuseIf(judgeCycle(store, jid, depends, planned, search));
}

/** Brings a job into a queue, a new one or one that is elsewhere; the put is announced already. */
export function putJob(
  store: Store,
  landing: Landing,
  found: Found,
  putting: Putting,
  options: PutOptions,
  planned: Planned,
): "created" | "replaced" {
  if (found === "job") {
    putAgain(store, landing, putting, options, planned);
    return "replaced";
  }
  if (found === "mark") putOverMark(store, landing, putting, options, planned);
  else putNew(store, landing, jobKey(putting[2]), putting, options, planned);
  return "created";
}

/** Puts a job that there is not, as far as the caller has seen. */
export function putFresh(
  store: Store,
  landing: Landing,
  putting: Putting,
  options: PutOptions,
): void {
  const key = jobKey(putting[2]);
  if (store.exists(key)) putOverMark(store, landing, putting, options, NOTHING_PLANNED);
  else putNew(store, landing, key, putting, options, NOTHING_PLANNED);
}

/** Puts a job of which nothing is left but that it is tracked. */
function putOverMark(
  store: Store,
  landing: Landing,
  putting: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const jid = putting[2];
  const key = jobKey(jid);
  putNew(store, landing, key, putting, options, planned);
  store.set(key, ["more", "1"]);
  announceTracked(store, "put", jid);
}

/** Puts a job that has no record under its key. Nearly every job comes this way, so it makes no detours. */
export function putNew(
  store: Store,
  landing: Landing,
  key: string,
  [, queue, jid, klass, data, delay]: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const now = landing.now;
  const view = viewOf(store, landing, queue);
  if (options === NO_OPTIONS && delay === 0 && canSeat(view, now)) {
    seatNew(store, landing, view, key, jid, klass, data);
    return;
  }
  const pairs: Pairs = ["klass", klass, "data", data, "queue", queue, "1", view.entry];
  if (options !== NO_OPTIONS || view.more) describe(store, now, { jid, view, options }, pairs);
  const priority = options.priority ?? 0;
  const depends =
    options.depends !== undefined && settleDependencies(store, now, jid, options.depends, planned);
  const dueMs = dueBy(now, delay, options.at);
  const arrival = {
    jid,
    queue,
    priority,
    dueMs,
    depends,
    last: undefined,
    since: store.text.integer(now),
  };
  land(store, landing, arrival, pairs);
  store.set(key, pairs);
}

/** Whether the queue has nothing to say about a new job, and its place can tell the time. */
export const canSeat = (view: QueueView, now: number) =>
  !view.more && view.place + 1 < placeAt(now + 1);

/** Puts a new job of which nothing is particular among the waiting. */
export function seatNew(
  store: Store,
  landing: Landing,
  view: QueueView,
  key: string,
  jid: string,
  klass: string,
  data: string,
): void {
  const place = placeIn(store, landing, view);
  seat(store, landing, view, "0", place + jid);
  const { queue, entry } = view;
  store.set(key, ["klass", klass, "data", data, "queue", queue, "1", entry, "place", place]);
}

/** Puts a job that has a record. */
function putAgain(
  store: Store,
  landing: Landing,
  [worker, queue, jid, klass, data, delay]: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const again = { jid, old: readJob(store, jid)!, worker, queue, delay, options, planned };
  bringAgain(store, landing, again, ["klass", klass, "data", data]);
}

/** An existing job, what its record said, and where it is to go. */
export interface Again {
  jid: string;
  old: Fields;
  /** Who does it, and need not be told if it held the job. */
  worker: string;
  queue: string;
  delay: number;
  options: PutOptions;
  planned: Planned;
}

/**
 * Takes an existing job out of where it was and brings it into a queue again, with what is new
 * about it in `pairs`. Returns its state. The put is announced already.
 */
export function bringAgain(
  store: Store,
  landing: Landing,
  { jid, old, worker, queue, delay, options, planned }: Again,
  pairs: Pairs,
): string {
  const { text } = store;
  const now = landing.now;
  const since = text.integer(now);
  leavePlace(store, jid, old);
  if (stateOf(old) === "running" && old.worker !== worker)
    announceLockLost(store, jid, old.worker!, queue);
  const number = nextEntry(store, old.last);
  const last = text.integer(number);
  add(pairs, "queue", queue);
  add(pairs, last, since + "\t" + putEntry(queue));
  describeAgain(store, now, { jid, old, options }, pairs);
  if (options.retries === undefined)
    restageOld(store, viewOf(store, landing, queue), jid, old, pairs);
  const priority = options.priority ?? numberIn(store, old.priority, 0);
  const depends = settleAgain(store, now, jid, options.depends, planned);
  const dueMs = dueBy(now, delay, options.at);
  const arrival = { jid, queue, priority, dueMs, depends, last, since };
  const state = land(store, landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, historyLimit(store));
  if (isTracked(old)) announceTracked(store, "put", jid);
  return state;
}

/** Makes a job wait for these as far as they can be awaited, and says whether there are any. */
function settleDependencies(
  store: Store,
  now: number,
  jid: string,
  depends: readonly string[],
  planned: Planned,
): boolean {
  const on: string[] = [];
  for (const dependency of depends) {
    if (planned[jobKey(dependency)] !== undefined || canBeAwaited(store, dependency)) {
      on.push(dependency);
    }
  }
  addDependencies(store, now, jid, on);
  return on.length > 0;
}

/** As `settleDependencies`, for a job that may have some already: those not named are dropped. */
function settleAgain(
  store: Store,
  now: number,
  jid: string,
  depends: readonly string[] | undefined,
  planned: Planned,
): boolean {
  if (depends !== undefined && depends.length > 0) {
    dropDependencies(store, jid, without(dependenciesOf(store, jid), depends));
    if (settleDependencies(store, now, jid, depends, planned)) return true;
  }
  return store.exists(dependenciesKey(jid));
}
