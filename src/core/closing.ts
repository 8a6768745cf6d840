import { pruneCompleted, USUALLY_KEPT } from "./completed.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceCompleted, announceJobs } from "./events.ts";
import { numberOr } from "./job.ts";
import { completedKey, configKey, locksKey, workerJobsKey } from "./keys.ts";
import { finishLanding, type Landing, newBatchLanding, newLanding } from "./landing.ts";
import { PRUNE_SLICE } from "./limits.ts";
import { type Held, unrankLock } from "./locks.ts";
import { cut } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";
import { MOST_OF_RUNS, noteRun, startNotes, writeNotes } from "./times.ts";

/**
 * The ends a run may come to, for one job or for a batch of one worker: what a batch does to
 * rankings is collected and written once, in `endRuns`; what one job does, at once, but for its
 * lock: whoever asks for the next job first need not see a ranking go and come again. How long jobs
 * ran is written last, in `keepRuns`.
 */
export interface Closing {
  worker: string;
  now: number;
  /** The time as text. */
  at: string;
  /** Made when a job goes on to a queue. */
  landing: Landing | undefined;
  /** Whether there may be several jobs. */
  isBatch: boolean;
  /** The queues that jobs of a batch leave, the latest first. */
  ended: Ended | undefined;
  /** The one job that is complete and still locked, and its queue; empty when there is none. */
  leaving: string;
  left: string;
  /** How many jobs are complete by this call. */
  completed: number;
  /** Whether anything is configured. */
  isSet: boolean;
  /** How many entries of history a job keeps. */
  historyLimit: number;
  /** How completed jobs are kept, in seconds and by number, where it is not as by default. */
  keepSeconds: number | undefined;
  keepCount: number | undefined;
  /** Whether somebody has set how much is kept, and wants to see it kept. */
  isKept: boolean;
}

/** What a batch ends in one queue. */
export interface Ended {
  queue: string;
  /** How many are complete, and their jids, see `cut`. */
  count: number;
  completed: string[];
  /** The jids of all others. */
  others: string[] | undefined;
  next: Ended | undefined;
}

/** What most batches end: jobs of one queue. One for all calls, as the closing is. */
const only: Ended = { queue: "", count: 0, completed: [], others: undefined, next: undefined };
/** What a batch adds to the completed jobs, see `cut`. */
let kept: Pairs = [];

const SETTINGS = ["max-job-history", "jobs-history", "jobs-history-count"];

/** One for all calls, which come one at a time: Lua takes longer to make one than to fill it. */
const closing: Closing = {
  worker: "",
  now: 0,
  at: "0",
  landing: undefined,
  isBatch: false,
  ended: undefined,
  leaving: "",
  left: "",
  completed: 0,
  isSet: false,
  historyLimit: 100,
  keepSeconds: undefined,
  keepCount: undefined,
  isKept: false,
};

/** The closing of this call; there is one at a time. */
export function newClosing(store: Store, now: number, worker: string): Closing {
  startNotes(now, MOST_OF_RUNS);
  const isSet = store.exists(configKey());
  closing.worker = worker;
  if (now !== closing.now) {
    closing.now = now;
    closing.at = store.text.integer(now);
  }
  closing.landing = undefined;
  closing.isBatch = false;
  closing.ended = undefined;
  closing.leaving = "";
  closing.completed = 0;
  if (isSet || closing.isSet) readSettings(store, isSet);
  return closing;
}

function readSettings(store: Store, isSet: boolean): void {
  closing.isSet = isSet;
  const [history, keepSeconds, keepCount] = store.fields(configKey(), SETTINGS);
  closing.historyLimit = numberOr(store, history!, 100);
  closing.keepSeconds = keepSeconds === false ? undefined : store.text.value(keepSeconds!);
  closing.keepCount = keepCount === false ? undefined : store.text.value(keepCount!);
  closing.isKept = keepSeconds !== false || keepCount !== false;
}

export function newBatchClosing(store: Store, now: number, worker: string): Closing {
  const closing = newClosing(store, now, worker);
  closing.isBatch = true;
  return closing;
}

export function landingOf(closing: Closing): Landing {
  if (closing.landing === undefined) {
    const now = closing.now;
    closing.landing = closing.isBatch ? newBatchLanding(now) : newLanding(now);
  }
  return closing.landing;
}

