import { dueKey, locksKey, queueKey, recurKey, releasingKey, scheduledKey } from "./keys.ts";
import { NEVER_MS } from "./recurring.ts";
import type { Store } from "./store.ts";

/**
 * Notes the earliest time at which the queue needs housekeeping again, if it does. When its pause
 * ends is for the caller to say, who knows mostly that it is not paused. While dependents are left to
 * release, every queue that comes by stays due, so that its next pop goes on with them.
 */
export function noteDue(store: Store, queue: string, pausedUntil: number | undefined): void {
  const left = store.lowestScored(releasingKey(), 0, 1)[1];
  const next = left === undefined ? earliest(store, queue, pausedUntil) : store.text.value(left);
  if (next === undefined) {
    store.unset(queueKey(queue), ["due"]);
    store.unrank(dueKey(), [queue]);
    return;
  }
  store.set(queueKey(queue), ["due", next]);
  store.rank(dueKey(), [next, queue]);
}

/**
 * The earliest time at which a lock expires, a job is due, a child is, or a pause ends, in
 * milliseconds.
 */
export function earliest(
  store: Store,
  queue: string,
  pausedUntil: number | undefined,
): number | undefined {
  let next = pausedUntil;
  for (const [ranking, unit] of [
    [locksKey(queue), 1],
    [scheduledKey(queue), 1],
    [recurKey(queue), 1000],
  ] as const) {
    const score = store.lowestScored(ranking, 0, 1)[1];
    if (score !== undefined) {
      // A damaged score may be -inf, which is no time.
      const at = Math.max(0, Math.floor(store.text.value(score) * unit + 0.5));
      // Where the first of the recurring jobs is paused, all are.
      const isNever = unit === 1000 && at === NEVER_MS;
      if (!isNever && (next === undefined || at < next)) next = at;
    }
  }
  return next;
}
