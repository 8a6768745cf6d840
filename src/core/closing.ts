import { pruneCompleted } from "./completed.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceCompleted, announceJobs } from "./events.ts";
import { numberOr } from "./job.ts";
import { completedKey, configKey, locksKey, workerJobsKey } from "./keys.ts";
import { finishLanding, type Landing, newBatchLanding, newLanding } from "./landing.ts";
import { PRUNE_SLICE } from "./limits.ts";
import { type Held, unrankLock } from "./locks.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";
import { MOST_OF_RUNS, note, runNote, startNotes, writeNotes } from "./times.ts";

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
  batch: Batch | undefined;
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
}

interface Batch {
  /** The queues that jobs leave, the latest first. */
  ended: Ended | undefined;
}

/** What a batch ends in one queue. */
interface Ended {
  queue: string;
  /** The jids of those that are complete. */
  completed: string[];
  /** The jids of all others. */
  jids: string[];
  next: Ended | undefined;
}

const SETTINGS = ["max-job-history", "jobs-history", "jobs-history-count"];

/** One for all calls, which come one at a time: Lua takes longer to make one than to fill it. */
const closing: Closing = {
  worker: "",
  now: 0,
  at: "0",
  landing: undefined,
  batch: undefined,
  leaving: "",
  left: "",
  completed: 0,
  isSet: false,
  historyLimit: 100,
  keepSeconds: undefined,
  keepCount: undefined,
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
  closing.batch = undefined;
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
const looksEachTime = ({ keepSeconds, keepCount }: Closing) =>
  keepSeconds !== undefined || keepCount !== undefined || onLegacyEntry();

function prune(store: Store, closing: Closing, limit: number): void {
  const ms = (closing.keepSeconds ?? 604800) * 1000;
  const count = closing.keepCount ?? 50000;
  pruneCompleted(store, closing.now, { ms, count }, limit);
}

/** Announces a job that is complete and keeps it as such; its lock ends with `letGo`. */
export function unlockCompleted(store: Store, closing: Closing, { jid, queue, time }: Held): void {
  const { batch, now } = closing;
  note(store, queue, runNote(store, now - time));
  closing.completed += 1;
  if (batch !== undefined) {
    endedIn(batch, queue).completed.push(jid);
    return;
  }
  closing.leaving = jid;
  closing.left = queue;
  announceCompleted(store, jid, queue);
  store.rank(completedKey(), [closing.at, jid]);
}

/** Ends the lock of a job that got through and goes on. */
export function unlockAdvanced(store: Store, closing: Closing, held: Held): void {
  note(store, held.queue, runNote(store, closing.now - held.time));
  unlock(store, closing, held);
}

/** Ends the lock. */
export function unlock(store: Store, closing: Closing, { jid, queue }: Held): void {
  if (closing.batch === undefined) unrankLock(store, jid, queue, closing.worker);
  else endedIn(closing.batch, queue).jids.push(jid);
}

/** What the batch ends in this queue so far. */
function endedIn(batch: Batch, queue: string): Ended {
  let ended = batch.ended;
  while (ended !== undefined) {
    if (ended.queue === queue) return ended;
    ended = ended.next;
  }
  batch.ended = { queue, completed: [], jids: [], next: batch.ended };
  return batch.ended;
}

/** Writes what is left to write. */
export function finishClosing(store: Store, closing: Closing): void {
  endRuns(store, closing);
  letGo(store, closing);
  keepRuns(store, closing);
}

/** Writes where the jobs are now. */
export function endRuns(store: Store, closing: Closing): void {
  if (closing.batch !== undefined) finishBatch(store, closing, closing.batch);
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
 * many of these times have come together is enough.
 */
export function keepRuns(store: Store, closing: Closing): void {
  const settled = writeNotes(store);
  const { completed } = closing;
  if (completed === 0) return;
  if (settled > 0 || looksEachTime(closing)) {
    prune(store, closing, PRUNE_SLICE + Math.max(completed, settled));
  }
}

function finishBatch(store: Store, { at, worker }: Closing, { ended: first }: Batch): void {
  const kept: Pairs = [];
  let ended = first;
  while (ended !== undefined) {
    const { queue, completed, jids } = ended;
    if (completed.length > 0) announceJobs(store, "completed", completed, queue);
    for (const jid of completed) add(kept, at, jid);
    for (const jid of jids) completed.push(jid);
    store.unrank(locksKey(queue), completed);
    store.unrank(workerJobsKey(worker), completed);
    ended = ended.next;
  }
  store.rank(completedKey(), kept);
}
