import { highestFirst } from "./choosing.ts";
import { PLACE_LENGTH } from "./housekeeping.ts";
import { numberOr } from "./job.ts";
import { configKey, jobKey, locksKey, queueKey, scheduledKey, workKey } from "./keys.ts";
import { SLICE } from "./limits.ts";
import { nextPlace } from "./queue.ts";
import { until } from "./ranges.ts";
import type { Store } from "./store.ts";

/**
 * The jobs that are next in a queue, as far as can be told without writing: expired locks first,
 * then the waiting, among which due jobs that nobody has promoted yet stand at their place.
 */
export function nextJids(store: Store, now: number, queue: string, count: number): string[] {
  const jids = store.between(locksKey(queue), until(now), 0, count);
  const order = store.field(configKey(), "priority-order");
  const falling = order === "highest-first";
  const key = workKey(queue);
  const waiting = falling ? highestFirst(store, key, count) : store.lowest(key, 0, count);
  const candidates: Candidate[] = [];
  for (const member of waiting) {
    const priority = store.score(key, member) as number;
    candidates.push({ member, rank: falling && priority !== -Infinity ? -priority : priority });
  }
  for (const due of dueCandidates(store, now, queue, falling)) insert(store, candidates, due);
  for (let i = 0; i < candidates.length && jids.length < count; i++) {
    jids.push(store.text.skip(candidates[i]!.member, PLACE_LENGTH));
  }
  return jids;
}

/** A member of the work ranking, or one as it would be, and what it is sorted by first. */
interface Candidate {
  member: string;
  rank: number;
}

/** Due jobs as the next pop would promote them. */
function dueCandidates(store: Store, now: number, queue: string, falling: boolean): Candidate[] {
  const due = store.betweenScored(scheduledKey(queue), until(now), 0, SLICE);
  let promoted = store.field(queueKey(queue), "promoted");
  const candidates: Candidate[] = [];
  for (let i = 0; i < due.length; i += 2) {
    const jid = store.text.skip(due[i]!, PLACE_LENGTH);
    const priority = numberOr(store, store.fieldIfSound(jobKey(jid), "priority") ?? false, 0);
    promoted = store.text.order(nextPlace(store, promoted, store.text.value(due[i + 1]!)));
    candidates.push({ member: promoted + jid, rank: falling ? -priority : priority });
  }
  return candidates;
}

/** Puts the candidate behind those that come before it or are like it. */
function insert(store: Store, candidates: Candidate[], candidate: Candidate): void {
  candidates.push(candidate);
  for (let i = candidates.length - 1; i > 0; i--) {
    const before = candidates[i - 1]!;
    const { rank, member } = candidate;
    if (before.rank < rank) return;
    if (before.rank === rank && store.text.isUpTo(before.member, member)) return;
    candidates[i - 1] = candidate;
    candidates[i] = before;
  }
}
