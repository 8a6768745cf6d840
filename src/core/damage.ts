import {
  completedKey,
  configKey,
  cronKey,
  cronsKey,
  cronsNextKey,
  dependenciesKey,
  dependentsKey,
  dependsKey,
  dueKey,
  failuresKey,
  groupKey,
  histogramDaysKey,
  idleKey,
  jobKey,
  locksKey,
  namespaceKey,
  namespacePrefix,
  presenceKey,
  presencesKey,
  queueKey,
  queuesKey,
  recurKey,
  recurringKey,
  releasingKey,
  requestKey,
  requestsKey,
  scheduledKey,
  sourceKey,
  sourcesKey,
  statisticsDaysKey,
  tagKey,
  tagsKey,
  trackedKey,
  uniqueKey,
  uniquesKey,
  workerJobsKey,
  workersKey,
  workKey,
} from "./keys.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/**
 * Keys that hold something else than their name says: a string where a record belongs, or a row of
 * an SQLite file that cannot be read. Nothing here makes them; a person with redis-cli, a restored
 * dump or a disk can.
 */

/** What a key must hold, as `Store.kind` calls it. */
export type Expected = "hash" | "zset" | "string";

const RECORDS = ["j:", "r:", "cron:", "queue:", "request:", "unique:", "presence:"];
const RANKINGS = ["t:", "o:", "f:", "dependencies:", "dependents:"];
const PLAIN_RANKINGS = [
  "completed",
  "tracked",
  "tags",
  "sources",
  "failures",
  "queues",
  "workers",
  "due",
  "releasing",
  "requests",
  "uniques",
  "stats",
  "histograms",
  "crons",
  "crons-next",
  "presences",
];
const OF_QUEUES = ["-work", "-locks", "-scheduled", "-depends", "-recur", "-idle"];

/** What a key of the namespace must hold; undefined if it is none of ours. */
export function expectedAt(store: Store, key: string): Expected | undefined {
  const { text } = store;
  if (key === namespaceKey()) return "hash";
  const rest = text.skip(key, text.bytes(namespacePrefix()));
  if (rest === "config" || startsWithAny(store, rest, RECORDS)) return "hash";
  if (includes(PLAIN_RANKINGS, rest) || startsWithAny(store, rest, RANKINGS)) return "zset";
  if (text.startsWith(rest, "s:noted:")) return "string";
  if (text.startsWith(rest, "s:")) return "hash";
  if (text.startsWith(rest, "w:")) return endsWithAny(store, rest, [":jobs"]) ? "zset" : undefined;
  return text.startsWith(rest, "q:") && endsWithAny(store, rest, OF_QUEUES) ? "zset" : undefined;
}

function startsWithAny(store: Store, text: string, starts: readonly string[]): boolean {
  for (const start of starts) if (store.text.startsWith(text, start)) return true;
  return false;
}

function endsWithAny(store: Store, text: string, ends: readonly string[]): boolean {
  for (const end of ends) if (store.text.withoutEnd(text, end) !== undefined) return true;
  return false;
}

/** What is wrong about a key; empty if it holds what it must, or nothing. */
export function damageOf(store: Store, key: string): string {
  const expected = expectedAt(store, key);
  if (expected === undefined) return "";
  const kind = store.kind(key);
  if (kind === expected || kind === "none" || kind === "") return "";
  if (kind === "unreadable") return "cannot be read";
  if (kind === "incomplete") return "has lost a value";
  if (kind === "miscounted") return "has a wrong count of members";
  return "is a " + typeName(kind) + ", not a " + typeName(expected);
}

const typeName = (kind: string) => (kind === "zset" ? "sorted set" : kind);

/** Keys that a walk looks at in one step, and steps of the search for a damaged key. */
const WALKED = 1000;
const STEPS = 10;
/** Words of a call that are tried as names. */
const TRIED = 100;

/**
 * The refusal of a call that ran into a damaged key. Redis does not name the key in its error, so
 * it is searched for: among the keys that every call may use, those named by the words of the call,
 * and the first 10,000 of the namespace.
 */
export function damaged(store: Store, words: readonly unknown[]): string {
  const key = firstDamaged(store, plainKeys()) ?? named(store, words) ?? walked(store);
  if (key !== undefined) return damagedRefusal(key, damageOf(store, key));
  return UNNAMED;
}

/** The refusal if the key cannot be found. */
export const UNNAMED =
  'DAMAGED_KEY A key of the namespace has the wrong type: "qless check" names it, and "qless check --repair" mends the namespace';

/** The refusal of a call that ran into this key. */
export const damagedRefusal = (key: string, damage: string) =>
  "DAMAGED_KEY Key " + key + " " + damage + ': "qless check --repair" mends the namespace';

const plainKeys = () => [
  namespaceKey(),
  configKey(),
  queuesKey(),
  workersKey(),
  trackedKey(),
  completedKey(),
  dueKey(),
  releasingKey(),
  tagsKey(),
  sourcesKey(),
  failuresKey(),
  statisticsDaysKey(),
  histogramDaysKey(),
  uniquesKey(),
  requestsKey(),
  cronsKey(),
  cronsNextKey(),
  presencesKey(),
];

function firstDamaged(store: Store, keys: readonly string[]): string | undefined {
  for (const key of keys) if (damageOf(store, key) !== "") return key;
  return undefined;
}

/** A damaged key that a word of the call names, or a member of a list among them. */
function named(store: Store, words: readonly unknown[]): string | undefined {
  let tried = 0;
  for (const word of words) {
    const list = typeof word === "string" ? (store.text.list(word) ?? [word]) : [];
    for (const name of list) {
      tried += 1;
      if (tried > TRIED) return undefined;
      const key = firstDamaged(store, keysNamed(name));
      if (key !== undefined) return key;
    }
  }
  return undefined;
}

const keysNamed = (name: string) => [
  jobKey(name),
  recurringKey(name),
  cronKey(name),
  queueKey(name),
  workKey(name),
  locksKey(name),
  scheduledKey(name),
  dependsKey(name),
  recurKey(name),
  idleKey(name),
  workerJobsKey(name),
  presenceKey(name),
  dependenciesKey(name),
  dependentsKey(name),
  tagKey(name),
  sourceKey(name),
  groupKey(name),
  uniqueKey(name),
  requestKey(name),
];

function walked(store: Store): string | undefined {
  let cursor = "0";
  for (let step = 0; step < STEPS; step++) {
    const found = store.keys(namespacePrefix(), cursor, WALKED);
    const key = firstDamaged(store, found.keys);
    if (key !== undefined) return key;
    cursor = found.cursor;
    if (cursor === "0") return undefined;
  }
  return undefined;
}
