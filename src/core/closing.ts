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
import { announceAdvanced, announceCompleted, announceTracked } from "./events.ts";
import {
  exhaustedGroup,
  exhaustedMessage,
  FAILURE_FIELDS,
  failJob,
  pushFailure,
} from "./failures.ts";
import { type Gathered, gathered, listOf, unrankAll } from "./gather.ts";
import { addEntry, DONE_ENTRY, nextEntry, putEntry, retriedEntry, trimHistory } from "./history.ts";
import { numberOr } from "./job.ts";
import { completedKey, configKey, jobKey, locksKey, queueKey, workerJobsKey } from "./keys.ts";
import { finishLanding, type Landing, land, newLanding } from "./landing.ts";
import { PRUNE_SLICE } from "./limits.ts";
import type { Held } from "./locks.ts";
import { add } from "./pairs.ts";
import { countOfDay, recordTimes } from "./statistics.ts";
import type { Pairs, Store } from "./store.ts";

/**
 * The ends a run may come to, for one job or for a batch of one worker: what concerns rankings and
 * statistics is collected and written once, in `finishClosing`.
 */
export interface Closing {
  worker: string;
  landing: Landing;
  /** Jobs that leave the locks, by the queue's key. */
  unlocked: Gathered;
  jids: string[];
  /** How long jobs ran, by queue. */
  queues: string[];
  times: number[][];
  completed: Pairs;
  historyLimit: number;
  keepMs: number;
  keepCount: number;
}

const SETTINGS = ["max-job-history", "jobs-history", "jobs-history-count"];

export function newClosing(store: Store, now: number, worker: string): Closing {
  const [history, seconds, count] = store.fields(configKey(), SETTINGS);
  return {
    worker,
    landing: newLanding(now),
    unlocked: gathered(),
    jids: [],
    queues: [],
    times: [],
    completed: [],
    historyLimit: numberOr(store, history!, 100),
    keepMs: numberOr(store, seconds!, 604800) * 1000,
    keepCount: numberOr(store, count!, 50000),
  };
}

export interface Completion {
  data: string | undefined;
  next: string | undefined;
  delay: number | undefined;
  depends: string[] | undefined;
}

/** Ends a run well: the job is complete, or goes on to the next queue. Returns its new state. */
export function completeJob(store: Store, closing: Closing, held: Held, how: Completion): string {
  const { now } = closing.landing;
  const { jid, queue } = held;
  const pairs: Pairs = [];
  if (how.data !== undefined) add(pairs, "data", how.data);
  const number = nextEntry(store, held.last);
  addEntry(pairs, number, now, DONE_ENTRY);
  unlock(closing, held);
  noteRun(closing, queue, now - numberOr(store, held.time, now));
  clearAttempt(store, held);
  if (held.tracked !== false) announceTracked(store, "completed", jid);
  if (how.next !== undefined)
    return advance(store, closing, held, how, { pairs, number: number + 1 });
  announceCompleted(store, jid, queue);
  add(pairs, "state", "complete");
  add(pairs, "time", now);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, closing.historyLimit);
  add(closing.completed, now, jid);
  releaseDependents(store, closing.landing, jid);
  return "complete";
}

/** What is written of an advancing job, and the number of its next entry of history. */
interface Written {
  pairs: Pairs;
  number: number;
}

