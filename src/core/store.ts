import type { Text } from "./text.ts";

/** What a field or a score is when it is not there. Redis says `false` to Lua, so we all do. */
export type Absent = false;

/** A list that goes to the store as it is: `name, value, ...` or `score, member, ...`. */
export type Pairs = (string | number)[];

/**
 * The database as the core sees it, which is all it sees of one.
 *
 * A call answers at once, and what a command does takes effect as a whole. Things are kept in three
 * ways: as a record (texts by name, under a key), as a ranking (members by score from the lowest
 * up, equal scores in the order of their bytes), or as a strip (one text, which grows). In Redis
 * these are hashes, sorted sets and strings.
 *
 * A record without fields, a ranking without members and a strip without text do not exist. Lists
 * may have any length; the store cuts them into pieces its database can take. An empty list is
 * nothing to do.
 *
 * @noSelf
 */
export interface Store {
  /** The language's own handling of text and numbers, which differs where the core runs. */
  readonly text: Text;

  field(record: string, name: string): string | Absent;
  /** As `field`; undefined if the key is damaged, that is, holds no record that can be read. */
  fieldIfSound(record: string, name: string): string | Absent | undefined;
  fields(record: string, names: string[]): (string | Absent)[];
  /** As `fields`; an empty list if the key is damaged. */
  fieldsIfSound(record: string, names: string[]): (string | Absent)[];
  /** Every field: `name, value, name, value, ...` in no particular order. */
  all(record: string): string[];
  /** As `all`; an empty list if the key is damaged. */
  allIfSound(record: string): string[];
  set(record: string, pairs: Pairs): void;
  unset(record: string, names: string[]): void;
  /** Adds an integer to an integer field (0 when absent), and returns the sum. */
  increase(record: string, name: string, by: number): number;
  /** Whether there is a record, a ranking or a strip of that name. */
  exists(key: string): boolean;
  /**
   * What a key holds: `hash` (a record), `zset` (a ranking), `string` (a strip), `none`, any other
   * type of the database, `unreadable`, `incomplete` (a record that has lost a value), or
   * `miscounted` (a ranking whose size is wrong). Empty if the database does not answer that
   * question.
   */
  kind(key: string): string;
  /** Makes a damaged key hold what it must, as far as that is left, or nothing. */
  mend(key: string, expected: "hash" | "zset" | "string"): void;
  /** Whether there is anything under any of these keys. */
  existsAny(keys: string[]): boolean;
  /** Removes records, rankings and strips whole. */
  remove(keys: string[]): void;

  /** Writes on at the end of a strip, and returns how many bytes it has now. */
  append(strip: string, more: string): number;
  read(strip: string): string | Absent;

  /** Puts members at scores, `score, member, ...`, moving those that were there. */
  rank(ranking: string, pairs: Pairs): void;
  /** Takes members out, and returns how many of them were in. */
  unrank(ranking: string, members: string[]): number;
  /** Takes the `count` lowest members out and returns them, lowest first. */
  takeLowest(ranking: string, count: number): string[];
  /** Says that many members come and go in the ranking, for a store that can make use of it. */
  crowd(ranking: string): void;
  score(ranking: string, member: string): number | Absent;
  /** Adds to a member's score (0 when absent), and returns the sum. */
  raise(ranking: string, member: string, by: number): number;
  size(ranking: string): number;
  /** How many scores are at least `min` and at most `max`. */
  sizeBetween(ranking: string, min: number, max: number): number;
  /** `count` members from the `offset`-th lowest on, upwards. */
  lowest(ranking: string, offset: number, count: number): string[];
  /** `count` members from the `offset`-th highest on, downwards. */
  highest(ranking: string, offset: number, count: number): string[];
  /** As `lowest`, each member followed by its score as text. */
  lowestScored(ranking: string, offset: number, count: number): string[];
  /** As `highest`, each member followed by its score as text. */
  highestScored(ranking: string, offset: number, count: number): string[];
  /** `count` members with scores from `min` to `max`, lowest first, after skipping `offset`. */
  between(ranking: string, range: Range, offset: number, count: number): string[];
  /** As `between`, each member followed by its score as text. */
  betweenScored(ranking: string, range: Range, offset: number, count: number): string[];
  /** The highest score below `above`. */
  highestBelow(ranking: string, above: number): number | Absent;
  /** How many members come before this one. */
  position(ranking: string, member: string): number | Absent;

  /**
   * Some keys of the namespace, and the cursor for the next call: "0" begins, and "0" ends. Keys
   * that exist from the first call to the last are seen at least once.
   */
  keys(prefix: string, cursor: string, count: number): { cursor: string; keys: string[] };

  /**
   * Whether anybody may hear what is announced there: putting it into words can be spared if not.
   * False only where nobody has listened just now.
   */
  mayHear(channel: string): boolean;
  /**
   * Heard after the commit, in the order of the calls; of a refused command nothing is heard. Tells
   * whether anybody may be listening: it is false only where that is certain.
   */
  announce(channel: string, message: string): boolean;
}

/** Scores from `min` to `max`, both included. */
export interface Range {
  min: number;
  max: number;
}
