import {
  completedKey,
  currentNamespace,
  dependsKey,
  failuresKey,
  locksKey,
  namespaceKey,
  namespacePrefix,
  queueKey,
  queuesKey,
  recurKey,
  scheduledKey,
  trackedKey,
  workersKey,
  workKey,
} from "./keys.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";

/**
 * Telling our data from that of the original qless-core, whose keys have the same names and another
 * meaning: it would be misread, and thrown away as damaged.
 *
 * The namespace's record is the proof. The original never writes it. Here the first write of a
 * namespace makes it, and nothing but FLUSHDB removes it, so one read is enough. The record belongs
 * to the database, so nothing has to be remembered: the same server may keep the original's data in
 * another database under the same names, and FLUSHDB or SWAPDB may change it at any time.
 *
 * The commands that every job passes through skip that read (`judgesLayout`). What they read anyway
 * shows that the data is ours: a queue's record, or a state that only this core writes. They ask
 * here when it does not.
 */

/** The layout of records and rankings that this core reads and writes. */
export const LAYOUT = 1;

/** Whether the namespace is marked as ours. Refuses one that qless-core has filled. */
export function judgeLayout(store: Store): boolean {
  if (hasMark(store)) return true;
  if (holdsForeign(store)) refuseForeign();
  return false;
}

/** As `judgeLayout`, for a put into a queue that has no record. */
export function judgeNewQueue(store: Store, queue: string): void {
  if (judgeLayout(store) || store.exists(queuesKey())) return;
  if (store.existsAny(rankingsOf(queue))) refuseForeign();
}

/** Marks the namespace as ours, unless it is. To be called with the first write. */
export function markLayout(store: Store): void {
  if (!hasMark(store)) store.set(namespaceKey(), ["layout", LAYOUT]);
}

/** The count of leases is as good a proof as the mark: earlier versions wrote it alone. */
function hasMark(store: Store): boolean {
  // Of a damaged record this is an empty list, and the original has none at all.
  const [layout, lease] = store.fieldsIfSound(namespaceKey(), ["layout", "lease"]);
  return layout !== false || lease !== false;
}

/** The queues that qless-core paused, which is a key of no other program. */
const pausedQueuesKey = () => namespacePrefix() + "paused_queues";

/** Whether a namespace without its record holds data of qless-core: not asked of marked ones. */
function holdsForeign(store: Store): boolean {
  const timed = [workersKey(), completedKey(), trackedKey()];
  if (!store.existsAny([queuesKey(), failuresKey(), pausedQueuesKey(), ...timed])) return false;
  // Each of our queues has a record, from its first put on.
  const queue = store.lowest(queuesKey(), 0, 1)[0];
  if (queue !== undefined) return !store.exists(queueKey(queue));
  if (store.exists(pausedQueuesKey()) || store.kind(failuresKey()) === "other") return true;
  for (const ranking of timed) {
    const score = store.lowestScored(ranking, 0, 1)[1];
    if (score !== undefined && store.text.value(score) < SECONDS_END) return true;
  }
  return false;
}

/** A time below this is in seconds: the original's are, and ours are in milliseconds. */
const SECONDS_END = 100_000_000_000;

function rankingsOf(queue: string): string[] {
  return [workKey(queue), locksKey(queue), scheduledKey(queue), dependsKey(queue), recurKey(queue)];
}

function refuseForeign(): never {
  return refuse(
    "FOREIGN_LAYOUT",
    "Namespace " +
      currentNamespace() +
      " holds data of qless-core, which this version cannot read: use another database or namespace, and let the old workers empty this one",
  );
}