function advance(
  store: Store,
  closing: Closing,
  { jid, queue, priority, scheduled }: Held,
  { next, delay, depends }: Completion,
  { pairs, number }: Written,
): string {
  const { now } = closing.landing;
  announceAdvanced(store, jid, queue, next!);
  addEntry(pairs, number, now, putEntry(next!));
  add(pairs, "queue", next!);
  const on: string[] = [];
  for (const dependency of depends ?? []) if (canBeAwaited(store, dependency)) on.push(dependency);
  addDependencies(store, now, jid, on);
  if (scheduled !== false) store.unset(jobKey(jid), ["scheduled"]);
  const arrival = {
    jid,
    queue: next!,
    priority: numberOr(store, priority, 0),
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
  data: string | undefined;
}

/** Ends a run badly and for good. */
export function failHeld(store: Store, closing: Closing, held: Held, blame: Blame): void {
  unlock(closing, held);
  failJob(store, closing.landing.now, {
    jid: held.jid,
    queue: held.queue,
    worker: held.worker,
    group: blame.group,
    message: blame.message,
    last: held.last,
    tracked: held.tracked !== false,
    historyLimit: closing.historyLimit,
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
  const retries = numberOr(store, held.retries, DEFAULT_RETRIES);
  const remaining = numberOr(store, held.remaining, retries) - (how.spend === 0 ? 0 : 1);
  countOfDay(store, now, queue, "retries");
  if (remaining < 0) {
    store.set(jobKey(jid), ["remaining", remaining]);
    const group = how.group ?? exhaustedGroup(queue);
    const message = how.message ?? exhaustedMessage(queue);
    failHeld(store, closing, held, { group, message, data: undefined });
    return remaining;
  }
  unlock(closing, held);
  const pairs: Pairs = ["remaining", remaining];
  if (how.group !== undefined && how.message !== undefined) {
    pushFailure(pairs, now, { group: how.group, message: how.message, worker });
  }
  const number = nextEntry(store, held.last);
  addEntry(pairs, number, now, retriedEntry(worker));
  const delay = how.delay ?? backoffOf(store, held, retries - remaining, how.lot ?? 0.5);
  landAgain(store, closing, held, { pairs, number }, delay > 0 ? now + delay : 0);
  return remaining;
}

function landAgain(
  store: Store,
  closing: Closing,
  { jid, queue, priority, scheduled }: Held,
  { pairs, number }: Written,
  dueMs: number,
): void {
  const since = closing.landing.now;
  const own = numberOr(store, priority, 0);
  const arrival = { jid, queue, priority: own, dueMs, depends: false, since, isNew: false };
  if (scheduled !== false) store.unset(jobKey(jid), ["scheduled"]);
  land(store, closing.landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, closing.historyLimit);
}

function backoffOf(store: Store, held: Held, attempt: number, lot: number): number {
  let text = held.backoff;
  if (text === false && store.field(queueKey(held.queue), "own") !== false) {
    text = putSettings(store, held.queue).backoff;
  }
  const backoff = text === false ? undefined : readBackoff(store, text);
  return backoff === undefined ? 0 : backoffMs(backoff, attempt, lot);
}

function unlock(closing: Closing, { jid, queue }: Held): void {
  listOf(closing.unlocked, locksKey(queue)).push(jid);
  closing.jids.push(jid);
}

function noteRun(closing: Closing, queue: string, ms: number): void {
  for (let i = 0; i < closing.queues.length; i++) {
    if (closing.queues[i] === queue) {
      closing.times[i]!.push(ms);
      return;
    }
  }
  closing.queues.push(queue);
  closing.times.push([ms]);
}

/** A job that got through has all its retries again, and no failure. */
function clearAttempt(store: Store, { jid, remaining, group }: Held): void {
  if (remaining !== false) store.unset(jobKey(jid), ["remaining"]);
  if (group !== false) store.unset(jobKey(jid), FAILURE_FIELDS);
}

/** Writes what the batch collected. */
export function finishClosing(store: Store, closing: Closing): void {
  const { landing, completed } = closing;
  unrankAll(store, closing.unlocked);
  store.unrank(workerJobsKey(closing.worker), closing.jids);
  for (let i = 0; i < closing.queues.length; i++) {
    const queue = closing.queues[i]!;
    recordTimes(store, "run", { queue, now: landing.now, times: closing.times[i]! });
  }
  finishLanding(store, landing);
  if (completed.length === 0) return;
  store.rank(completedKey(), completed);
  const keep = { ms: closing.keepMs, count: closing.keepCount };
  pruneCompleted(store, landing.now, keep, PRUNE_SLICE + completed.length);
}
