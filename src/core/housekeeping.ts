import { DEFAULT_RETRIES, type PopSettings, popSettings } from "./config.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceDamaged, announceLockLost, announceTracked } from "./events.ts";
import { CRASHED, crashedMessage, exhaustedGroup, exhaustedMessage, failJob } from "./failures.ts";
import { stamped, TIMED_OUT_ENTRY, trimHistory } from "./history.ts";
import { wakeIfIdle } from "./idling.ts";
import { heldUnder, inState, numberOr, piecesOf, standing, stateIn } from "./job.ts";
import { jobKey, locksKey, queueKey, scheduledKey, workKey } from "./keys.ts";
import { SLICE } from "./limits.ts";
import { rankLock, unrankLock } from "./locks.ts";
import { add } from "./pairs.ts";
import { liftPause, pauseEnd } from "./pausing.ts";
import { nextPlace, placeAt } from "./queue.ts";
import { until } from "./ranges.ts";
import { spawnDue } from "./recurring.ts";
import { countOfDay } from "./statistics.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import { noteDue } from "./waking.ts";

/** The length of a place in front of a jid. */
export const PLACE_LENGTH = 13;

/** Does what time demands of a queue, in slices, and notes when it must be done again. */
export function housekeep(
  store: Store,
  now: number,
  { queue, settings, wanted, pausedUntil }: Housekeeping,
): number {
  const expired = expireLocks(store, now, { queue, settings, wanted, pausedUntil });
  const spawned = spawnDue(store, now, queue, spawnLimit(store, queue, wanted));
  const promoted = promoteDue(store, now, queue, Math.max(SLICE, wanted));
  noteDue(store, queue, pausedUntil);
  return expired + spawned + promoted;
}

interface Housekeeping {
  queue: string;
  settings: PopSettings;
  /** How many jobs the caller wants. */
  wanted: number;
  /** When a pause of the queue ends by itself; undefined when none does. */
  pausedUntil: number | undefined;
}

/** The original put no more children than were wanted, and its clients count them. */
function spawnLimit(store: Store, queue: string, wanted: number): number {
  if (!onLegacyEntry()) return SLICE;
  return Math.max(0, wanted - store.sizeBetween(workKey(queue), -Infinity, -Infinity));
}

/** As `housekeep`, for callers that know nothing of the queue yet; nothing when nothing is due. */
export function housekeepIfDue(store: Store, now: number, queue: string): number {
  const [due, own, end] = store.fields(queueKey(queue), ["due", "own", "pausedUntil"]);
  let pausedUntil = end === false ? undefined : store.text.number(end!);
  if (due === false || store.text.value(due!) > now) {
    // Where the record knows nothing, or another time, the index that led here is wrong.
    noteDue(store, queue, pausedUntil);
    return 0;
  }
  const isOver = pausedUntil !== undefined && pausedUntil <= now;
  if (isOver) {
    liftPause(store, queue);
    pausedUntil = undefined;
  }
  const settings = popSettings(store, queue, own!);
  const moved = housekeep(store, now, { queue, settings, wanted: SLICE, pausedUntil });
  wakeIfIdle(store, now, queue, isOver ? store.size(workKey(queue)) : moved);
  return moved;
}

/** As `noteDue`, for callers that have not read the record. */
export function noteQueueDue(store: Store, queue: string): void {
  noteDue(store, queue, pauseEnd(store, queue));
}

const EXPIRING = ["klass", "state", "grace", "retries", "remaining", "tracked", "cutoff", "unique"];

/** Warns the holders of expired locks, and takes the jobs of those who were warned before. */
function expireLocks(store: Store, now: number, { queue, settings, wanted }: Housekeeping): number {
  const expired = store.betweenScored(locksKey(queue), until(now), 0, Math.max(SLICE, wanted));
  for (let i = 0; i < expired.length; i += 2) {
    const jid = expired[i]!;
    const fields = store.fieldsIfSound(jobKey(jid), EXPIRING);
    const [what, worker, lease, last, time] = piecesOf(store, fields[1] ?? false);
    if (
      fields[0] === false ||
      fields[0] === undefined ||
      what !== "running" ||
      time === undefined
    ) {
      store.unrank(locksKey(queue), [jid]);
      announceDamaged(store, jid, queue);
    } else {
      const expiredAt = store.text.value(expired[i + 1]!);
      const job: Expiring = {
        jid,
        queue,
        worker: worker!,
        lease: lease!,
        last: store.text.value(last!),
        time: store.text.value(time),
        expiredAt,
        grace: fields[2]!,
        retries: fields[3]!,
        remaining: fields[4]!,
        tracked: fields[5]!,
        cutoff: fields[6]!,
        unique: fields[7]!,
      };
      expireLock(store, now, job, settings);
    }
  }
  return expired.length / 2;
}