function prune(store: Store, { now, keepSeconds, keepCount }: Closing, limit: number): void {
  const ms = keepSeconds === undefined ? USUALLY_KEPT.ms : keepSeconds * 1000;
  const count = keepCount ?? USUALLY_KEPT.count;
  pruneCompleted(store, now, { ms, count }, limit);
}

/** Announces a job that is complete and keeps it as such; its lock ends with `letGo`. */
export function unlockCompleted(store: Store, closing: Closing, { jid, queue, time }: Held): void {
  noteRun(store, queue, closing.now - time);
  closing.completed += 1;
  if (closing.isBatch) {
    const ended = endedIn(closing, queue);
    ended.completed[ended.count] = jid;
    ended.count += 1;
    return;
  }
  closing.leaving = jid;
  closing.left = queue;
  announceCompleted(store, jid, queue);
  store.rank(completedKey(), [closing.at, jid]);
}

/** Ends the lock of a job that got through and goes on. */
export function unlockAdvanced(store: Store, closing: Closing, held: Held): void {
  noteRun(store, held.queue, closing.now - held.time);
  unlock(store, closing, held);
}

/** Ends the lock. */
export function unlock(store: Store, closing: Closing, { jid, queue }: Held): void {
  if (!closing.isBatch) {
    unrankLock(store, jid, queue, closing.worker);
    return;
  }
  const ended = endedIn(closing, queue);
  ended.others = ended.others ?? [];
  ended.others.push(jid);
}

/** What the batch ends in this queue so far. */
export function endedIn(closing: Closing, queue: string): Ended {
  let ended = closing.ended;
  while (ended !== undefined) {
    if (ended.queue === queue) return ended;
    ended = ended.next;
  }
  ended =
    closing.ended === undefined
      ? only
      : { queue, count: 0, completed: [], others: undefined, next: closing.ended };
  ended.queue = queue;
  ended.count = 0;
  ended.others = undefined;
  closing.ended = ended;
  return ended;
}

/** Writes what is left to write. */
export function finishClosing(store: Store, closing: Closing): void {
  endRuns(store, closing);
  letGo(store, closing);
  keepRuns(store, closing);
}

/** Writes where the jobs are now. */
export function endRuns(store: Store, closing: Closing): void {
  if (closing.isBatch) finishBatch(store, closing);
  if (closing.landing !== undefined) finishLanding(store, closing.landing);
}

/** Ends the lock of the one job that is complete; to be called before anybody looks at locks. */
export function letGo(store: Store, closing: Closing): void {
  if (closing.leaving === "") return;
  unrankLock(store, closing.leaving, closing.left, closing.worker);
  closing.leaving = "";
}

/**
 * Writes how long jobs ran. With the usual long history, looking at all that is complete whenever
 * many of these times have come together is enough; those who counted on it before want it each time.
 */
export function keepRuns(store: Store, closing: Closing): void {
  const settled = writeNotes(store);
  const { completed } = closing;
  if (completed === 0) return;
  if (settled > 0 || closing.isKept || onLegacyEntry()) {
    prune(store, closing, PRUNE_SLICE + Math.max(completed, settled));
  }
}

function finishBatch(store: Store, { at, worker, ended: latest }: Closing): void {
  let length = 0;
  let ended = latest;
  while (ended !== undefined) {
    const { queue, count } = ended;
    const completed = cut(ended.completed, count);
    ended.completed = completed;
    if (count > 0) announceJobs(store, "completed", completed, queue);
    for (let i = 0; i < count; i++) {
      kept[length] = at;
      kept[length + 1] = completed[i]!;
      length += 2;
    }
    const jids = withOthers(completed, ended.others);
    store.unrank(locksKey(queue), jids);
    store.unrank(workerJobsKey(worker), jids);
    ended = ended.next;
  }
  kept = cut(kept, length);
  store.rank(completedKey(), kept);
}

function withOthers(completed: string[], others: string[] | undefined): string[] {
  if (others === undefined) return completed;
  const all: string[] = [];
  for (const jid of completed) all.push(jid);
  for (const jid of others) all.push(jid);
  return all;
}
