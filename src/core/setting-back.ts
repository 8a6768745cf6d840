import { popSettings } from "./config.ts";
import { announceDamaged } from "./events.ts";
import { lockUntil } from "./handing.ts";
import { noteQueueDue } from "./housekeeping.ts";
import { callIdle } from "./idling.ts";
import { numberOr, piecesOf } from "./job.ts";
import {
  jobKey,
  locksKey,
  namespaceKey,
  queueKey,
  queuesKey,
  recurKey,
  recurringKey,
} from "./keys.ts";
import { SLICE } from "./limits.ts";
import { rankLock } from "./locks.ts";
import { after } from "./ranges.ts";
import { NEVER_MS } from "./recurring.ts";
import type { Absent, Store } from "./store.ts";

/**
 * What to do when the engine's clock was set back. The ends of locks and the next children of
 * intervals would lie too far ahead: jobs of dead workers would stay locked, and intervals stand
 * still, for as long as the clock was set back. Delays, pauses and ticks of schedules are moments of
 * the engine's clock, and stay.
 *
 * The record of the namespace notes the time of a recent tick in `ticked`. If the clock is before
 * that, all queues are looked at, some in each tick. `back` is the number of those that are done, and
 * `backed` that of the recurring jobs that are done in the next.
 */

/** By how much the clock must be set back to matter, in milliseconds. */
const STEP_MS = 1000;
/** How old the noted time may become, in milliseconds, so that most ticks write nothing. */
const NOTED_MS = 5000;

/** Brings times back if the clock was set back. Returns whether there is more to do at once. */
export function followClock(store: Store, now: number): boolean {
  const fields = store.fields(namespaceKey(), ["ticked", "back", "backed"]);
  const ticked = readable(store, fields[0]!);
  const isBack = now < ticked - STEP_MS;
  if (isBack || now >= ticked + NOTED_MS) {
    store.set(namespaceKey(), ["ticked", store.text.integer(now)]);
  }
  if (!isBack && fields[1] === false) return false;
  const queue = isBack ? 0 : readable(store, fields[1]!);
  return walk(store, now, queue, isBack ? 0 : readable(store, fields[2]!));
}

function readable(store: Store, field: string | Absent): number {
  return field === false ? 0 : (store.text.number(field) ?? 0);
}

/** Looks at up to `SLICE` queues, locks and recurring jobs, and notes how far it has come. */
function walk(store: Store, now: number, from: number, done: number): boolean {
  const { text } = store;
  const queues = store.lowest(queuesKey(), from, SLICE);
  let at = from;
  let room = SLICE;
  let begun = done;
  for (const queue of queues) {
    if (room <= 0) break;
    const locks = bringLocks(store, now, queue, room);
    const recurs = locks < room ? bringRecurs(store, now, queue, begun, room - locks) : NOTHING;
    if (locks + recurs.moved > 0) {
      noteQueueDue(store, queue);
      callIdle(store, now, queue);
    }
    room -= locks + recurs.looked;
    begun = room > 0 ? 0 : begun + recurs.looked - recurs.moved;
    if (room > 0) at += 1;
  }
  const isOver = room > 0 && queues.length < SLICE;
  if (isOver) store.unset(namespaceKey(), ["back", "backed"]);
  else store.set(namespaceKey(), ["back", text.integer(at), "backed", text.integer(begun)]);
  return !isOver;
}

/** No lock ends later than one that begins now. Returns how many have been brought back. */
function bringLocks(store: Store, now: number, queue: string, count: number): number {
  const settings = popSettings(store, queue, store.field(queueKey(queue), "own"));
  const latest = now + Math.max(settings.heartbeatMs, settings.graceMs);
  const late = store.between(locksKey(queue), after(latest), 0, count);
  for (const jid of late) {
    const [state, cutoff] = store.fields(jobKey(jid), ["state", "cutoff"]);
    const [what, worker] = piecesOf(store, state!);
    if (what !== "running" || worker === undefined) {
      store.unrank(locksKey(queue), [jid]);
      announceDamaged(store, jid, queue);
    } else {
      const ends = lockUntil(now, settings, numberOr(store, cutoff!, settings.cutoffMs));
      rankLock(store, queue, worker, store.text.integer(ends), jid);
    }
  }
  return late.length;
}

interface Looked {
  looked: number;
  moved: number;
}

const NOTHING: Looked = { looked: 0, moved: 0 };

/**
 * No interval's next child comes later than an interval from now, in the same rhythm. From the latest
 * on: those that are moved go to the front, so what is left begins at `from` again.
 */
function bringRecurs(
  store: Store,
  now: number,
  queue: string,
  from: number,
  count: number,
): Looked {
  const key = recurKey(queue);
  const latest = store.highestScored(key, from, count);
  let moved = 0;
  for (let i = 0; i < latest.length; i += 2) {
    const jid = latest[i]!;
    const next = Math.floor(store.text.value(latest[i + 1]!) * 1000 + 0.5);
    const [spaced, number] = store.fields(recurringKey(jid), ["interval", "count"]);
    const interval = readable(store, spaced!);
    // One without a child yet was set for a moment.
    const hasBegun = readable(store, number!) > 0;
    if (hasBegun && interval > 0 && next < NEVER_MS && next > now + interval) {
      const over = (next - now) % interval;
      store.rank(key, [(now + (over === 0 ? interval : over)) / 1000, jid]);
      moved += 1;
    }
  }
  return { looked: latest.length / 2, moved };
}
