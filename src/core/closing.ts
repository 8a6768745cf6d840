import { pruneCompleted } from "./completed.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceJobs } from "./events.ts";
import { numberOr } from "./job.ts";
import { completedKey, configKey, locksKey, queueKey, workerJobsKey } from "./keys.ts";
import { finishLanding, type Landing, newBatchLanding, newLanding } from "./landing.ts";
import { PRUNE_SLICE } from "./limits.ts";
import { type Held, unrankLock } from "./locks.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";
import { noteTimes } from "./times.ts";

/**
 * The ends a run may come to, for one job or for a batch of one worker: what a batch does to
 * rankings and statistics is collected and written once, in `finishClosing`; what one job does, at
 * once.
 */
export interface Closing {
  worker: string;
  now: number;
  /** The time as text. */
  at: string;
  /** Made when a job goes on to a queue. */
  landing?: Landing;
  batch?: Batch;
  /** Whether anything is configured. */
  isSet: boolean;
  /** How many entries of history a job keeps. */
  historyLimit: number;
  /** How completed jobs are kept, in seconds and by number, where it is not as by default. */
  keepSeconds?: number;
  keepCount?: number;
}

interface Batch {
  /** The queues that jobs leave, the latest first. */
  ended: Ended | undefined;
}

/** What a batch ends in one queue. */
interface Ended {
  queue: string;
  jids: string[];
  /** How long those ran that ended well. */
  times: number[];
  /** The jids of those that are complete. */
  completed: string[];
  next: Ended | undefined;
}

const SETTINGS = ["max-job-history", "jobs-history", "jobs-history-count"];

export function newClosing(store: Store, now: number, worker: string): Closing {
  const isSet = store.exists(configKey());
  const closing: Closing = { worker, now, at: store.text.integer(now), isSet, historyLimit: 100 };
  if (!isSet) return closing;
  const [history, keepSeconds, keepCount] = store.fields(configKey(), SETTINGS);
  closing.historyLimit = numberOr(store, history!, 100);
  if (keepSeconds !== false) closing.keepSeconds = store.text.value(keepSeconds!);
  if (keepCount !== false) closing.keepCount = store.text.value(keepCount!);
  return closing;
}

export function newBatchClosing(store: Store, now: number, worker: string): Closing {
  const closing = newClosing(store, now, worker);
  closing.batch = { ended: undefined };
  return closing;
}

export function landingOf(closing: Closing): Landing {
  if (closing.landing === undefined) {
    const now = closing.now;
    closing.landing = closing.batch === undefined ? newLanding(now) : newBatchLanding(now);
  }
  return closing.landing;
}

/** Who has set how much is kept, or counted on it before, wants to see it kept. */
export const looksEachTime = ({ keepSeconds, keepCount }: Closing) =>
  keepSeconds !== undefined || keepCount !== undefined || onLegacyEntry();

export function prune(store: Store, closing: Closing, limit: number): void {
  const ms = (closing.keepSeconds ?? 604800) * 1000;
  const count = closing.keepCount ?? 50000;
  pruneCompleted(store, closing.now, { ms, count }, limit);
}

/**
 * Ends the lock and notes how long the job ran; tells whether it is time to look at what is kept.
 */
export function unlockRun(store: Store, closing: Closing, { jid, queue, time }: Held): boolean {
  const ran = closing.now - time;
  if (closing.batch !== undefined) {
    const ended = endedIn(closing.batch, queue);
    ended.jids.push(jid);
    ended.times.push(ran);
    return false;
  }
  unrankLock(store, jid, queue, closing.worker);
  const noted = store.field(queueKey(queue), "runs");
  return noteTimes(store, closing.now, "run", queue, noted, [ran]);
}

/** What the batch ends in this queue so far. */
export function endedIn(batch: Batch, queue: string): Ended {
  let ended = batch.ended;
  while (ended !== undefined) {
    if (ended.queue === queue) return ended;
    ended = ended.next;
  }
  batch.ended = { queue, jids: [], times: [], completed: [], next: batch.ended };
  return batch.ended;
}

export function unlock(store: Store, closing: Closing, { jid, queue }: Held): void {
  if (closing.batch === undefined) unrankLock(store, jid, queue, closing.worker);
  else endedIn(closing.batch, queue).jids.push(jid);
}

/** Writes what is left to write. */
export function finishClosing(store: Store, closing: Closing): void {
  if (closing.batch !== undefined) finishBatch(store, closing, closing.batch);
  if (closing.landing !== undefined) finishLanding(store, closing.landing);
}

function finishBatch(store: Store, closing: Closing, { ended: first }: Batch): void {
  const { now, at, worker } = closing;
  const kept: Pairs = [];
  let ended = first;
  let often = false;
  while (ended !== undefined) {
    const { queue, jids, times, completed } = ended;
    store.unrank(locksKey(queue), jids);
    store.unrank(workerJobsKey(worker), jids);
    if (times.length > 0) {
      const noted = store.field(queueKey(queue), "runs");
      if (noteTimes(store, now, "run", queue, noted, times)) often = true;
    }
    if (completed.length > 0) announceJobs(store, "completed", completed, queue);
    for (const jid of completed) add(kept, at, jid);
    ended = ended.next;
  }
  if (kept.length === 0) return;
  store.rank(completedKey(), kept);
  if (often || looksEachTime(closing)) prune(store, closing, PRUNE_SLICE + kept.length);
}
