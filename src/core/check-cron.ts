import { type Findings, found, momentOf, numberIn, STRAY, WRONG_TIME } from "./check-findings.ts";
import { CRON_DEFAULTS, CRON_OPTIONAL, isCron, isReadable } from "./crons.ts";
import { type Fields, readRecord } from "./job.ts";
import { cronKey, cronsKey, cronsNextKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** What is wrong about a schedule among all, or among those to fire. */
export function judgeCron(store: Store, word: string, jid: string, score: string): string {
  const fields = readRecord(store, cronKey(jid));
  if (!isCron(store, fields)) return STRAY;
  if (word === "crons") return "";
  if (fields.paused !== undefined) return STRAY;
  // A tick that cannot be read is taken from here when the record is checked.
  const next = numberIn(store, fields.next);
  return next === undefined || next === store.text.number(score) ? "" : WRONG_TIME;
}

/** Ranks a schedule by its next tick. */
export function rankCron(store: Store, jid: string): void {
  store.rank(cronsNextKey(), [store.field(cronKey(jid), "next") as string, jid]);
}

/** Checks that a schedule's record is whole, and that it is found when its time comes. */
export function checkCron(store: Store, findings: Findings, jid: string): void {
  findings.checked += 1;
  const key = cronKey(jid);
  const fields = readRecord(store, key);
  if (!isCron(store, fields)) {
    if (found(store, findings, jid, "its record is not a schedule")) store.remove([key]);
    return;
  }
  checkValues(store, findings, jid, fields);
  if (numberIn(store, fields.next) === undefined) {
    if (!found(store, findings, jid, "its next cannot be read")) return;
    const next = momentOf(store.score(cronsNextKey(), jid), findings.now);
    store.set(key, ["next", store.text.integer(next)]);
    if (fields.paused === undefined) rankCron(store, jid);
  }
  if (store.score(cronsKey(), jid) === false) {
    if (found(store, findings, jid, "it is missing in " + cronsKey())) {
      store.rank(cronsKey(), [findings.now, jid]);
    }
  }
  if (fields.paused !== undefined || store.score(cronsNextKey(), jid) !== false) return;
  if (found(store, findings, jid, "it is missing in " + cronsNextKey())) rankCron(store, jid);
}

function checkValues(store: Store, findings: Findings, jid: string, fields: Fields): void {
  const key = cronKey(jid);
  for (const [name, usual] of CRON_DEFAULTS) {
    if (!isReadable(store, name, fields[name] ?? "")) {
      if (tell(store, findings, jid, name)) store.set(key, [name, usual]);
    }
  }
  for (const name of CRON_OPTIONAL) {
    const value = fields[name];
    if (value !== undefined && !isReadable(store, name, value)) {
      if (tell(store, findings, jid, name)) store.unset(key, [name]);
    }
  }
}

const tell = (store: Store, findings: Findings, jid: string, name: string) =>
  found(store, findings, jid, "its " + name + " cannot be read");
