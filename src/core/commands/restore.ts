import { isStrip, keyOf, NAMESPACE, type Shape, STRIP_FIELD, shapeOf } from "../carrying.ts";
import { command } from "../command.ts";
import { LAYOUT } from "../layout.ts";
import { MAX_BATCH } from "../limits.ts";
import { readCount } from "../numbers.ts";
import { refuse } from "../refuse.ts";
import { shown } from "../shown.ts";
import type { Pairs, Store } from "../store.ts";

/** Something to be written as it is. */
interface Entry {
  name: string;
  shape: Shape;
  pairs: Pairs;
}

/**
 * Writes what dump has told, as it is: a record in place of the one there, members of a ranking
 * beside those there. Nobody else should use the namespace meanwhile, and check should look at it
 * afterwards, since single entries are not judged by what they say.
 */
export const restore = command({
  says: "Restore",
  takes: [["entries", "rest"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, _now, [words]) {
    const entries = readEntries(store, words);
    for (const { name, shape, pairs } of entries) {
      const key = keyOf(name);
      if (shape === "ranking") store.rank(key, pairs);
      else {
        store.remove([key]);
        if (isStrip(store, name)) store.append(key, pairs[1] as string);
        else store.set(key, pairs);
      }
    }
    return entries.length;
  },
});

/** Each entry is `key shape n` and then n words: `name value ...` or `member score ...`. */
function readEntries(store: Store, words: string[]): Entry[] {
  const entries: Entry[] = [];
  let at = 1;
  while (at < words.length) {
    if (entries.length >= MAX_BATCH) refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} entries`);
    const name = words[at]!;
    const shape = shapeOf(store, name);
    if (shape === undefined || shape !== words[at + 1]) {
      refuse(
        "BAD_ARGUMENT",
        "No " + shown(store, words[at + 1] ?? "") + " is kept as " + shown(store, name),
      );
    }
    const count = readWords(store, words, at + 2);
    const pairs = readPairs(store, words, at + 3, count, shape!);
    if (isStrip(store, name)) checkStrip(pairs);
    entries.push({ name, shape: shape!, pairs });
    if (name === NAMESPACE) checkLayout(store, words, at + 3, count);
    at += 3 + count;
  }
  return entries;
}

/** How many words an entry has; an even number, and all of them there. */
function readWords(store: Store, words: string[], at: number): number {
  const count = readCount(store, "words", words[at], 0);
  if (words[at] === undefined || count % 2 !== 0 || at + count >= words.length) {
    refuse("BAD_ARGUMENT", "An entry is cut short: each is key, record or ranking, n, n words");
  }
  return count;
}

function readPairs(
  store: Store,
  words: string[],
  from: number,
  count: number,
  shape: Shape,
): Pairs {
  if (shape === "record" && count === 0) refuse("BAD_ARGUMENT", "A record has no fields");
  const pairs: Pairs = [];
  for (let i = from; i < from + count; i += 2) {
    const first = words[i]!;
    const second = words[i + 1]!;
    if (first === "") refuse("BAD_ARGUMENT", "A field or a member has no name");
    if (shape === "record") {
      pairs.push(first);
      pairs.push(second);
    } else {
      checkScore(store, second);
      pairs.push(second);
      pairs.push(first);
    }
  }
  return pairs;
}

/** A strip is its text; without any it would not be there. */
function checkStrip(pairs: Pairs): void {
  if (pairs.length === 2 && pairs[0] === STRIP_FIELD && pairs[1] !== "") return;
  refuse("BAD_ARGUMENT", `Noted times are one field, ${STRIP_FIELD}, that is not empty`);
}

function checkScore(store: Store, score: string): void {
  if (score === "-inf" || score === "inf" || store.text.number(score) !== undefined) return;
  refuse("BAD_ARGUMENT", "Not a score: " + shown(store, score));
}

/** Data of another layout would be misread. */
function checkLayout(store: Store, words: string[], from: number, count: number): void {
  for (let i = from; i < from + count; i += 2) {
    if (words[i] === "layout" && words[i + 1] !== store.text.integer(LAYOUT)) {
      refuse("NEWER_LAYOUT", `The entries are of layout ${words[i + 1]!}, and this is ${LAYOUT}`);
    }
  }
}
