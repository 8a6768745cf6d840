import { type Findings, found, isPlace, numberIn, WRONG_TIME } from "./check-findings.ts";
import { hasOwnSettings } from "./config.ts";
import {
  dependsKey,
  dueKey,
  locksKey,
  queueKey,
  queuesKey,
  recurKey,
  scheduledKey,
  workKey,
} from "./keys.ts";
import { pauseEnd } from "./pausing.ts";
import { makeKnown } from "./queue.ts";
import type { Store } from "./store.ts";
import { earliest, noteDue } from "./waking.ts";

/** Checks a queue's record, that it is listed, and that housekeeping will come by in time. */
export function checkQueue(store: Store, findings: Findings, queue: string): void {
  findings.checked += 1;
  checkValues(store, findings, queue);
  checkPause(store, findings, queue);
  checkListed(store, findings, queue);
  checkDue(store, findings, queue);
  checkOwn(store, findings, queue);
  checkMore(store, findings, queue);
}

/** The rankings of a queue, in an order that is always the same. */
const rankingsOf = (queue: string) => [
  workKey(queue),
  locksKey(queue),
  scheduledKey(queue),
  dependsKey(queue),
  recurKey(queue),
];

/** Whether anything is left of the queue. */
export function isQueue(store: Store, queue: string): boolean {
  if (store.exists(queueKey(queue))) return true;
  for (const ranking of rankingsOf(queue)) if (store.exists(ranking)) return true;
  return false;
}

/** Whether of all keys of a queue this ranking is the first, so that it is told of once. */
export function standsForQueue(store: Store, queue: string, key: string): boolean {
  if (store.exists(queueKey(queue))) return false;
  for (const ranking of rankingsOf(queue)) if (store.exists(ranking)) return ranking === key;
  return false;
}

const TIMES = ["known", "due", "paused", "pausedUntil"];
const PLACES = ["place", "promoted"];

function checkValues(store: Store, findings: Findings, queue: string): void {
  const key = queueKey(queue);
  const bad: string[] = [];
  for (const name of TIMES) {
    const value = store.field(key, name);
    if (value !== false && store.text.number(value) === undefined) bad.push(name);
  }
  for (const name of PLACES) {
    const value = store.field(key, name);
    if (value !== false && !isPlace(store, value)) bad.push(name);
  }
  const seen = store.field(key, "seen");
  if (seen !== false && store.text.number(store.text.divide(seen, "\t")[0]!) === undefined) {
    bad.push("seen");
  }
  for (const name of bad) {
    if (found(store, findings, queue, "the queue's " + name + " cannot be read")) {
      // Nobody has said that it may go on.
      if (name === "paused") store.set(key, ["paused", findings.now, "more", "1"]);
      else store.unset(key, [name]);
    }
  }
}

/** Checks that a pause of which the reason or the end is known is one: nobody has lifted it. */
function checkPause(store: Store, findings: Findings, queue: string): void {
  const key = queueKey(queue);
  const [paused, reason, until] = store.fields(key, ["paused", "pausedReason", "pausedUntil"]);
  if (paused !== false || (reason === false && until === false)) return;
  if (found(store, findings, queue, "the queue's paused is lost")) {
    store.set(key, ["paused", findings.now, "more", "1"]);
  }
}

function checkListed(store: Store, findings: Findings, queue: string): void {
  const key = queueKey(queue);
  const known = numberIn(store, store.field(key, "known"));
  const listed = store.score(queuesKey(), queue);
  if (known !== undefined) {
    if (listed === known) return;
    const problem =
      listed === false ? "the queue is known but not listed" : WRONG_TIME + " " + queuesKey();
    if (found(store, findings, queue, problem)) store.rank(queuesKey(), [known, queue]);
  } else if (listed !== false) {
    if (found(store, findings, queue, "the queue is listed but not known")) {
      store.set(key, ["known", listed]);
    }
  } else if (!store.exists(key)) {
    // A queue that was forgotten still has a record.
    if (found(store, findings, queue, "the queue has no record")) {
      makeKnown(store, findings.now, queue, false);
    }
  }
}

function checkDue(store: Store, findings: Findings, queue: string): void {
  const noted = numberIn(store, store.field(queueKey(queue), "due"));
  const listed = store.score(dueKey(), queue);
  const pausedUntil = pauseEnd(store, queue);
  const needed = earliest(store, queue, pausedUntil);
  const late = needed !== undefined && (noted === undefined || noted > needed);
  const agreed = noted === undefined ? listed === false : listed === noted;
  if (agreed && !late) return;
  if (found(store, findings, queue, "the queue's housekeeping is not noted")) {
    noteDue(store, queue, pausedUntil);
  }
}

function checkOwn(store: Store, findings: Findings, queue: string): void {
  const key = queueKey(queue);
  const own = store.field(key, "own") !== false;
  const has = hasOwnSettings(store, queue);
  if (own === has) return;
  if (!found(store, findings, queue, "the queue does not know whether it has settings")) return;
  if (has) store.set(key, ["own", "1", "more", "1"]);
  else store.unset(key, ["own"]);
}

/** Checks that a queue of which there is more to know than of most has the mark that there is. */
function checkMore(store: Store, findings: Findings, queue: string): void {
  const key = queueKey(queue);
  const [more, paused, own, place, known] = store.fields(key, [
    "more",
    "paused",
    "own",
    "place",
    "known",
  ]);
  const isForgotten = place !== false && known === false;
  if (more !== false || (paused === false && own === false && !isForgotten)) return;
  const problem = "the queue does not know that it says more than most";
  if (found(store, findings, queue, problem)) store.set(key, ["more", "1"]);
}
