/**
 * What the core needs of the language around it to read and write text.
 *
 * Lua and JavaScript disagree about numbers, bytes and JSON, so the core does none of it by
 * itself: each home supplies these functions, and a test holds the two to equal answers.
 *
 * @noSelf
 */
export interface Text {
  /** The number that a plain decimal says (`-1.5e3`; no blanks, no hexadecimal, finite). */
  number(text: string): number | undefined;
  /** The number in a text that the core itself has written. */
  value(text: string): number;
  /** A whole number as text. */
  integer(value: number): string;
  /** A score as text; scores are often the same few. */
  score(value: number): string;
  /** A number for people and JSON: at most nine decimals, no exponent below 10^15. */
  decimal(value: number): string;
  /** A number as text that reads back as exactly the same number. */
  exact(value: number): string;
  /** An integer below 2^52 as 13 hexadecimal digits, so that byte order is number order. */
  order(value: number): string;
  /** The integer that `order` wrote. */
  orderOf(text: string): number;

  /** The text without its first `count` characters, which must be ASCII. */
  skip(text: string, count: number): string;
  /** The pieces between the first `limit - 1` tabs; the last one keeps the other tabs. */
  split(text: string, limit: number): string[];
  /** Whether the one does not come after the other in the order of their bytes. */
  isUpTo(one: string, other: string): boolean;
  /** What stands before and, if it occurs, behind the first `mark`, a single character. */
  divide(text: string, mark: string): string[];
  /**
   * What comes behind `start` and `next`, with which the text must begin, and a tab: undefined if it
   * begins otherwise. It holds until the next text is read.
   */
  runBehind(text: string, start: string, next: string): RunText | undefined;
  /** A whole number of milliseconds, as text, in seconds with three decimals. */
  seconds(ms: string): string;
  /** Whether the text has this part somewhere. */
  holds(text: string, part: string): boolean;
  /** The numbers of a list with a comma behind each; undefined when it is anything else. */
  numbers(listed: string): number[] | undefined;
  /** The words between single blanks. */
  words(text: string): string[];
  lower(text: string): string;
  startsWith(text: string, start: string): boolean;
  /** What is left when the text ends so, else undefined. */
  withoutEnd(text: string, end: string): string | undefined;
  /** Whether the text may name something: 1 to 255 bytes of UTF-8, no control characters. */
  isName(text: string): boolean;
  /** As `isName`, for a name that is not likely to come again soon. */
  isJid(text: string): boolean;
  /** Whether each of these, at least one, may be a name. */
  areNames(texts: string[]): boolean;
  /** Whether the text may be a namespace: 1 to 64 of A-Z a-z 0-9 _ . - and, around them, braces. */
  isNamespace(text: string): boolean;
  /** How many bytes the text has in UTF-8. */
  bytes(text: string): number;

  /** The members of a JSON array of texts; undefined when it is anything else. */
  list(json: string): string[] | undefined;
  /** The text as a JSON string, with its quotes. */
  quote(text: string): string;
  /** As `quote`, for a text that is known to be a name. */
  quoteName(name: string): string;
  /** Names as a JSON array of strings. */
  quoteNames(names: string[]): string;
  /** The members of a JSON object as text without the outer braces; undefined for anything else. */
  members(json: string): string | undefined;

  /** A reply as one text, and back, for answering a repeated request. */
  pack(reply: Reply): string;
  unpack(packed: string): Reply;
}

/**
 * Two whole numbers and, where it is told, a text, with tabs between; 1, 0 and no text where it is
 * anything else.
 */
export interface RunText {
  last: number;
  time: number;
  queue: string | undefined;
}

/** What a command answers: what Redis can send. `false` is its nil. */
export type Reply = string | number | false | Reply[];
