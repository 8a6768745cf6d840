import { backoffMs, readBackoff } from "./backoff.ts";
import { pruneCompleted } from "./completed.ts";
import { DEFAULT_RETRIES, putSettings } from "./config.ts";
import {
  addDependencies,
  canBeAwaited,
  judgeCycle,
  type Planned,
  releaseDependents,
} from "./dependencies.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceAdvanced, announceCompleted, announceTracked } from "./events.ts";
import {
  exhaustedGroup,
  exhaustedMessage,
  FAILURE_FIELDS,
  failJob,
  pushFailure,
} from "./failures.ts";
import { type Gathered, gathered, listOf, unrankAll } from "./gather.ts";
import {
  addEntry,
  DONE_ENTRY,
  nextEntry,
  putEntry,
  retriedEntry,
  stamped,
  trimHistory,
} from "./history.ts";
import { numberOr } from "./job.ts";
import { completedKey, configKey, jobKey, locksKey, queueKey, workerJobsKey } from "./keys.ts";
import { finishLanding, type Landing, land, newBatchLanding, newLanding } from "./landing.ts";
import { PRUNE_SLICE } from "./limits.ts";
import {
  AWAITED,
  BACKOFF,
  GROUP,
  type Held,
  PRIORITY,
  REMAINING,
  RETRIES,
  SCHEDULED,
  TRACKED,
  unrankLock,
} from "./locks.ts";
import { add } from "./pairs.ts";
import { countOfDay, recordTimes } from "./statistics.ts";
import type { Absent, Pairs, Store } from "./store.ts";

/**
 * The ends a run may come to, for one job or for a batch of one worker: what a batch does to rankings
 * and statistics is collected and written once, in `finishClosing`; what one job does, at once.
 */
export interface Closing {
  worker: string;
  landing: Landing;
  batch: Batch | undefined;
  /** How many entries of history a job keeps. */
  historyLimit: number;
  /** How completed jobs are kept, where it is not as by default. */
  keepMs: string | Absent;
  keepCount: string | Absent;
}

interface Batch {
  /** Jobs that leave the locks, by the queue's key. */
  unlocked: Gathered;
  jids: string[];
  /** Queues, and how long jobs of each ran. */
  queues: string[];
  times: number[][];
  completed: Pairs;
}

const SETTINGS = ["max-job-history", "jobs-history", "jobs-history-count"];

export function newClosing(store: Store, now: number, worker: string): Closing {
  const closing: Closing = {
    worker,
    landing: newLanding(now),
    batch: undefined,
    historyLimit: 100,
    keepMs: false,
    keepCount: false,
  };
  if (!store.exists(configKey())) return closing;
  const [history, keepMs, keepCount] = store.fields(configKey(), SETTINGS);
  closing.historyLimit = numberOr(store, history!, 100);
  closing.keepMs = keepMs!;
  closing.keepCount = keepCount!;
  return closing;
}

export function newBatchClosing(store: Store, now: number, worker: string): Closing {
  const closing = newClosing(store, now, worker);
  closing.landing = newBatchLanding(now);
  closing.batch = { unlocked: gathered(), jids: [], queues: [], times: [], completed: [] };
  return closing;
}

export interface Completion {
  data: string | undefined;
  next: string | undefined;
  delay: number | undefined;
  depends: string[] | undefined;
}

/** Ends a run well: the job is complete, or goes on to the next queue. Returns its new state. */
export function completeJob(store: Store, closing: Closing, held: Held, how: Completion): string {
  const now = closing.landing.now;
  const { jid, queue, more } = held;
  const number = nextEntry(store, held.last);
  const at = store.text.integer(now);
  const field = store.text.integer(number);
  const pairs: Pairs = ["time", at, "last", field, field, at + "\t" + DONE_ENTRY];
  if (how.data !== undefined) add(pairs, "data", how.data);
  unlock(store, closing, held);
  const total = noteRun(store, closing, queue, now - numberOr(store, held.time, now));
  clearAttempt(store, held);
  if (more[TRACKED] !== false) announceTracked(store, "completed", jid);
  if (how.next !== undefined) {
    return advance(store, closing, held, how, { pairs, number: number + 1 });
  }
  announceCompleted(store, jid, queue);
  add(pairs, "state", "complete");
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, closing.historyLimit);
  keepCompleted(store, closing, jid, total);
  // In a batch, somebody may have begun to wait for it since it was judged.
  if (more[AWAITED] !== false || closing.batch !== undefined) {
    releaseDependents(store, closing.landing, jid);
  }
  return "complete";
}

