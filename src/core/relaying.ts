import { hasSeen } from "./asking.ts";
import { pruneCompleted, USUALLY_KEPT } from "./completed.ts";
import { doneAs } from "./completing.ts";
import { USUAL } from "./config.ts";
import { onLegacyEntry } from "./entry.ts";
import { announceCompleted } from "./events.ts";
import { poppedText } from "./handing.ts";
import { PLACE_LENGTH } from "./housekeeping.ts";
import { completedKey, configKey, jobKey } from "./keys.ts";
import { takeLeases } from "./leases.ts";
import { PRUNE_SLICE } from "./limits.ts";
import { CROWD, lockAll, noteCrowd, TAKEN } from "./locking.ts";
import { given, rememberHeld } from "./locks.ts";
import { placeTime, wakeAt } from "./queue.ts";
import { type Spelled, spell } from "./spelling.ts";
import type { Store } from "./store.ts";
import { ASKED, type Asking, takeFrom } from "./taking.ts";
import { MOST_OF_RUNS, noteRun, noteTurn, startNotes, writeNotes } from "./times.ts";

/** One for all calls, which come one at a time: Lua takes longer to make one than to fill it. */
const asking: Asking = {
  worker: "",
  most: 2,
  history: false,
  closing: undefined,
  hasReleased: false,
};

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
  if (store.fieldIfSound(key, "state") !== given.state || store.exists(configKey()))
    return undefined;
  const spelled = spell(store, now, now + USUAL.heartbeatMs, worker, queue);
  const fields = store.fields(spelled.record, ASKED);
  if (fields[2] !== false || onLegacyEntry()) return undefined;
  if (!hasSeen(store, now, fields[1]!, worker)) return undefined;
  const due = fields[0]!;
  const wake = due === false ? Infinity : store.text.value(due);
  if (wake <= now) return undefined;
  const ran = now - given.time;
  const done = doneAs(store, given.last + 1, spelled.at);
  store.set(key, ["state", done.state, done.field, done.entry]);
  announceCompleted(store, jid, queue);
  store.rank(completedKey(), [spelled.at, jid]);
  const reply = ["complete"];
  const settled = takeNext(store, now, spelled, wake, ran, reply);
  store.unrank(spelled.locks, [jid]);
  store.unrank(spelled.jobs, [jid]);
  if (settled > 0) pruneCompleted(store, now, USUALLY_KEPT, PRUNE_SLICE + settled);
  return reply;
}

/**
 * Hands the worker the next job, if there is one, and notes how long the last ran; tells how many
 * runs were added to the statistics. Most jobs were put once and never taken before.
 */
function takeNext(
  store: Store,
  now: number,
  spelled: Spelled,
  wake: number,
  ran: number,
  reply: string[],
): number {
  const members = store.takeLowest(spelled.work, 1);
  const member = members[0];
  if (member === undefined) return takeOthers(store, now, spelled, wake, ran, members, reply);
  const jid = store.text.skip(member, PLACE_LENGTH);
  const key = jobKey(jid);
  const [klass, data, state, more] = store.fieldsIfSound(key, TAKEN);
  if (klass === false || state !== false || more !== false) {
    return takeOthers(store, now, spelled, wake, ran, members, reply);
  }
  const { queue, expires, within, behind } = spelled;
  const lease = takeLeases(store, now, 1) + 1;
  const under = store.text.integer(lease);
  const held = spelled.start + under + spelled.first;
  store.set(key, ["state", held, "2", spelled.popped]);
  reply.push(poppedText(jid, klass!, within, under, behind, data as string));
  store.rank(spelled.locks, [expires, jid]);
  store.rank(spelled.jobs, [expires, jid]);
  rememberHeld(held, spelled.worker, under, now, queue);
  if (lease % CROWD === 0) noteCrowd(store, spelled);
  if (now + USUAL.heartbeatMs < wake) wakeAt(store, queue, false, now + USUAL.heartbeatMs);
  return noteTurn(store, now, queue, ran, now - placeTime(store, member));
}

/** As `takeNext`, of a job of which there is more to know, or of none. */
function takeOthers(
  store: Store,
  now: number,
  { worker, queue }: Spelled,
  wake: number,
  ran: number,
  members: string[],
  reply: string[],
): number {
  startNotes(now, MOST_OF_RUNS);
  noteRun(store, queue, ran);
  if (members.length > 0) {
    asking.worker = worker;
    asking.hasReleased = false;
    lockAll(store, now, queue, USUAL, wake, asking, members, reply);
    // A member without a job must keep nobody from working.
    if (reply.length === 1) takeFrom(store, now, queue, asking, reply);
  }
  return writeNotes(store);
}
