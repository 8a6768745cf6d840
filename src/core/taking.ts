import { admit, hasSeen, see, seenAt } from "./asking.ts";
import { roomFor, takeMembers } from "./choosing.ts";
import { type Closing, letGo } from "./closing.ts";
import { type PopSettings, popSettings, USUAL } from "./config.ts";
import { dayOf, dayOfQueue } from "./days.ts";
import { releaseRest } from "./dependencies.ts";
import { housekeep } from "./housekeeping.ts";
import { tellWhenDue, wakeIfIdle } from "./idling.ts";
import { numberOr } from "./job.ts";
import { configKey, queueKey, workKey } from "./keys.ts";
import { SLICE } from "./limits.ts";
import { lockAll } from "./locking.ts";
import { seeWorker } from "./locks.ts";
import { liftIfOver } from "./pausing.ts";
import type { Absent, Store } from "./store.ts";
import { settleDay } from "./times.ts";

export interface Asking {
  worker: string;
  /** How many texts the reply may have at most, jobs and others. */
  most: number;
  /** Whether each job comes with its history. */
  history: boolean;
  /** What ends in the same call. */
  closing: Closing | undefined;
  /** Whether the call has released dependents that completions had left over. */
  hasReleased: boolean;
}

/** What is asked of a queue by who takes jobs from it. */
export const ASKED = ["due", "seen", "more"];

/** Hands the worker jobs of one queue, each under a lock, and adds what it is to know to `reply`. */
export function takeFrom(
  store: Store,
  now: number,
  queue: string,
  asking: Asking,
  reply: string[],
): void {
  const fields = store.fields(queueKey(queue), ASKED);
  const seen = fields[1]!;
  if (!hasSeen(store, now, seen, asking.worker)) {
    const known = admit(store, queue);
    if (known === undefined) return;
    seeWorker(store, now, asking.worker);
    // Nobody would find a new queue to forget the worker there, so it is noted every time.
    see(store, now, queue, seen, known === "own" ? asking.worker + "\t" : "");
    settleLast(store, now, queue, seen);
  }
  let settings = USUAL;
  let isResumed = false;
  const { closing } = asking;
  const isSet = closing === undefined ? store.exists(configKey()) : closing.isSet;
  if (isSet || fields[2] !== false) {
    const [paused, own] = store.fields(queueKey(queue), ["paused", "own"]);
    if (paused !== false && !liftIfOver(store, now, queue)) return;
    isResumed = paused !== false;
    settings = popSettings(store, queue, own!);
  }
  let count = asking.most - reply.length;
  if (count <= 0) return;
  const due = fields[0]!;
  let wake = due === false ? Infinity : store.text.value(due);
  if (closing !== undefined && (wake <= now || settings.maxConcurrency > 0)) letGo(store, closing);
  const isDue = wake <= now;
  if (isDue) wake = tend(store, now, queue, settings, count, asking);
  if (isResumed) wakeIfIdle(store, now, queue, store.size(workKey(queue)) - count);
  if (settings.maxConcurrency > 0) count = roomFor(store, queue, count, settings);
  let members = takeMembers(store, queue, count, settings);
  if (members.length === 0) return;
  const enough = reply.length + count;
  lockAll(store, now, queue, settings, wake, asking, members, reply);
  // Members without a job must keep nobody from working.
  for (let tries = 0; tries < SLICE && reply.length < enough && count === members.length; tries++) {
    count = enough - reply.length;
    members = takeMembers(store, queue, count, settings);
    lockAll(store, now, queue, settings, wake, asking, members, reply);
  }
  if (isDue && reply.length >= asking.most) passOn(store, now, queue, wake);
}

/**
 * Does what time demands of the queue before jobs are taken from it; returns when it is needed next.
 * A time that has passed means that there is more to do at once.
 */
function tend(
  store: Store,
  now: number,
  queue: string,
  settings: PopSettings,
  wanted: number,
  asking: Asking,
): number {
  const keeping = { queue, settings, wanted, pausedUntil: undefined };
  wakeIfIdle(store, now, queue, housekeep(store, now, keeping) - wanted);
  const wake = numberOr(store, store.field(queueKey(queue), "due"), Infinity);
  // One slice for a call, however many queues it names.
  if (wake <= now && !asking.hasReleased) {
    asking.hasReleased = true;
    releaseRest(store, now);
  }
  return wake;
}

/**
 * Tells a worker that waits there when the queue is due next: the caller has found out, and may have
 * its hands full by then.
 */
function passOn(store: Store, now: number, queue: string, wake: number): void {
  if (wake === Infinity) return;
  const idle = store.field(queueKey(queue), "idle");
  if (idle !== false && store.text.value(idle) > now) tellWhenDue(store, now, queue, wake);
}

/** Adds what is noted of the day on which somebody last asked to its statistics, if it is over. */
function settleLast(store: Store, now: number, queue: string, seen: string | Absent): void {
  const asked = seenAt(store, seen);
  if (asked === undefined || dayOf(asked) >= dayOf(now)) return;
  settleDay(store, dayOfQueue(store, asked, queue));
}

/** As `takeFrom`, from several queues in their order until there are enough. */
export function takeFromAll(
  store: Store,
  now: number,
  queues: readonly string[],
  asking: Asking,
  reply: string[],
): void {
  const count = queues.length;
  for (let i = 0; i < count; i++) {
    if (reply.length >= asking.most && asking.most > 0) return;
    takeFrom(store, now, queues[i]!, asking, reply);
  }
}
