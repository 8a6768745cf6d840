import { onLegacyEntry } from "./entry.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";

/**
 * A job's history lives in its own record, one field per entry named `1`, `2`, ...: appending is
 * part of the write that changes the state, and no text grows with the age of the job. The job's
 * state tells the number of the newest entry, `last`; a record without it has one entry.
 *
 * An entry is `<milliseconds> TAB <what> TAB <details>`.
 */

/** Old entries that one append clears away when the limit was lowered. */
const CLEARED = 8;

/** The number of the entry that comes after `last`. */
export function nextEntry(store: Store, last: string | undefined): number {
  return last === undefined ? 2 : store.text.value(last) + 1;
}

/** An entry with its time in front. */
export const stamped = (store: Store, now: number, entry: string) =>
  store.text.integer(now) + "\t" + entry;

/** Removes the entries that fall out of the limit when this one is the newest. */
export function trimHistory(store: Store, record: string, number: number, limit: number): void {
  if (limit <= 0 || number <= limit) return;
  const names: string[] = [];
  // The first entry says where the job came from, so it stays; the newest limit - 1 follow it.
  const oldest = number - limit + 1;
  for (let i = oldest; i > oldest - CLEARED && i > 1; i--) names.push(`${i}`);
  store.unset(record, names);
}

export const putEntry = (queue: string) => "put\t" + queue;
export const poppedEntry = (worker: string) => "popped\t" + worker;
export const DONE_ENTRY = "done\t";
export const TIMED_OUT_ENTRY = "timed-out\t";
export const failedEntry = (group: string, worker: string) => "failed\t" + group + "\t" + worker;
export const retriedEntry = (worker: string) => "retried\t" + worker;
export const logEntry = (quotedMessage: string, members: string) =>
  "log\t" + quotedMessage + "\t" + members;

/** The history as a JSON array, oldest first, out of all fields of a job. */
export function historyJson(store: Store, fields: { [name: string]: string }): string {
  const last = fields.last === undefined ? 1 : store.text.value(fields.last);
  const entries: string[] = [];
  if (fields["1"] !== undefined) entries.push(entryJson(store, fields["1"]));
  let first = last;
  while (first > 2 && fields[`${first - 1}`] !== undefined) first -= 1;
  for (let i = first; i <= last; i++) {
    const entry = i === 1 ? undefined : fields[`${i}`];
    if (entry !== undefined) entries.push(entryJson(store, entry));
  }
  return "[" + entries.join(",") + "]";
}

function entryJson(store: Store, entry: string): string {
  const [ms, what, details] = store.text.split(entry, 3);
  const when = store.text.value(ms!);
  const shown = onLegacyEntry() ? `${Math.floor(when / 1000)}` : inSeconds(when);
  const [name, members] = described(store, what!, details!);
  const before = members === "" ? "" : members + ",";
  return "{" + before + '"what":' + name + ',"when":' + shown + "}";
}

/** What happened as a JSON string, and what is said about it as members of a JSON object. */
function described(store: Store, what: string, details: string): [string, string] {
  const { text } = store;
  if (what === "log") {
    const [message, members] = text.split(details, 2);
    return [message!, members!];
  }
  const name = text.quote(what);
  if (what === "put") return [name, '"q":' + text.quote(details)];
  if (what === "popped" || what === "retried") return [name, '"worker":' + text.quote(details)];
  if (what !== "failed") return [name, ""];
  const [group, worker] = text.split(details, 2);
  const told = worker === "" ? "" : ',"worker":' + text.quote(worker!);
  return [name, '"group":' + text.quote(group!) + told];
}
