import { isWhole } from "./check-findings.ts";
import { type Ranking, rankingOf } from "./check-ranking.ts";
import { currentNamespace, namespacePrefix } from "./keys.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";
import { tagsJson } from "./tags.ts";

/** The parts of a walk, one after the other; src/core/commands/check.ts says why. */
export type Part = "kinds" | "damaged" | "indexes" | "records" | "days";

/** A ranking that is not walked through yet. */
export interface Open {
  ranking: Ranking;
  offset: number;
}

/** Where a walk is. Outside it is a JSON array: namespace, part, keys or offset, open rankings. */
export interface Cursor {
  part: Part;
  /** The store's cursor through the keys, or among the days the offset, as text. */
  at: string;
  open: Open[];
}

/** The cursor as text. */
export function cursorJson(store: Store, { part, at, open }: Cursor): string {
  const list = [currentNamespace(), part, at];
  for (const { ranking, offset } of open) {
    list.push(store.text.integer(offset));
    list.push(ranking.key);
  }
  return tagsJson(store, list);
}

/** The cursor in a text; refuses one that check has not given, or has given for other data. */
export function readCursor(store: Store, text: string): Cursor {
  if (text === "0") return { part: "kinds", at: "0", open: [] };
  const list = store.text.list(text);
  if (list === undefined || list.length < 3 || list.length % 2 !== 1) return badCursor();
  const [namespace, part, at] = list;
  if (namespace !== currentNamespace()) return badCursor();
  if (part === "days") {
    if (list.length > 3 || !isOffset(store, at!)) return badCursor();
  } else if (!isPart(part) || !isPlaceInKeys(store, at!)) {
    return badCursor();
  }
  if (part !== "indexes" && list.length > 3) return badCursor();
  return { part, at: at!, open: readOpen(store, list) };
}

const isPart = (part: string | undefined): part is Part =>
  part === "kinds" || part === "damaged" || part === "indexes" || part === "records";

function readOpen(store: Store, list: string[]): Open[] {
  const open: Open[] = [];
  for (let i = 3; i < list.length; i += 2) {
    const ranking = rankingOf(store, list[i + 1]!);
    if (ranking === undefined || !isOffset(store, list[i]!)) return badCursor();
    open.push({ ranking, offset: store.text.value(list[i]!) });
  }
  return open;
}

function badCursor(): never {
  return refuse("BAD_ARGUMENT", "The cursor is not one that check has given");
}

export const isOffset = (store: Store, text: string) =>
  isWhole(store, text) && store.text.value(text) >= 0;

/**
 * Whether the store could have given this cursor. One store numbers them and the other names the
 * last key, and would each choke on or be led astray by the other's; the first step of a walk shows
 * which it is.
 */
export function isPlaceInKeys(store: Store, at: string): boolean {
  if (at === "0") return true;
  const { text } = store;
  const named = text.startsWith(at, namespacePrefix());
  if (!named && !isNumeral(store, at)) return false;
  const first = store.keys(namespacePrefix(), "0", 1);
  const nothing = first.cursor === "0" && first.keys.length === 0;
  return nothing || named === text.startsWith(first.cursor, namespacePrefix());
}

/** Digits of a cursor that Redis can read; more do not fit into its 64 bits. */
const DIGITS = 19;

function isNumeral(store: Store, at: string): boolean {
  const { text } = store;
  if (at === "" || text.bytes(at) > DIGITS) return false;
  let rest = at;
  while (rest !== "") {
    if (!startsWithDigit(store, rest)) return false;
    rest = text.skip(rest, 1);
  }
  return true;
}

function startsWithDigit(store: Store, rest: string): boolean {
  for (let digit = 0; digit <= 9; digit++) {
    if (store.text.startsWith(rest, store.text.integer(digit))) return true;
  }
  return false;
}
