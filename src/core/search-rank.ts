import type { Store } from "./store.ts";

/**
 * Where a walk through a ranking goes on. A spot is a member with its score, for offsets shift when
 * jobs come and go. While the member is there, what is behind it is certain. Where it is gone, all
 * members of its score may come again; but those with a place are in the order of their places, so
 * that the spot is found among them by halving. What a rank is, Redis knows; SQLite counts.
 */
export interface Spot {
  score: number;
  member: string;
}

/** How many members come before those behind the spot, counted from where the walk begins. */
export function placedBehind(store: Store, key: string, spot: Spot, rising: boolean): number {
  const { score, member } = spot;
  const position = store.position(key, member);
  if (position !== false && store.score(key, member) === score) {
    return rising ? position + 1 : store.size(key) - position;
  }
  return rising ? countBelow(store, key, score) : countAbove(store, key, score);
}

/** As `placedBehind`, for a ranking whose members begin with their place. */
export function placedBehindPlace(store: Store, key: string, spot: Spot, rising: boolean): number {
  const { score, member } = spot;
  if (store.score(key, member) === score) return placedBehind(store, key, spot, rising);
  const place = placeOf(store, member);
  // Of those at the very same place, which are seldom several, none is left out.
  let low = countBelow(store, key, score);
  let high = store.size(key) - countAbove(store, key, score);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const there = placeOf(store, store.lowest(key, middle, 1)[0]!);
    if (there < place || (!rising && there === place)) low = middle + 1;
    else high = middle;
  }
  return rising ? low : store.size(key) - low;
}

/** The place in front of a member; of one that is damaged, Lua says nil and JavaScript NaN. */
export function placeOf(store: Store, member: string): number {
  const place = store.text.orderOf(member) as number | undefined;
  return place !== undefined && place >= 0 ? place : 0;
}

/** How many members have a lower score. */
export function countBelow(store: Store, key: string, score: number): number {
  if (score === -Infinity) return 0;
  return store.sizeBetween(key, -Infinity, score) - store.sizeBetween(key, score, score);
}

/** How many members have a higher score. */
export function countAbove(store: Store, key: string, score: number): number {
  if (score === Infinity) return 0;
  return store.size(key) - store.sizeBetween(key, -Infinity, score);
}
