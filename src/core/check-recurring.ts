import { type Findings, found, numberIn, unheard } from "./check-findings.ts";
import { isNamed } from "./check-glance.ts";
import { checkQueue } from "./check-queue.ts";
import { type Fields, readRecord } from "./job.ts";
import { jobKey, recurKey, recurringKey } from "./keys.ts";
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
  const ranking = recurKey(fields.queue!);
  if (store.score(ranking, jid) !== false) return;
  if (found(store, findings, jid, "it is missing in " + ranking)) {
    store.rank(ranking, [nextChild(store, findings.now, jid, fields) / 1000, jid]);
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
