import { historyLimit } from "./config.ts";
import { logEntry, nextEntry, stamped, trimHistory } from "./history.ts";
import { type Fields, standingOf } from "./job.ts";
import { jobKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** A line for a job's history, and the members of a JSON object that go with it. */
export interface Line {
  jid: string;
  message: string;
  members: string;
}

/** Appends a line to the history of a job whose fields are those that `readJob` returned. */
export function appendLine(
  store: Store,
  now: number,
  fields: Fields,
  { jid, message, members }: Line,
): void {
  const key = jobKey(jid);
  const number = nextEntry(store, fields.last);
  const last = store.text.integer(number);
  fields.last = last;
  const entry = stamped(store, now, logEntry(store.text.quote(message), members));
  store.set(key, [last, entry, "state", standingOf(fields)]);
  trimHistory(store, key, number, historyLimit(store));
}
