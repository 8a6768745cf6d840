import { countedUnder, recount } from "./check-counts.ts";
import { type Findings, found, unheard } from "./check-findings.ts";
import { isNamed } from "./check-glance.ts";
import { checkHistory } from "./check-history.ts";
import { checkQueue } from "./check-queue.ts";
import {
  checkFailure,
  checkFirst,
  checkLease,
  checkMore,
  checkTold,
  checkValues,
} from "./check-record.ts";
import { checkState } from "./check-state.ts";
import { checkClaim } from "./check-unique.ts";
import { popSettings } from "./config.ts";
import { type Fields, numberIn, readJobRecord, stateOf, timeOf } from "./job.ts";
import {
  completedKey,
  dependsKey,
  groupKey,
  jobKey,
  locksKey,
  queueKey,
  scheduledKey,
  sourceKey,
  tagKey,
  trackedKey,
  workerJobsKey,
  workKey,
} from "./keys.ts";
import type { Store } from "./store.ts";
import { tagsOf } from "./tags.ts";

/** What is looked at in a record, in this order; each says whether it found anything wrong. */
const INSPECTIONS = [
  checkValues,
  checkHistory,
  checkState,
  checkFailure,
  checkFirst,
  checkLease,
  checkMore,
  checkTold,
];

/** Checks that a job's record is whole and that every index it belongs to has it. */
export function checkJob(store: Store, findings: Findings, jid: string): void {
  findings.checked += 1;
  let fields = readJobRecord(store, jid);
  if (fields.tracked !== undefined) checkTracked(store, findings, jid);
  if (isMark(fields)) return;
  if (fields.klass === undefined || fields.data === undefined || !isNamed(store, fields.queue)) {
    if (found(store, findings, jid, "its record is not a job")) removeRecord(store, jid, fields);
    return;
  }
  for (const inspect of INSPECTIONS) {
    if (inspect(store, findings, jid, fields)) {
      // What the record demands is not known as long as it is not whole.
      if (!findings.repair) return;
      fields = readJobRecord(store, jid);
    }
  }
  for (const seat of seatsOf(store, jid, fields)) {
    checkSeat(store, findings, { jid, fields, seat });
  }
  checkIndexes(store, findings, jid, fields);
}

/** Whether it is what is left of a tracked job. */
function isMark({ klass, data, queue, tracked }: Fields): boolean {
  return tracked !== undefined && klass === undefined && data === undefined && queue === undefined;
}

function checkTracked(store: Store, findings: Findings, jid: string): void {
  if (store.score(trackedKey(), jid) !== false) return;
  if (found(store, findings, jid, "it is tracked but not listed")) {
    store.rank(trackedKey(), [findings.now, jid]);
  }
}

/** Removes what is no job; the rankings, which are checked first, have let go of it already. */
function removeRecord(store: Store, jid: string, { tracked }: Fields): void {
  store.remove([jobKey(jid)]);
  if (tracked !== undefined) store.set(jobKey(jid), ["tracked", "1"]);
}

/** A member that a ranking must have, and its score; a failed job may have a higher one. */
interface Seat {
  ranking: string;
  member: string;
  score: number;
}

/** The places in rankings that a job's state demands. */
function seatsOf(store: Store, jid: string, fields: Fields): Seat[] {
  const state = stateOf(fields);
  const queue = fields.queue!;
  const placed = fields.place + jid;
  const at = (name: string) => numberIn(store, fields[name], 0);
  if (state === "waiting") {
    return [{ ranking: workKey(queue), member: placed, score: at("priority") }];
  }
  if (state === "stalled") return [{ ranking: workKey(queue), member: placed, score: -Infinity }];
  if (state === "scheduled") {
    return [{ ranking: scheduledKey(queue), member: placed, score: at("scheduled") }];
  }
  if (state === "running") {
    const score = expiryOf(store, jid, fields);
    return [
      { ranking: locksKey(queue), member: jid, score },
      { ranking: workerJobsKey(fields.worker!), member: jid, score },
    ];
  }
  if (state === "depends") return [{ ranking: dependsKey(queue), member: jid, score: at("time") }];
  if (state === "complete") return [{ ranking: completedKey(), member: jid, score: at("time") }];
  return [{ ranking: groupKey(fields.group!), member: jid, score: at("failedAt") }];
}

/**
 * When the lock of a running job expires is known to two rankings alone. Where they do not agree,
 * the earlier time does no harm; where neither knows, it is as if the lock had never been renewed.
 */
function expiryOf(store: Store, jid: string, fields: Fields): number {
  const queue = fields.queue!;
  const one = store.score(locksKey(queue), jid);
  const other = store.score(workerJobsKey(fields.worker!), jid);
  if (one !== false && other !== false) return Math.min(one, other);
  if (one !== false) return one;
  if (other !== false) return other;
  const { heartbeatMs } = popSettings(store, queue, store.field(queueKey(queue), "own"));
  return timeOf(store, fields) + heartbeatMs;
}

function checkSeat(
  store: Store,
  findings: Findings,
  { jid, fields, seat }: { jid: string; fields: Fields; seat: Seat },
): void {
  const { ranking, member, score } = seat;
  const actual = store.score(ranking, member);
  // Among those that failed at one time, the later ones stand a little behind it.
  if (actual === score || (stateOf(fields) === "failed" && actual !== false && actual > score))
    return;
  const problem = (actual === false ? "it is missing in " : "its score is wrong in ") + ranking;
  if (!found(store, findings, jid, problem)) return;
  store.rank(ranking, [store.text.score(score), member]);
  const state = stateOf(fields);
  if (state === "failed") recount(store, countedUnder("f:", fields.group!)!);
  else if (state !== "complete") checkQueue(store, unheard(findings.now), fields.queue!);
}

function checkIndexes(store: Store, findings: Findings, jid: string, fields: Fields): void {
  for (const tag of tagsOf(store, fields.tags)) {
    const missing = store.score(tagKey(tag), jid) === false;
    if (missing && found(store, findings, jid, "it is missing under tag " + tag)) {
      store.rank(tagKey(tag), [timeOf(store, fields), jid]);
      recount(store, countedUnder("t:", tag)!);
    }
  }
  checkClaim(store, findings, jid, fields);
  const { source } = fields;
  if (source === undefined || store.score(sourceKey(source), jid) !== false) return;
  if (found(store, findings, jid, "it is missing under source " + source)) {
    store.rank(sourceKey(source), [timeOf(store, fields), jid]);
    recount(store, countedUnder("o:", source)!);
  }
}
