import { readBackoff } from "./backoff.ts";
import {
  type Findings,
  found,
  isLease,
  isPlace,
  isWhole,
  momentOf,
  numberIn,
} from "./check-findings.ts";
import { isNamed } from "./check-glance.ts";
import { isClaim } from "./check-unique.ts";
import { type Fields, isStanding, piecesOf, setRare, standingOf, stateOf } from "./job.ts";
import { groupKey, jobKey, namespaceKey } from "./keys.ts";
import type { Store } from "./store.ts";

const NUMBERS = ["priority", "retries", "remaining", "cutoff", "time", "last", "failedAt"];
const NAMES = ["source", "group", "worker"];

/** Checks that what a job's record says can be read; returns whether anything could not. */
export function checkValues(
  store: Store,
  findings: Findings,
  jid: string,
  fields: Fields,
): boolean {
  const { tags, place, backoff, lease, scheduled, unique, context, firstFailure } = fields;
  const bad: string[] = [];
  for (const name of NUMBERS) {
    const value = fields[name];
    if (value !== undefined && store.text.number(value) === undefined) bad.push(name);
  }
  for (const name of NAMES) {
    const value = fields[name];
    if (value !== undefined && !isNamed(store, value)) bad.push(name);
  }
  if (lease !== undefined && !isLease(store, lease)) bad.push("lease");
  // Before the epoch there are no places.
  if (scheduled !== undefined && (numberIn(store, scheduled) ?? -1) < 0) bad.push("scheduled");
  if (place !== undefined && !isPlace(store, place)) bad.push("place");
  if (tags !== undefined && store.text.list(tags) === undefined) bad.push("tags");
  if (backoff !== undefined && readBackoff(store, backoff) === undefined) bad.push("backoff");
  if (unique !== undefined && !isClaim(store, unique)) bad.push("unique");
  if (context !== undefined && store.text.members(context) === undefined) bad.push("context");
  if (firstFailure !== undefined && !isFirst(store, firstFailure)) bad.push("firstFailure");
  for (const name of bad) found(store, findings, jid, "its " + name + " cannot be read");
  if (findings.repair) dropValues(store, jid, fields, bad);
  return bad.length > 0;
}

/** Whether a first failure says when it was, whose and of which group. */
function isFirst(store: Store, field: string): boolean {
  const [at, worker, group] = store.text.split(field, 3);
  return isWhole(store, at!) && isNamed(store, worker) && isNamed(store, group);
}

function dropValues(store: Store, jid: string, fields: Fields, names: string[]): void {
  for (const name of names) {
    fields[name] = undefined as never;
    if (isStanding(name)) store.set(jobKey(jid), ["state", standingOf(fields)]);
    else store.unset(jobKey(jid), [name]);
  }
}

/** Checks that a failure can be shown; returns whether anything of it was lost. */
export function checkFailure(
  store: Store,
  findings: Findings,
  jid: string,
  fields: Fields,
): boolean {
  const { group } = fields;
  if (group === undefined) return false;
  let lost = false;
  for (const name of ["message", "failedAt", "failedBy"]) {
    if (fields[name] === undefined) {
      lost = true;
      const at = momentOf(store.score(groupKey(group), jid), findings.now);
      const value = name === "failedAt" ? store.text.integer(at) : "";
      if (found(store, findings, jid, "its " + name + " is lost")) {
        store.set(jobKey(jid), [name, value]);
      }
    }
  }
  return lost;
}

/** Checks that a first failure has its message, and a message its failure. */
export function checkFirst(store: Store, findings: Findings, jid: string, fields: Fields): boolean {
  const { firstFailure, firstMessage } = fields;
  if ((firstFailure === undefined) === (firstMessage === undefined)) return false;
  if (firstMessage === undefined) {
    if (found(store, findings, jid, "its firstMessage is lost")) {
      store.set(jobKey(jid), ["firstMessage", ""]);
    }
  } else if (found(store, findings, jid, "its firstMessage is of no failure")) {
    store.unset(jobKey(jid), ["firstMessage"]);
  }
  return true;
}

/** Checks that the next lease will not be one that a worker may still hold. */
export function checkLease(store: Store, findings: Findings, jid: string, fields: Fields): boolean {
  if (stateOf(fields) !== "running") return false;
  const given = numberIn(store, store.field(namespaceKey(), "lease")) ?? 0;
  if (given >= store.text.value(fields.lease!)) return false;
  if (found(store, findings, jid, "its lease has not been given out yet")) {
    store.set(namespaceKey(), ["lease", fields.lease!]);
  }
  return true;
}

const RARE = [
  "priority",
  "retries",
  "remaining",
  "tags",
  "source",
  "backoff",
  "cutoff",
  "spawned",
  "tracked",
  "awaited",
  "grace",
  "scheduled",
  "group",
  "firstFailure",
  "lent",
  "unique",
  "context",
];

/** Checks that a record which says what few records say has the mark that it does. */
export function checkMore(store: Store, findings: Findings, jid: string, fields: Fields): boolean {
  if (fields.more !== undefined) return false;
  for (const name of RARE) {
    if (fields[name] !== undefined) {
      const problem = "it does not know that it says more than most";
      if (found(store, findings, jid, problem)) setRare(store, jid, []);
      return true;
    }
  }
  return false;
}

/** Checks that a state which tells a queue is right that there is no more to ask for. */
export function checkTold(store: Store, findings: Findings, jid: string, fields: Fields): boolean {
  const [state, , , , , queue] = piecesOf(store, store.field(jobKey(jid), "state"));
  if (queue === undefined) return false;
  const isRight = queue === "" || queue === fields.queue;
  if (isRight && state === "running" && fields.more === undefined) return false;
  if (found(store, findings, jid, "its state tells a queue that it should not")) {
    store.set(jobKey(jid), ["state", standingOf(fields)]);
  }
  return true;
}
