import { backoffMs, readBackoff } from "./backoff.ts";
import { type Closing, landingOf, unlock } from "./closing.ts";
import { DEFAULT_RETRIES } from "./config.ts";
import { exhaustedGroup, exhaustedMessage, failJob, pushFailure } from "./failures.ts";
import { retriedEntry, trimHistory } from "./history.ts";
import { numberOr } from "./job.ts";
import { configKey } from "./keys.ts";
import { land } from "./landing.ts";
import {
  BACKOFF,
  FIRST_FAILURE,
  type Held,
  PRIORITY,
  REMAINING,
  RETRIES,
  SCHEDULED,
  TRACKED,
  UNIQUE,
} from "./locks.ts";
import { add } from "./pairs.ts";
import { countOfDay } from "./statistics.ts";
import type { Pairs, Store } from "./store.ts";

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
  failJob(store, closing.now, {
    jid: held.jid,
    queue: held.queue,
    worker: closing.worker,
    group: blame.group,
    message: blame.message,
    last: held.last,
    tracked: held.more[TRACKED] !== false,
    historyLimit: closing.historyLimit,
    exhausted: blame.exhausted,
    unique: held.more[UNIQUE]!,
    first: held.more[FIRST_FAILURE]!,
    data: blame.data,
  });
}

export interface Retrying {
  /** Milliseconds; undefined leaves it to the job's or the queue's backoff. */
  delay?: number | undefined;
  group?: string | undefined;
  message?: string | undefined;
  /** From 0 to 1, for a backoff with jitter. */
  lot?: number | undefined;
  /** Whether the attempt counts; undefined means yes. */
  spend?: number | undefined;
  /** The backoff where neither the job nor its queue has one. */
  backoff?: string | undefined;
}

/** Ends a run to try again; fails the job when no retry is left. Returns how many are. */
export function retryHeld(store: Store, closing: Closing, held: Held, how: Retrying): number {
  const { now, worker } = closing;
  const { key, queue } = held;
  const retries = numberOr(store, held.more[RETRIES]!, DEFAULT_RETRIES);
  const remaining = numberOr(store, held.more[REMAINING]!, retries) - (how.spend === 0 ? 0 : 1);
  countOfDay(store, now, queue, "retries");
  if (remaining < 0) {
    store.set(key, ["remaining", remaining, "more", "1"]);
    const group = how.group ?? exhaustedGroup(queue);
    const message = how.message ?? exhaustedMessage(queue);
    failHeld(store, closing, held, { group, message, exhausted: true, data: undefined });
    return remaining;
  }
  unlock(store, closing, held);
  const pairs: Pairs = ["remaining", remaining, "more", "1"];
  if (how.group !== undefined && how.message !== undefined) {
    const first = held.more[FIRST_FAILURE]!;
    pushFailure(pairs, closing.at, { group: how.group, message: how.message, worker, first });
  }
  const delay = how.delay ?? restOf(store, held, retries - remaining, how);
  landAgain(store, closing, held, pairs, delay > 0 ? now + delay : 0);
  return remaining;
}

function landAgain(
  store: Store,
  closing: Closing,
  { jid, key, queue, more, last: newest }: Held,
  pairs: Pairs,
  dueMs: number,
): void {
  const { at, worker } = closing;
  const last = store.text.integer(newest + 1);
  add(pairs, last, at + "\t" + retriedEntry(worker));
  const priority = numberOr(store, more[PRIORITY]!, 0);
  if (more[SCHEDULED] !== false) store.unset(key, ["scheduled"]);
  const arrival = { jid, queue, priority, dueMs, depends: false, last, since: at };
  land(store, landingOf(closing), arrival, pairs);
  store.set(key, pairs);
  trimHistory(store, key, newest + 1, closing.historyLimit);
}

/** How long the job rests: as it says itself, its queue does, or else whoever tries it again. */
function restOf(store: Store, held: Held, attempt: number, { lot, backoff }: Retrying): number {
  const own = held.more[BACKOFF]!;
  const set = own === false ? store.field(configKey(), held.queue + "-backoff") : own;
  const text = set === false ? backoff : set;
  const said = text === undefined ? undefined : readBackoff(store, text);
  return said === undefined ? 0 : backoffMs(said, attempt, lot ?? 0.5);
}
