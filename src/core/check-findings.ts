import { PLACE_LENGTH } from "./housekeeping.ts";
import { MAX_LEASE } from "./leases.ts";
import type { Absent, Store } from "./store.ts";

/** One call of check: when it is, whether it is to mend, and what it has found. */
export interface Findings {
  now: number;
  repair: boolean;
  checked: number;
  problems: string[];
}

/** Findings that nobody will hear of, for bringing something into order on the way. */
export const unheard = (now: number): Findings => ({ now, repair: true, checked: 0, problems: [] });

/** Notes a disagreement about something, and says whether to mend it. */
export function found(store: Store, findings: Findings, about: string, problem: string): boolean {
  const { text } = store;
  findings.problems.push(
    '{"about":' + text.quote(about) + ',"problem":' + text.quote(problem) + "}",
  );
  return findings.repair;
}

// What may be wrong about a member of a ranking; the ranking's key follows.
export const STRAY = "it does not belong in";
export const WRONG_COUNT = "its count is wrong in";
export const WRONG_TIME = "its time is wrong in";
export const UNTOLD = "it does not know that it is in";

export const LOST_PLACE = "its place is lost";
export const LOST_GROUP = "its group is lost";

/** The number in a field, if there is one in it. */
export function numberIn(store: Store, field: string | Absent | undefined): number | undefined {
  if (field === false || field === undefined) return undefined;
  return store.text.number(field);
}

/** Whether a text is a whole number, spelled as the store counts on with. */
export function isWhole(store: Store, text: string): boolean {
  const value = store.text.number(text);
  if (value === undefined || Math.floor(value) !== value) return false;
  return store.text.integer(value) === text;
}

/** Whether a text is a number that may be a lease, or their count. */
export const isLease = (store: Store, text: string) =>
  isWhole(store, text) && store.text.value(text) >= 0 && store.text.value(text) <= MAX_LEASE;

/** Whether a text is a place such as jobs stand at. */
export function isPlace(store: Store, place: string | Absent | undefined): place is string {
  if (place === false || place === undefined) return false;
  const { text } = store;
  if (text.bytes(place) !== PLACE_LENGTH) return false;
  const value = text.orderOf(place) as number | undefined;
  // Of what is no number, Lua says nil and JavaScript NaN.
  return value !== undefined && value >= 0 && text.order(value) === place;
}

/** The score as a moment; `otherwise` when there is none. */
export function momentOf(score: number | Absent, otherwise: number): number {
  if (score === false || score === Infinity || score === -Infinity) return otherwise;
  return Math.floor(score);
}
