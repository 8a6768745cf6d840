import { hasSeen } from "./asking.ts";
import { pruneCompleted, USUALLY_KEPT } from "./completed.ts";
import { doneAs } from "./completing.ts";
import { USUAL } from "./config.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceCompleted } from "./events.ts";
import { completedKey, configKey, jobKey, queueKey, workKey } from "./keys.ts";
import { PRUNE_SLICE } from "./limits.ts";
import { lockAll } from "./locking.ts";
import { given, unrankLock } from "./locks.ts";
import type { Store } from "./store.ts";
import { ASKED, type Asking, takeFrom } from "./taking.ts";
import { MOST_OF_RUNS, noteRun, startNotes, writeNotes } from "./times.ts";

/** One for all calls, which come one at a time: Lua takes longer to make one than to fill it. */
const asking: Asking = { worker: "", most: 2, history: false, closing: undefined };

/**
 * The short way of a worker with one job at a time: ends the job that was handed out last, which is
 * complete, and hands it the next of the same queue. What can be asked is asked once here, and what
 * is known is not asked at all. Undefined, and nothing is written, where anything is out of the
 * ordinary: then each part has to be gone through by itself, as `finish` does, which comes to the
 * same.
 */
export function relay(
  store: Store,
  now: number,
  worker: string,
  queue: string,
  jid: string,
  lease: string,
): string[] | undefined {
  if (lease !== given.lease || worker !== given.worker || queue !== given.queue) return undefined;
  const key = jobKey(jid);
  if (store.field(key, "state") !== given.state || store.exists(configKey())) return undefined;
  const fields = store.fields(queueKey(queue), ASKED);
  if (fields[2] !== false || onLegacyEntry()) return undefined;
  if (!hasSeen(store, now, fields[1]!, worker)) return undefined;
  const due = fields[0]!;
  const wake = due === false ? Infinity : store.text.value(due);
  if (wake <= now) return undefined;
  startNotes(now, MOST_OF_RUNS);
  const at = store.text.integer(now);
  const done = doneAs(store, given.last + 1, at);
  store.set(key, ["state", done.state, done.field, done.entry]);
  noteRun(store, queue, now - given.time);
  announceCompleted(store, jid, queue);
  store.rank(completedKey(), [at, jid]);
  const reply = ["complete"];
  takeNext(store, now, worker, queue, wake, reply);
  unrankLock(store, jid, queue, worker);
  const settled = writeNotes(store);
  if (settled > 0) pruneCompleted(store, now, USUALLY_KEPT, PRUNE_SLICE + settled);
  return reply;
}

function takeNext(
  store: Store,
  now: number,
  worker: string,
  queue: string,
  wake: number,
  reply: string[],
): void {
  const members = store.takeLowest(workKey(queue), 1);
  if (members.length === 0) return;
  asking.worker = worker;
  lockAll(store, now, queue, USUAL, wake, asking, members, reply);
  // A member without a job must keep nobody from working.
  if (reply.length === 1) takeFrom(store, now, queue, asking, reply);
}
