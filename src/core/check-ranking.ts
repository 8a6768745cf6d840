import { type Findings, found } from "./check-job.ts";
import { PLACE_LENGTH } from "./housekeeping.ts";
import { type Fields, readJob, stateOf } from "./job.ts";
import {
  dependenciesKey,
  dependentsKey,
  groupKey,
  namespacePrefix,
  queueKey,
  requestKey,
  sourceKey,
  tagKey,
} from "./keys.ts";
import { readRecurring } from "./recurring.ts";
import type { Store } from "./store.ts";
import { includes, tagsOf } from "./tags.ts";

/** A ranking, by what its key says: the word it begins with, and the name behind it. */
interface Ranking {
  key: string;
  word: string;
  name: string;
}

const PREFIXES = ["w:", "t:", "o:", "f:", "dependencies:", "dependents:"];
const OF_QUEUES = ["work", "locks", "scheduled", "depends", "recur"];
const PLAIN = ["completed", "tracked", "tags", "sources", "failures", "queues", "due", "requests"];

/** What a key says it is, when it is a ranking that can be checked. */
export function rankingOf(store: Store, key: string): Ranking | undefined {
  const { text } = store;
  const rest = text.skip(key, text.bytes(namespacePrefix()));
  if (text.startsWith(rest, "q:")) {
    for (const word of OF_QUEUES) {
      const queue = text.withoutEnd(text.skip(rest, 2), "-" + word);
      if (queue !== undefined) return { key, word, name: queue };
    }
  }
  for (const prefix of PREFIXES) {
    if (text.startsWith(rest, prefix)) {
      const name = text.skip(rest, text.bytes(prefix));
      const worker = prefix === "w:" ? text.withoutEnd(name, ":jobs") : name;
      return { key, word: prefix, name: worker ?? name };
    }
  }
  return includes(PLAIN, rest) ? { key, word: rest, name: "" } : undefined;
}

/** Checks some members of a ranking against the records; returns how many stay. */
export function checkRanking(
  store: Store,
  findings: Findings,
  ranking: Ranking,
  { offset, count }: { offset: number; count: number },
): { seen: number; kept: number } {
  const scored = store.lowestScored(ranking.key, offset, count);
  let kept = 0;
  for (let i = 0; i < scored.length; i += 2) {
    const member = scored[i]!;
    findings.checked += 1;
    const belongs = belongsIn(store, ranking, member, scored[i + 1]!);
    if (belongs === "") kept += 1;
    else if (found(store, findings, member, belongs + " " + ranking.key)) {
      if (!mendCount(store, ranking, member)) store.unrank(ranking.key, [member]);
      else kept += 1;
    } else kept += 1;
  }
  return { seen: scored.length / 2, kept };
}

/** What is wrong about a member of a ranking; empty when nothing is. */
function belongsIn(store: Store, ranking: Ranking, member: string, score: string): string {
  const { word, name } = ranking;
  if (includes(OF_QUEUES, word)) return inQueue(store, ranking, member) ? "" : STRAY;
  if (word === "tags") return sameCount(store, tagKey(member), score);
  if (word === "sources") return sameCount(store, sourceKey(member), score);
  if (word === "failures") return sameCount(store, groupKey(member), score);
  if (word === "queues") return sameField(store, queueKey(member), "known", score);
  if (word === "due") return sameField(store, queueKey(member), "due", score);
  if (word === "requests") return store.exists(requestKey(member)) ? "" : STRAY;
  if (word === "tracked") return "";
  if (word === "dependencies:") {
    return store.score(dependentsKey(member), name) !== false ? "" : STRAY;
  }
  if (word === "dependents:") {
    return store.score(dependenciesKey(member), name) !== false ? "" : STRAY;
  }
  const fields = readJob(store, member);
  return fields !== undefined && isOf(store, fields, word, name) ? "" : STRAY;
}

const STRAY = "it does not belong in";

function inQueue(store: Store, { word, name }: Ranking, member: string): boolean {
  if (word === "recur") return readRecurring(store, member)?.queue === name;
  const placed = word === "work" || word === "scheduled";
  const jid = placed ? store.text.skip(member, PLACE_LENGTH) : member;
  const fields = readJob(store, jid);
  if (fields === undefined || fields.queue !== name) return false;
  if (placed && fields.place! + jid !== member) return false;
  const state = stateOf(fields);
  if (word === "work") return state === "waiting" || state === "stalled";
  return word === "locks" ? state === "running" : state === word;
}

/** Whether the job is a worker's, of a tag, of a source, in a group of failures, or complete. */
function isOf(store: Store, fields: Fields, word: string, name: string): boolean {
  const state = stateOf(fields);
  if (word === "w:") return state === "running" && fields.worker === name;
  if (word === "t:") return includes(tagsOf(store, fields.tags), name);
  if (word === "o:") return fields.source === name;
  if (word === "f:") return state === "failed" && fields.group === name;
  return state === "complete";
}

function sameCount(store: Store, counted: string, score: string): string {
  return store.size(counted) === store.text.number(score) ? "" : "its count is wrong in";
}

function sameField(store: Store, record: string, field: string, score: string): string {
  const value = store.field(record, field);
  if (value === false) return STRAY;
  return store.text.number(value) === store.text.number(score) ? "" : "its time is wrong in";
}

/** Mends a wrong count or time where the truth is known; returns whether it was one. */
function mendCount(store: Store, { key, word }: Ranking, member: string): boolean {
  if (word === "queues" || word === "due") {
    const value = store.field(queueKey(member), word === "queues" ? "known" : "due");
    if (value !== false) store.rank(key, [store.text.value(value), member]);
    return value !== false;
  }
  const counted =
    word === "tags"
      ? tagKey(member)
      : word === "sources"
        ? sourceKey(member)
        : word === "failures"
          ? groupKey(member)
          : "";
  const size = counted === "" ? 0 : store.size(counted);
  if (size > 0) store.rank(key, [size, member]);
  return size > 0;
}