interface Expiring {
  jid: string;
  queue: string;
  worker: string;
  lease: string;
  last: number;
  time: number;
  expiredAt: number;
  grace: string | Absent;
  retries: string | Absent;
  remaining: string | Absent;
  tracked: string | Absent;
  cutoff: string | Absent;
  unique: string | Absent;
}

function expireLock(store: Store, now: number, job: Expiring, settings: PopSettings): void {
  const { graceMs } = settings;
  const warned = job.grace === job.lease;
  const limit = settings.historyLimit;
  const takes = warned || graceMs <= 0;
  // A run at its cutoff is told now that it is over, and needs time to return what it has.
  if (!warned) warn(store, now, job, { expires: takes ? now : now + graceMs, limit });
  if (!takes) return;
  const cutoffMs = numberOr(store, job.cutoff, settings.cutoffMs);
  takeAway(store, now, job, { limit, isOver: cutoffMs > 0 && now >= job.time + cutoffMs });
}

/** Tells the holder that its lock is lost, and lets it finish within the grace period. */
function warn(
  store: Store,
  now: number,
  job: Expiring,
  { expires, limit }: { expires: number; limit: number },
): void {
  const { jid, queue, worker } = job;
  if (job.tracked !== false) announceTracked(store, "stalled", jid);
  job.last += 1;
  const field = store.text.integer(job.last);
  const state = heldUnder(worker, job.lease) + field + "\t" + store.text.integer(job.time);
  const pairs: Pairs = ["grace", job.lease, "more", "1", "state", state];
  add(pairs, field, stamped(store, now, TIMED_OUT_ENTRY));
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), job.last, limit);
  announceLockLost(store, jid, worker, undefined);
  rankLock(store, queue, worker, store.text.integer(expires), jid);
  countOfDay(store, now, queue, "retries");
}

/** Puts a job whose holder is gone in front of its queue, or fails it when no retry is left. */
function takeAway(
  store: Store,
  now: number,
  job: Expiring,
  { limit, isOver }: { limit: number; isOver: boolean },
): void {
  const { jid, queue, worker } = job;
  unrankLock(store, jid, queue, worker);
  const retries = numberOr(store, job.retries, DEFAULT_RETRIES);
  const remaining = numberOr(store, job.remaining, retries) - 1;
  store.set(jobKey(jid), ["remaining", remaining, "more", "1"]);
  if (remaining >= 0) {
    const last = store.text.integer(job.last);
    const time = store.text.integer(job.time);
    stall(store, { jid, queue, atMs: job.expiredAt, last, time });
    return;
  }
  failJob(store, now, {
    jid,
    queue,
    worker,
    // A job that ran longer than it may has not crashed its worker, and the original knew no crash.
    group: isOver || onLegacyEntry() ? exhaustedGroup(queue) : CRASHED,
    message: isOver || onLegacyEntry() ? exhaustedMessage(queue) : crashedMessage(worker),
    last: job.last,
    tracked: job.tracked !== false,
    historyLimit: limit,
    exhausted: true,
    unique: job.unique,
    first: store.field(jobKey(jid), "firstFailure"),
    data: undefined,
  });
}

interface Stalling {
  jid: string;
  queue: string;
  /** When the lock was lost. */
  atMs: number;
  last: string;
  time: string;
}

/** Puts a job that lost its lock before all waiting ones, the longest lost first. */
export function stall(store: Store, { jid, queue, atMs, last, time }: Stalling): void {
  const place = store.text.order(placeAt(atMs));
  store.set(jobKey(jid), ["state", standing("stalled", last, time), "place", place]);
  store.rank(workKey(queue), [-Infinity, place + jid]);
}

const PROMOTED = ["klass", "state", "priority"];

/** Moves jobs that have become due to their place among the waiting. */
export function promoteDue(store: Store, now: number, queue: string, count: number): number {
  const due = store.betweenScored(scheduledKey(queue), until(now), 0, count);
  if (due.length === 0) return 0;
  const { text } = store;
  const pairs: Pairs = [];
  const members: string[] = [];
  let promoted = store.field(queueKey(queue), "promoted");
  for (let i = 0; i < due.length; i += 2) {
    const member = due[i]!;
    const jid = text.skip(member, PLACE_LENGTH);
    members.push(member);
    const [klass, state, priority] = store.fieldsIfSound(jobKey(jid), PROMOTED);
    if (klass === undefined || klass === false || stateIn(store, state!) !== "scheduled") {
      announceDamaged(store, jid, queue);
    } else {
      promoted = text.order(nextPlace(store, promoted, text.value(due[i + 1]!)));
      store.set(jobKey(jid), ["state", inState(store, state!, "waiting"), "place", promoted]);
      add(pairs, numberOr(store, priority!, 0), promoted + jid);
    }
  }
  store.rank(workKey(queue), pairs);
  store.unrank(scheduledKey(queue), members);
  if (promoted !== false) store.set(queueKey(queue), ["promoted", promoted]);
  return members.length;
}
