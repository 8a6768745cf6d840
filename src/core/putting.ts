import { NO_OPTIONS } from "./arguments.ts";
import { BACKOFF_RULE, readBackoff } from "./backoff.ts";
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
import { nextEntry, putEntry, trimHistory } from "./history.ts";
import { isTracked, numberIn, readJob, stateOf } from "./job.ts";
import { dependenciesKey, jobKey } from "./keys.ts";
import { type Landing, land, placeIn, seat, viewOf } from "./landing.ts";
import { leavePlace } from "./leaving.ts";
import { placeAt } from "./queue.ts";
import { refuse, refuseIf } from "./refuse.ts";
import type { Pairs, Store } from "./store.ts";
import { without } from "./tags.ts";

/**
 * The positional arguments of put: who puts, which may be the worker that holds the job, and what.
 */
export type Putting = readonly [
  worker: string,
  queue: string,
  jid: string,
  klass: string,
  data: string,
  delay: number,
];

/** Refuses a put that cannot be, before anything is written. */
export function judgePut(
  store: Store,
  jid: string,
  options: PutOptions,
  planned: Planned,
  search: Search,
): void {
  const { depends, backoff } = options;
  if (backoff !== undefined && readBackoff(store, backoff) === undefined) {
    refuse("BAD_ARGUMENT", `Arg "backoff" must be ${BACKOFF_RULE}`);
  }
  if (depends !== undefined) refuseIf(judgeCycle(store, jid, depends, planned, search));
}

/** Brings a job into a queue, a new one or one that is elsewhere; the put is announced already. */
export function putJob(
  store: Store,
  landing: Landing,
  putting: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const [, , jid] = putting;
  const key = jobKey(jid);
  if (!store.exists(key)) putNew(store, landing, putting, options, planned);
  else if (store.field(key, "klass") !== false) putAgain(store, landing, putting, options, planned);
  else putOverMark(store, landing, putting, options, planned);
}

/** Puts a job that there is not, as far as the caller has seen. */
export function putFresh(
  store: Store,
  landing: Landing,
  putting: Putting,
  options: PutOptions,
): void {
  const isMarked = store.exists(jobKey(putting[2]));
  if (isMarked) putOverMark(store, landing, putting, options, NOTHING_PLANNED);
  else putNew(store, landing, putting, options, NOTHING_PLANNED);
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
  putNew(store, landing, putting, options, planned);
  store.set(jobKey(jid), ["more", "1"]);
  announceTracked(store, "put", jid);
}

/** Puts a job that has no record. Nearly every job comes this way, so it makes no detours. */
function putNew(
  store: Store,
  landing: Landing,
  [, queue, jid, klass, data, delay]: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const now = landing.now;
  const view = viewOf(store, landing, queue);
  if (options === NO_OPTIONS && delay === 0 && !view.more && view.place + 1 < placeAt(now + 1)) {
    const place = placeIn(store, landing, view);
    seat(store, landing, view, "0", place + jid);
    const entry = view.entry;
    store.set(jobKey(jid), [
      "klass",
      klass,
      "data",
      data,
      "queue",
      queue,
      "1",
      entry,
      "place",
      place,
    ]);
    return;
  }
  const pairs: Pairs = ["klass", klass, "data", data, "queue", queue, "1", view.entry];
  if (options !== NO_OPTIONS || view.more) describe(store, now, { jid, view, options }, pairs);
  const priority = options.priority ?? 0;
  const depends =
    options.depends !== undefined && settleDependencies(store, now, jid, options.depends, planned);
  const dueMs = delay > 0 ? now + delay : 0;
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
  store.set(jobKey(jid), pairs);
}

/** Takes an existing job out of where it was and brings it into a queue again. */
function putAgain(
  store: Store,
  landing: Landing,
  putting: Putting,
  options: PutOptions,
  planned: Planned,
): void {
  const [worker, queue, jid, klass, data, delay] = putting;
  const { text } = store;
  const now = landing.now;
  const since = text.integer(now);
  const old = readJob(store, jid)!;
  leavePlace(store, jid, old);
  if (stateOf(old) === "running" && old.worker !== worker)
    announceLockLost(store, jid, old.worker!);
  const number = nextEntry(store, old.last);
  const last = text.integer(number);
  const pairs: Pairs = [
    "klass",
    klass,
    "data",
    data,
    "queue",
    queue,
    last,
    since + "\t" + putEntry(queue),
  ];
  describeAgain(store, now, { jid, old, options }, pairs);
  if (options.retries === undefined)
    restageOld(store, viewOf(store, landing, queue), jid, old, pairs);
  const priority = options.priority ?? numberIn(store, old.priority, 0);
  const depends = settleAgain(store, now, jid, options.depends, planned);
  const dueMs = delay > 0 ? now + delay : 0;
  land(store, landing, { jid, queue, priority, dueMs, depends, last, since }, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, historyLimit(store));
  if (isTracked(old)) announceTracked(store, "put", jid);
}

/** Makes a job wait for these as far as they can be awaited, and says whether there are any. */
function settleDependencies(
  store: Store,
  now: number,
  jid: string,
  depends: string[],
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
  depends: string[] | undefined,
  planned: Planned,
): boolean {
  if (depends !== undefined && depends.length > 0) {
    dropDependencies(store, jid, without(dependenciesOf(store, jid), depends));
    if (settleDependencies(store, now, jid, depends, planned)) return true;
  }
  return store.exists(dependenciesKey(jid));
}
