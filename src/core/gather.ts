import type { Pairs, Store } from "./store.ts";

/**
 * Lists by key that grow while a batch is worked through and are written once at its end: one
 * ZADD with fifty members costs a fraction of fifty.
 */
export interface Gathered {
  keys: string[];
  /** By key, which begins with the namespace and so is never the name of a prototype's member. */
  lists: { [key: string]: Pairs };
}

export const gathered = (): Gathered => ({ keys: [], lists: {} });

/** The list under the key, made on first use. */
export function listOf(all: Gathered, key: string): Pairs {
  const list = all.lists[key];
  if (list !== undefined) return list;
  const made: Pairs = [];
  all.keys.push(key);
  all.lists[key] = made;
  return made;
}

/** Ranks `score, member, ...` of every key. */
export function rankAll(store: Store, all: Gathered): void {
  for (const key of all.keys) store.rank(key, all.lists[key]!);
}

/** Takes the members out of every key's ranking. */
export function unrankAll(store: Store, all: Gathered): void {
  for (const key of all.keys) store.unrank(key, all.lists[key] as string[]);
}
