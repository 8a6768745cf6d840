import { countedUnder, judgeCount, recount } from "./check-counts.ts";
import { judgeCron, rankCron } from "./check-cron.ts";
import { judgeDependency, judgeDependent, tellDependency } from "./check-dependencies.ts";
import {
  type Findings,
  found,
  isPlace,
  LOST_GROUP,
  LOST_PLACE,
  STRAY,
  UNTOLD,
  WRONG_TIME,
} from "./check-findings.ts";
import { type Glance, glance } from "./check-glance.ts";
import { dayIn, judgeDay, judgeRequest } from "./check-kept.ts";
import { isQueue } from "./check-queue.ts";
import type { Ranking } from "./check-ranking.ts";
import { canRecur } from "./check-recurring.ts";
import { judgeTimed, mendTimed } from "./check-unique.ts";
import { PLACE_LENGTH } from "./housekeeping.ts";
import { readRecord, setRare } from "./job.ts";
import { dependentsKey, jobKey, recurringKey } from "./keys.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/** What is wrong about a member of a ranking; empty when nothing is. */
export function judgeMember(store: Store, ranking: Ranking, member: string, score: string): string {
  const { word, name } = ranking;
  if (word === "queues" || word === "due") return isQueue(store, member) ? "" : STRAY;
  if (word === "uniques") return judgeTimed(store, member, score);
  if (word === "requests") return judgeRequest(store, member);
  if (word === "stats" || word === "histograms") return judgeDay(store, member, score);
  if (word === "crons" || word === "crons-next") return judgeCron(store, word, member, score);
  if (word === "tracked") {
    return store.field(jobKey(member), "tracked") === false ? UNTOLD : "";
  }
  if (word === "dependencies:") return judgeDependency(store, name, member);
  if (word === "dependents:") return judgeDependent(store, name, member);
  if (word === "tags" || word === "sources" || word === "failures") {
    return judgeCount(store, countedUnder(word, member)!, score);
  }
  return belongsIn(store, ranking, member) ? "" : STRAY;
}

/** Mends what is wrong about a member. */
export function mendMember(
  store: Store,
  findings: Findings,
  ranking: Ranking,
  { member, problem }: { member: string; problem: string },
): void {
  const { key, word, name } = ranking;
  if (problem === STRAY) takeOut(store, ranking, member);
  else if (word === "uniques") mendTimed(store, member);
  else if (word === "crons-next") rankCron(store, member);
  else if (problem === WRONG_TIME) store.rank(key, [dayIn(store, member)!, member]);
  else if (word === "tracked") tellTracked(store, member);
  else if (word === "dependencies:") tellDependency(store, findings.now, name, member);
  else recount(store, countedUnder(word, member)!);
}

/** Makes a job know that it is tracked; where there is none, the mark alone is left. */
function tellTracked(store: Store, jid: string): void {
  if (store.field(jobKey(jid), "klass") !== false) setRare(store, jid, ["tracked", "1"]);
  else store.set(jobKey(jid), ["tracked", "1"]);
}

/** Takes a member out, and brings along what follows from it being in. */
function takeOut(store: Store, { key, word, name }: Ranking, member: string): void {
  store.unrank(key, [member]);
  if (word === "dependencies:") store.unrank(dependentsKey(member), [name]);
  const counted = countedUnder(word, name);
  if (counted !== undefined) recount(store, counted);
}

const OF_QUEUES = ["work", "locks", "scheduled", "depends"];
const isPlaced = (word: string) => word === "work" || word === "scheduled";
const jidOf = (store: Store, word: string, member: string) =>
  isPlaced(word) ? store.text.skip(member, PLACE_LENGTH) : member;

/** Whether a ranking of jobs has a member rightly. */
function belongsIn(store: Store, { word, name }: Ranking, member: string): boolean {
  if (word === "recur") {
    const fields = readRecord(store, recurringKey(member));
    return canRecur(store, fields) && fields.queue === name;
  }
  const jid = jidOf(store, word, member);
  const job = glance(store, jid);
  if (job === undefined) return false;
  if (!includes(OF_QUEUES, word)) return isOf(job, word, name);
  if (job.queue !== name || !isSeatOf(job.state, word)) return false;
  if (!isPlaced(word)) return true;
  return job.place === undefined
    ? placeIn(store, member, jid) !== undefined
    : job.place + jid === member;
}

function isSeatOf(state: string, word: string): boolean {
  if (word === "work") return state === "waiting" || state === "stalled";
  return state === (word === "locks" ? "running" : word);
}

/** Whether the job is a worker's, of a tag, of a source, in a group of failures, or complete. */
function isOf(job: Glance, word: string, name: string): boolean {
  if (word === "w:") return job.state === "running" && job.worker === name;
  if (word === "t:") return includes(job.tags, name);
  if (word === "o:") return job.source === name;
  if (word === "f:") return job.state === "failed" && (job.group ?? name) === name;
  return job.state === "complete";
}

/** The place in front of a jid, if there is one. */
function placeIn(store: Store, member: string, jid: string): string | undefined {
  const place = store.text.withoutEnd(member, jid);
  return isPlace(store, place) ? place : undefined;
}

/** Gives a job back what its record has lost and the ranking still knows. */
export function restoreFrom(
  store: Store,
  findings: Findings,
  ranking: Ranking,
  member: string,
): void {
  const { word, name } = ranking;
  if (!isPlaced(word) && word !== "f:") return;
  const jid = jidOf(store, word, member);
  const job = glance(store, jid);
  if (job === undefined || !belongsIn(store, ranking, member)) return;
  if (word === "f:") {
    if (job.group === undefined && found(store, findings, jid, LOST_GROUP)) {
      setRare(store, jid, ["group", name]);
    }
  } else if (job.place === undefined && found(store, findings, jid, LOST_PLACE)) {
    store.set(jobKey(jid), ["place", placeIn(store, member, jid)!]);
  }
}
