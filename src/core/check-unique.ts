import { type Findings, found, isWhole, STRAY, WRONG_TIME } from "./check-findings.ts";
import { glance, isNamed } from "./check-glance.ts";
import { type Fields, stateOf } from "./job.ts";
import { jobKey, uniqueKey, uniquesKey } from "./keys.ts";
import type { Absent, Store } from "./store.ts";
import { includes } from "./tags.ts";
import {
  claimIn,
  claimOf,
  type Event,
  endsAt,
  isTimed,
  letGo,
  rankKey,
  removeKey,
  takeKey,
  UNTIL,
} from "./uniques.ts";

/** Checks that a key is held by a job that knows of it, and, if for a time, that it will be free. */
export function checkUnique(store: Store, findings: Findings, key: string): void {
  findings.checked += 1;
  const [jid, ends] = store.fields(uniqueKey(key), ["jid", "until"]);
  if (!isHeld(store, key, jid!, ends!)) {
    if (found(store, findings, key, "the unique key is held by no job")) removeKey(store, key);
  } else if (isTimed(store, ends as string) && store.score(uniquesKey(), key) === false) {
    if (found(store, findings, key, "it is missing in " + uniquesKey())) {
      rankKey(store, key, ends as string);
    }
  }
}

/** Whether a key is held rightly: one that is held for a time needs no job that says so. */
function isHeld(store: Store, key: string, jid: string | Absent, ends: string | Absent): boolean {
  if (!isNamed(store, jid) || !isNamed(store, key) || !isEnd(store, ends)) return false;
  const field = glance(store, jid) === undefined ? false : store.field(jobKey(jid), "unique");
  if (field === claimOf(ends, key)) return true;
  return isTimed(store, ends) && (field === false || claimIn(store, field)[1] !== key);
}

/** Whether a key can be held until that. */
function isEnd(store: Store, ends: string | Absent | undefined): ends is string {
  if (ends === false || ends === undefined) return false;
  return includes(UNTIL, ends) || (isWhole(store, ends) && store.text.value(ends) >= 0);
}

/** What is wrong about a key among those that are held for a time. */
export function judgeTimed(store: Store, key: string, score: string): string {
  const ends = store.field(uniqueKey(key), "until");
  if (!isEnd(store, ends) || !isTimed(store, ends)) return STRAY;
  return store.text.number(score) === store.text.number(ends) ? "" : WRONG_TIME;
}

/** Ranks a key by the time that its record tells. */
export function mendTimed(store: Store, key: string): void {
  rankKey(store, key, store.field(uniqueKey(key), "until") as string);
}

/** Whether what a job's record says of a unique key can be read. */
export function isClaim(store: Store, field: string): boolean {
  const [ends, key] = claimIn(store, field);
  return isEnd(store, ends) && isNamed(store, key);
}

/** Checks that a job holds the unique key that it says it holds, and no longer than it may. */
export function checkClaim(store: Store, findings: Findings, jid: string, fields: Fields): void {
  const field = fields.unique;
  if (field === undefined) return;
  const [ends, key] = claimIn(store, field);
  const [holder, until] = store.fields(uniqueKey(key), ["jid", "until"]);
  const event = eventOf(fields);
  if (event !== undefined && endsAt(store, field, event)) {
    if (found(store, findings, jid, "it holds its unique key too long: " + key)) {
      letGo(store, jid, field);
      store.unset(jobKey(jid), ["unique"]);
    }
  } else if (holder === false) {
    if (found(store, findings, jid, "it is missing in " + uniqueKey(key))) {
      takeKey(store, { jid, key, ends });
    }
  } else if (holder !== jid || until !== ends) {
    if (found(store, findings, jid, "its unique key is another's: " + key)) {
      store.unset(jobKey(jid), ["unique"]);
    }
  }
}

/** What a job of this state has come to, of what a key may be held until. */
function eventOf(fields: Fields): Event | undefined {
  const state = stateOf(fields);
  if (state === "running") return "start";
  return state === "complete" || state === "failed" ? state : undefined;
}
