import { jobKey, uniqueKey, uniquesKey } from "./keys.ts";
import { until } from "./ranges.ts";
import type { Store } from "./store.ts";

/**
 * Unique keys. A key has one holder, a job: the key's record says its `jid`, and what the key is
 * held `until`. The job says the same from its side, in the field `unique`, as `<until> TAB <key>`:
 * whatever becomes of the job finds the key that way.
 *
 * `until` is a word, or the end of a time in milliseconds. Keys that are held for a time are
 * ranked by its end, and free from then on, whether or not tick has removed them. They outlive
 * their job when that is complete and no longer kept.
 */

/** What may become of a job that its key is held until. */
export const UNTIL = ["start", "complete", "failed"];

export type Event = "start" | "complete" | "failed";

/** What a job's record says of a key. */
export const claimOf = (ends: string, key: string) => ends + "\t" + key;

/** Until when a job holds a key and which, as its record says; both are there. */
export function claimIn(store: Store, field: string): [ends: string, key: string] {
  const [ends, key] = store.text.split(field, 2);
  return [ends!, key ?? ""];
}

/** Whether a key is held for a time, whatever becomes of the job. */
export const isTimed = (store: Store, ends: string) => store.text.number(ends) !== undefined;

function isOver(store: Store, now: number, ends: string): boolean {
  const end = store.text.number(ends);
  return end !== undefined && end <= now;
}

/** The jid of the job that holds the key; empty when it is free. */
export function holderOf(store: Store, now: number, key: string): string {
  const [jid, ends] = store.fields(uniqueKey(key), ["jid", "until"]);
  if (jid === false || ends === false || isOver(store, now, ends!)) return "";
  return jid!;
}

/** The key that a job holds now, out of what its record says. */
export function keyHeld(store: Store, now: number, field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  const [ends, key] = claimIn(store, field);
  return isOver(store, now, ends) ? undefined : key;
}

/** Gives the job a key that is free or its own; the job's record is the caller's to write. */
export function takeKey(
  store: Store,
  { jid, key, ends }: { jid: string; key: string; ends: string },
): void {
  const record = uniqueKey(key);
  const [holder, before] = store.fields(record, ["jid", "until"]);
  if (holder !== false && holder !== jid && before !== false) {
    forgetKey(store, holder!, claimOf(before!, key));
  }
  store.set(record, ["jid", jid, "until", ends]);
  if (before !== false || isTimed(store, ends)) rankKey(store, key, ends);
}

/** Ranks a key that is held for a time, and no other. */
export function rankKey(store: Store, key: string, ends: string): void {
  if (isTimed(store, ends)) store.rank(uniquesKey(), [ends, key]);
  else store.unrank(uniquesKey(), [key]);
}

/** Makes a job that says this of a key say nothing of any. */
function forgetKey(store: Store, jid: string, claim: string): void {
  if (store.field(jobKey(jid), "unique") === claim) store.unset(jobKey(jid), ["unique"]);
}

/** Frees the key of which the job's record says this; the field is the caller's to remove. */
export function letGo(store: Store, jid: string, field: string): void {
  const [, key] = claimIn(store, field);
  if (store.field(uniqueKey(key), "jid") === jid) removeKey(store, key);
}

/** Frees the key of which the job's record says this, if it is held no longer than until now. */
export function letGoAt(store: Store, jid: string, field: string, event: Event): void {
  if (!endsAt(store, field, event)) return;
  letGo(store, jid, field);
  store.unset(jobKey(jid), ["unique"]);
}

/** Whether that is the end of holding the key: with its completion a job has done all it can. */
export function endsAt(store: Store, field: string, event: Event): boolean {
  const ends = claimIn(store, field)[0];
  return event === "complete" ? !isTimed(store, ends) : ends === event;
}

/** Removes what says that the key is held; the holder still says so. */
export function removeKey(store: Store, key: string): void {
  store.remove([uniqueKey(key)]);
  store.unrank(uniquesKey(), [key]);
}

/** Frees a key by hand; says whether it was held. */
export function freeKey(store: Store, now: number, key: string): boolean {
  const jid = holderOf(store, now, key);
  if (jid === "") return false;
  forgetKey(store, jid, claimOf(store.field(uniqueKey(key), "until") as string, key));
  removeKey(store, key);
  return true;
}

/** Removes up to `count` keys whose time is over; returns how many. */
export function freeOldKeys(store: Store, now: number, count: number): number {
  const old = store.between(uniquesKey(), until(now), 0, count);
  for (const key of old) {
    const [jid, ends] = store.fields(uniqueKey(key), ["jid", "until"]);
    if (ends !== false && !isOver(store, now, ends!)) rankKey(store, key, ends!);
    else {
      if (jid !== false && ends !== false) forgetKey(store, jid!, claimOf(ends!, key));
      removeKey(store, key);
    }
  }
  return old.length;
}
