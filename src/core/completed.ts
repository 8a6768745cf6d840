import { type Fields, isTracked, readJob } from "./job.ts";
import { completedKey, jobKey } from "./keys.ts";
import { until } from "./ranges.ts";
import type { Store } from "./store.ts";
import { tagsOf, unindexSource, unindexTags } from "./tags.ts";

/**
 * Removes a job's record and the indexes it is in whatever its state. A unique key that it holds
 * for a time outlives it.
 */
export function eraseJob(store: Store, jid: string, fields: Fields): void {
  unindexTags(store, jid, tagsOf(store, fields.tags));
  if (fields.source !== undefined) unindexSource(store, jid, fields.source);
  store.remove([jobKey(jid)]);
  // What is left of a tracked job is that it is: should it be put again, its watchers hear of it.
  if (isTracked(fields)) store.set(jobKey(jid), ["tracked", "1"]);
}

export interface Retention {
  /** How long completed jobs are kept, in milliseconds. */
  ms: number;
  /** How many completed jobs are kept. */
  count: number;
}

/** How completed jobs are kept where nobody says otherwise. */
export const USUALLY_KEPT: Retention = { ms: 604800000, count: 50000 };

/** Removes up to `limit` completed jobs that are too old or too many; returns how many. */
export function pruneCompleted(store: Store, now: number, keep: Retention, limit: number): number {
  const key = completedKey();
  const old = store.between(key, until(now - keep.ms), 0, limit);
  erase(store, old);
  const kept = Math.max(keep.count, 0);
  const excess = store.size(key) - kept;
  const room = limit - old.length;
  if (excess <= 0 || room <= 0) return old.length;
  const many = store.lowest(key, 0, Math.min(excess, room));
  erase(store, many);
  return old.length + many.length;
}

/** Most jobs are in no other index, so that their records can go together, unread. */
function erase(store: Store, jids: string[]): void {
  const plain: string[] = [];
  for (const jid of jids) {
    const key = jobKey(jid);
    const [klass, more] = store.fieldsIfSound(key, ERASED);
    const isThere = klass !== undefined && klass !== false;
    if (isThere && more === false) plain.push(key);
    else if (isThere) eraseJob(store, jid, readJob(store, jid)!);
  }
  store.remove(plain);
  store.unrank(completedKey(), jids);
}

const ERASED = ["klass", "more"];
