import { type Fields, numberIn, readRecord, stateOf } from "./job.ts";
import {
  completedKey,
  dependsKey,
  groupKey,
  jobKey,
  locksKey,
  scheduledKey,
  sourceKey,
  tagKey,
  trackedKey,
  workerJobsKey,
  workKey,
} from "./keys.ts";
import type { Store } from "./store.ts";
import { indexSource, indexTags, tagsOf } from "./tags.ts";

/** Where disagreements are collected, and whether they are to be mended. */
export interface Findings {
  repair: boolean;
  checked: number;
  problems: string[];
}

/** Notes a disagreement about something, and says whether to mend it. */
export function found(store: Store, findings: Findings, about: string, problem: string): boolean {
  const { text } = store;
  findings.problems.push(
    '{"about":' + text.quote(about) + ',"problem":' + text.quote(problem) + "}",
  );
  return findings.repair;
}

/** Checks that a job's record is whole and that every index it belongs to has it. */
export function checkJob(store: Store, findings: Findings, jid: string): void {
  const fields = readRecord(store, jobKey(jid));
  findings.checked += 1;
  if (fields.klass === undefined && fields.tracked !== undefined) {
    if (store.score(trackedKey(), jid) !== false) return;
  }
  if (fields.klass === undefined || fields.queue === undefined || fields.data === undefined) {
    if (found(store, findings, jid, "its record is not a job")) store.remove([jobKey(jid)]);
    return;
  }
  for (const seat of seatsOf(store, jid, fields)) checkSeat(store, findings, jid, seat);
  checkIndexes(store, findings, jid, fields);
}

/** A member that a ranking must have, and its score where the record knows it. */
interface Seat {
  ranking: string;
  member: string;
  score: number | undefined;
}

/** The places in rankings that a job's state demands. */
function seatsOf(store: Store, jid: string, fields: Fields): Seat[] {
  const state = stateOf(fields);
  const queue = fields.queue!;
  const placed = (fields.place ?? "") + jid;
  const expires = numberIn(store, fields.expires, 0);
  if (state === "waiting") {
    return [
      { ranking: workKey(queue), member: placed, score: numberIn(store, fields.priority, 0) },
    ];
  }
  if (state === "stalled") return [{ ranking: workKey(queue), member: placed, score: -Infinity }];
  if (state === "scheduled") {
    const due = numberIn(store, fields.scheduled, 0);
    return [{ ranking: scheduledKey(queue), member: placed, score: due }];
  }
  if (state === "running") {
    return [
      { ranking: locksKey(queue), member: jid, score: expires },
      { ranking: workerJobsKey(fields.worker ?? ""), member: jid, score: expires },
    ];
  }
  if (state === "depends") return [{ ranking: dependsKey(queue), member: jid, score: undefined }];
  if (state === "complete") return [{ ranking: completedKey(), member: jid, score: undefined }];
  return [{ ranking: groupKey(fields.group ?? ""), member: jid, score: undefined }];
}

function checkSeat(store: Store, findings: Findings, jid: string, seat: Seat): void {
  const { ranking, member, score } = seat;
  const actual = store.score(ranking, member);
  if (actual !== false && (score === undefined || actual === score)) return;
  const problem = (actual === false ? "it is missing in " : "its score is wrong in ") + ranking;
  if (found(store, findings, jid, problem)) store.rank(ranking, [score ?? 0, member]);
}

function checkIndexes(store: Store, findings: Findings, jid: string, fields: Fields): void {
  for (const tag of tagsOf(store, fields.tags)) {
    if (store.score(tagKey(tag), jid) === false) {
      if (found(store, findings, jid, "it is missing under tag " + tag)) {
        indexTags(store, 0, jid, [tag]);
      }
    }
  }
  const { source } = fields;
  if (source !== undefined && store.score(sourceKey(source), jid) === false) {
    if (found(store, findings, jid, "it is missing under source " + source)) {
      indexSource(store, 0, jid, source);
    }
  }
  if (fields.tracked !== undefined && store.score(trackedKey(), jid) === false) {
    if (found(store, findings, jid, "it is tracked but not listed")) {
      store.rank(trackedKey(), [0, jid]);
    }
  }
}