/** With the usual long history, looking at it at every so manieth completion is enough. */
const PRUNE_EVERY = 16;

function keepCompleted(store: Store, closing: Closing, jid: string, total: number): void {
  const now = store.text.integer(closing.landing.now);
  if (closing.batch !== undefined) {
    add(closing.batch.completed, now, jid);
    return;
  }
  store.rank(completedKey(), [now, jid]);
  const usual = closing.keepMs === false && closing.keepCount === false;
  if (!usual || onLegacyEntry() || total % PRUNE_EVERY === 0) prune(store, closing, PRUNE_SLICE);
}

function prune(store: Store, closing: Closing, limit: number): void {
  const ms = numberOr(store, closing.keepMs, 604800) * 1000;
  const count = numberOr(store, closing.keepCount, 50000);
  pruneCompleted(store, closing.landing.now, { ms, count }, limit);
}

/** What is written of an advancing job, and the number of its next entry of history. */
interface Written {
  pairs: Pairs;
  number: number;
}

function advance(
  store: Store,
  closing: Closing,
  { jid, queue, more }: Held,
  { next, delay, depends }: Completion,
  { pairs, number }: Written,
): string {
  const { now } = closing.landing;
  announceAdvanced(store, jid, queue, next!);
  addEntry(pairs, store.text.integer(number), stamped(store, now, putEntry(next!)));
  add(pairs, "queue", next!);
  const on: string[] = [];
  for (const dependency of depends ?? []) if (canBeAwaited(store, dependency)) on.push(dependency);
  addDependencies(store, now, jid, on);
  if (more[SCHEDULED] !== false) store.unset(jobKey(jid), ["scheduled"]);
  const arrival = {
    jid,
    queue: next!,
    priority: numberOr(store, more[PRIORITY]!, 0),
    dueMs: delay !== undefined && delay > 0 ? now + delay : 0,
    depends: on.length > 0,
    since: now,
    isNew: false,
  };
  const state = land(store, closing.landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, closing.historyLimit);
  return state;
}

/** The refusal when what an advancing job is to wait for leads back to it. */
export function judgeCompletion(
  store: Store,
  jid: string,
  depends: string[] | undefined,
  planned: Planned,
): string | undefined {
  return depends === undefined ? undefined : judgeCycle(store, jid, depends, planned);
}

export interface Blame {
  group: string;
  message: string;
  /** Whether it is for want of a retry. */
  exhausted: boolean;
  data: string | undefined;
}

/** Ends a run badly and for good. */
export function failHeld(store: Store, closing: Closing, held: Held, blame: Blame): void {
  unlock(store, closing, held);
  failJob(store, closing.landing.now, {
    jid: held.jid,
    queue: held.queue,
    worker: held.worker,
    group: blame.group,
    message: blame.message,
    last: held.last,
    tracked: held.more[TRACKED] !== false,
    historyLimit: closing.historyLimit,
    exhausted: blame.exhausted,
    data: blame.data,
  });
}

export interface Retrying {
  /** Milliseconds; undefined leaves it to the job's or the queue's backoff. */
  delay: number | undefined;
  group: string | undefined;
  message: string | undefined;
  /** From 0 to 1, for a backoff with jitter. */
  lot: number | undefined;
  /** Whether the attempt counts; undefined means yes. */
  spend: number | undefined;
}

