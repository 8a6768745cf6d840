import type { PopSettings } from "./config.ts";
import { locksKey, workKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** How many more jobs may run: a lock counts until it is taken away, expired or not. */
export function roomFor(store: Store, queue: string, count: number, settings: PopSettings): number {
  if (settings.maxConcurrency <= 0) return count;
  const room = settings.maxConcurrency - store.size(locksKey(queue));
  if (room <= 0) return 0;
  return Math.min(room, count);
}

/**
 * Takes the next members out of the work ranking: stalled ones first, then by priority and place.
 */
export function takeMembers(
  store: Store,
  queue: string,
  count: number,
  settings: PopSettings,
): string[] {
  const key = workKey(queue);
  if (count === 0) return [];
  if (!settings.highestFirst) return store.takeLowest(key, count);
  const members = highestFirst(store, key, count);
  store.unrank(key, members);
  return members;
}

/** Highest priority first, and within it still the order of put. */
export function highestFirst(store: Store, key: string, count: number): string[] {
  const members = store.between(key, { min: -Infinity, max: -Infinity }, 0, count);
  let above = Infinity;
  while (members.length < count) {
    const top = store.highestBelow(key, above);
    if (top === false || top === -Infinity) return members;
    for (const member of store.between(key, { min: top, max: top }, 0, count - members.length)) {
      members.push(member);
    }
    above = top;
  }
  return members;
}
