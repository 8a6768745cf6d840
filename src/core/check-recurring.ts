import { type Findings, found, numberIn, unheard, WRONG_TIME } from "./check-findings.ts";
import { isNamed } from "./check-glance.ts";
import { checkQueue } from "./check-queue.ts";
import { type Fields, readRecord } from "./job.ts";
import { jobKey, recurKey, recurringKey } from "./keys.ts";
import { NEVER_MS } from "./recurring.ts";
import type { Store } from "./store.ts";

/** What is left out of a recurring job's record counts as none. */
const COUNTS = ["priority", "retries", "backlog", "count"];

/** Checks that a recurring job's record is whole, and that its queue knows of it. */
export function checkRecurring(store: Store, findings: Findings, jid: string): void {
  findings.checked += 1;
  const key = recurringKey(jid);
  const fields = readRecord(store, key);
  if (!canRecur(store, fields)) {
    if (found(store, findings, jid, "its record is not a recurring job")) store.remove([key]);
    return;
  }
  for (const name of COUNTS) {
    if (numberIn(store, fields[name]) === undefined) {
      if (found(store, findings, jid, "its " + name + " cannot be read"))
        store.set(key, [name, "0"]);
    }
  }
  if (fields.tags === undefined || store.text.list(fields.tags) === undefined) {
    if (found(store, findings, jid, "its tags cannot be read")) store.set(key, ["tags", "[]"]);
  }
  checkPause(store, findings, jid, fields);
  checkPlan(store, findings, jid, fields);
}

/** Whether it is paused, or was when one of the two fields that say so was lost. */
const isPaused = ({ paused, resume }: Fields) => paused !== undefined || resume !== undefined;

/** Checks that a pause is known with its beginning, and with what comes when it ends. */
function checkPause(store: Store, findings: Findings, jid: string, fields: Fields): void {
  if (!isPaused(fields)) return;
  const key = recurringKey(jid);
  if (numberIn(store, fields.paused) === undefined) {
    // Nobody has said that it may go on.
    if (found(store, findings, jid, "its paused cannot be read")) {
      store.set(key, ["paused", store.text.integer(findings.now)]);
    }
  }
  if (numberIn(store, fields.resume) === undefined) {
    if (found(store, findings, jid, "its resume cannot be read")) {
      const next = nextChild(store, findings.now, jid, fields);
      store.set(key, ["resume", store.text.integer(next)]);
    }
  }
}

/** Checks that its queue knows when the next child comes, or that none does. */
function checkPlan(store: Store, findings: Findings, jid: string, fields: Fields): void {
  const ranking = recurKey(fields.queue!);
  const score = store.score(ranking, jid);
  const isNever = score !== false && Math.floor(score * 1000 + 0.5) === NEVER_MS;
  if (score !== false && isNever === isPaused(fields)) return;
  const problem = score === false ? "it is missing in" : WRONG_TIME;
  if (found(store, findings, jid, problem + " " + ranking)) {
    const next = isPaused(fields) ? NEVER_MS : nextChild(store, findings.now, jid, fields);
    store.rank(ranking, [next / 1000, jid]);
    checkQueue(store, unheard(findings.now), fields.queue!);
  }
}

/** Whether there is enough of a recurring job to make children of. */
export function canRecur(store: Store, fields: Fields): boolean {
  if (fields.klass === undefined || fields.data === undefined) return false;
  const interval = numberIn(store, fields.interval);
  return isNamed(store, fields.queue) && interval !== undefined && interval > 0;
}

/** When the next child is due: an interval after the last one, or now where that is not known. */
function nextChild(store: Store, now: number, jid: string, fields: Fields): number {
  const first = store.field(jobKey(jid + "-" + (fields.count ?? "0")), "1");
  if (first === false) return now;
  const at = store.text.number(store.text.divide(first, "\t")[0]!);
  return at === undefined ? now : at + store.text.value(fields.interval!);
}
