import { queueKey } from "./keys.ts";
import { wakeQueueAt } from "./queue.ts";
import type { Absent, Store } from "./store.ts";

/**
 * A queue that hands out nothing: since when, why, and until when. A pause whose end has passed is
 * none, whether or not anybody has cleared it away; pop and tick do.
 */
export interface Pause {
  /** Milliseconds. */
  since: number;
  reason: string | Absent;
  /** Milliseconds; undefined when somebody has to end it. */
  until: number | undefined;
}

const PAUSE = ["paused", "pausedReason", "pausedUntil"];

/** The pause of a queue; undefined when it is not paused, or no longer. */
export function pauseOf(store: Store, now: number, queue: string): Pause | undefined {
  const [paused, reason, until] = store.fields(queueKey(queue), PAUSE);
  if (paused === false) return undefined;
  const end = until === false ? undefined : store.text.number(until!);
  if (end !== undefined && end <= now) return undefined;
  return { since: store.text.value(paused!), reason: reason!, until: end };
}

/** Pauses a queue as said. A pause that lasts already keeps its beginning, and nothing else. */
export function pauseQueue(
  store: Store,
  now: number,
  queue: string,
  { reason, until }: { reason: string; until: number | undefined },
): void {
  const key = queueKey(queue);
  const { text } = store;
  if (pauseOf(store, now, queue) === undefined) {
    store.set(key, ["paused", text.integer(now), "more", "1"]);
  }
  if (reason === "") store.unset(key, ["pausedReason"]);
  else store.set(key, ["pausedReason", reason]);
  if (until === undefined) store.unset(key, ["pausedUntil"]);
  else {
    store.set(key, ["pausedUntil", text.integer(until)]);
    wakeQueueAt(store, queue, until);
  }
}

/** Ends the pause of a queue. */
export function liftPause(store: Store, queue: string): void {
  store.unset(queueKey(queue), PAUSE);
}

/** Clears a pause away whose end has passed; says whether the queue is paused no longer. */
export function liftIfOver(store: Store, now: number, queue: string): boolean {
  const until = pauseEnd(store, queue);
  if (until === undefined || until > now) return false;
  liftPause(store, queue);
  return true;
}

/** When the pause of a queue ends by itself, in milliseconds; undefined when it does not. */
export function pauseEnd(store: Store, queue: string): number | undefined {
  const until = store.field(queueKey(queue), "pausedUntil");
  return until === false ? undefined : store.text.number(until);
}
