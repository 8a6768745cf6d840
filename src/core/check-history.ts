import { type Findings, found, numberIn } from "./check-findings.ts";
import { type Fields, standingOf } from "./job.ts";
import { jobKey } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * Checks that a job's history can be shown and goes on behind its newest entry; returns whether
 * anything was wrong. One bad entry would keep people from reading the whole job.
 */
export function checkHistory(
  store: Store,
  findings: Findings,
  jid: string,
  fields: Fields,
): boolean {
  const key = jobKey(jid);
  const bad: string[] = [];
  let newest = 1;
  const flat = store.all(key);
  for (let i = 0; i < flat.length; i += 2) {
    const number = store.text.number(flat[i]!);
    if (number !== undefined) {
      newest = Math.max(newest, number);
      if (!isEntry(store, flat[i + 1]!)) bad.push(flat[i]!);
    }
  }
  for (const entry of bad) found(store, findings, jid, "its history cannot be read at " + entry);
  if (findings.repair) store.unset(key, bad);
  // The entry that `last` names may be gone, when few are kept, but there is none behind it.
  const last = fields.last === undefined ? 1 : numberIn(store, fields.last);
  if (last !== undefined && last >= newest) return bad.length > 0;
  if (found(store, findings, jid, "its newest entry of history is not the last")) {
    fields.last = store.text.integer(newest);
    store.set(key, ["state", standingOf(fields)]);
  }
  return true;
}

/** Whether an entry is a time, what happened, and what belongs to that. */
function isEntry(store: Store, entry: string): boolean {
  const { text } = store;
  const [ms, what, details] = text.split(entry, 3);
  if (details === undefined || text.number(ms!) === undefined) return false;
  if (what !== "log" && what !== "failed") return true;
  const [first, second] = text.split(details, 2);
  if (second === undefined) return false;
  if (what === "failed") return true;
  return (
    text.list("[" + first! + "]") !== undefined && text.members("{" + second + "}") !== undefined
  );
}