/** Ends a run to try again; fails the job when no retry is left. Returns how many are. */
export function retryHeld(store: Store, closing: Closing, held: Held, how: Retrying): number {
  const { now } = closing.landing;
  const { jid, queue, worker } = held;
  const retries = numberOr(store, held.more[RETRIES]!, DEFAULT_RETRIES);
  const remaining = numberOr(store, held.more[REMAINING]!, retries) - (how.spend === 0 ? 0 : 1);
  countOfDay(store, now, queue, "retries");
  if (remaining < 0) {
    store.set(jobKey(jid), ["remaining", remaining, "more", "1"]);
    const group = how.group ?? exhaustedGroup(queue);
    const message = how.message ?? exhaustedMessage(queue);
    failHeld(store, closing, held, { group, message, exhausted: true, data: undefined });
    return remaining;
  }
  unlock(store, closing, held);
  const pairs: Pairs = ["remaining", remaining, "more", "1"];
  if (how.group !== undefined && how.message !== undefined) {
    pushFailure(pairs, now, { group: how.group, message: how.message, worker });
  }
  const number = nextEntry(store, held.last);
  addEntry(pairs, store.text.integer(number), stamped(store, now, retriedEntry(worker)));
  const delay = how.delay ?? backoffOf(store, held, retries - remaining, how.lot ?? 0.5);
  landAgain(store, closing, held, { pairs, number }, delay > 0 ? now + delay : 0);
  return remaining;
}

function landAgain(
  store: Store,
  closing: Closing,
  { jid, queue, more }: Held,
  { pairs, number }: Written,
  dueMs: number,
): void {
  const since = closing.landing.now;
  const own = numberOr(store, more[PRIORITY]!, 0);
  const arrival = { jid, queue, priority: own, dueMs, depends: false, since, isNew: false };
  if (more[SCHEDULED] !== false) store.unset(jobKey(jid), ["scheduled"]);
  land(store, closing.landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, closing.historyLimit);
}

function backoffOf(store: Store, held: Held, attempt: number, lot: number): number {
  let text = held.more[BACKOFF]!;
  if (text === false && store.field(queueKey(held.queue), "own") !== false) {
    text = putSettings(store, held.queue).backoff;
  }
  const backoff = text === false ? undefined : readBackoff(store, text);
  return backoff === undefined ? 0 : backoffMs(backoff, attempt, lot);
}

function unlock(store: Store, closing: Closing, { jid, queue }: Held): void {
  const batch = closing.batch;
  if (batch === undefined) {
    unrankLock(store, { jid, queue, worker: closing.worker });
    return;
  }
  listOf(batch.unlocked, locksKey(queue)).push(jid);
  batch.jids.push(jid);
}

/** Notes how long a job ran; returns how many did so today, as far as it is known already. */
function noteRun(store: Store, closing: Closing, queue: string, ms: number): number {
  const batch = closing.batch;
  if (batch === undefined) {
    return recordTimes(store, "run", { queue, now: closing.landing.now, times: [ms] });
  }
  for (let i = 0; i < batch.queues.length; i++) {
    if (batch.queues[i] === queue) {
      batch.times[i]!.push(ms);
      return 0;
    }
  }
  batch.queues.push(queue);
  batch.times.push([ms]);
  return 0;
}

/** A job that got through has all its retries again, and no failure. */
function clearAttempt(store: Store, { jid, more }: Held): void {
  if (more[REMAINING] !== false) store.unset(jobKey(jid), ["remaining"]);
  if (more[GROUP] !== false) store.unset(jobKey(jid), FAILURE_FIELDS);
}

/** Writes what is left to write. */
export function finishClosing(store: Store, closing: Closing): void {
  const { landing, batch } = closing;
  if (batch !== undefined) finishBatch(store, closing, batch);
  if (landing.views.length > 0) finishLanding(store, landing);
}

function finishBatch(store: Store, closing: Closing, batch: Batch): void {
  unrankAll(store, batch.unlocked);
  store.unrank(workerJobsKey(closing.worker), batch.jids);
  for (let i = 0; i < batch.queues.length; i++) {
    const times = batch.times[i]!;
    recordTimes(store, "run", { queue: batch.queues[i]!, now: closing.landing.now, times });
  }
  if (batch.completed.length === 0) return;
  store.rank(completedKey(), batch.completed);
  prune(store, closing, PRUNE_SLICE + batch.completed.length);
}
