import type { Reply, RunText, Text } from "../../core/text.ts";
import { list, members, quote } from "./json.ts";
import { areNames, isJid, isName, quoteName, quoteNames } from "./names.ts";

/** Text and numbers as Lua has them; src/embedded/text.ts is the same for JavaScript. */

function decimal(value: number): string {
  if (value < 0) {
    const positive = decimal(-value);
    return positive === "0" ? "0" : "-" + positive;
  }
  let whole = math.floor(value);
  let fraction = math.floor((value - whole) * 1e9 + 0.5);
  if (fraction >= 1e9) {
    whole += 1;
    fraction = 0;
  }
  const shown = string.format("%.0f", whole);
  if (fraction === 0) return shown;
  const [digits] = string.gsub(string.format("%09.0f", fraction), "0+$", "");
  return shown + "." + digits;
}

function split(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let from = 1;
  while (pieces.length < limit - 1) {
    const [tab] = string.find(text, "\t", from, true);
    if (tab === undefined) break;
    pieces.push(string.sub(text, from, tab - 1));
    from = tab + 1;
  }
  pieces.push(string.sub(text, from));
  return pieces;
}

/**
 * What was read last: jobs that began together end alike, and most are of the same queue.
 */
let lastEnd = "\t1\t0";
let lastRest = "";
const lastRun: RunText = { last: 1, time: 0, queue: undefined };
/** What is read of what is no run. */
const NO_RUN: RunText = { last: 1, time: 0, queue: undefined };

/**
 * What is nothing but digits. Lua reads it when it reckons with it, once; tonumber would do so
 * twice.
 */
export const digits = (text: string) => (text as unknown as number) * 1;

/** Each part is looked for where it must be: joining them first would make a text for every job. */
function runBehind(text: string, start: string, next: string): RunText | undefined {
  const from = start.length + 1;
  if (string.find(text, start, 1, true)[0] !== 1) return undefined;
  if (string.find(text, next, from, true)[0] !== from) return undefined;
  const end = string.sub(text, from + next.length);
  if (end === lastEnd) return lastRun;
  const [, , first, second, rest] = string.find(end, "^\t(%d+)\t(%d+)(.*)$");
  if (first === undefined) return string.sub(end, 1, 1) === "\t" ? NO_RUN : undefined;
  if (rest !== lastRest) {
    if (rest !== "" && string.sub(rest as string, 1, 1) !== "\t") return NO_RUN;
    lastRest = rest as string;
    lastRun.queue = rest === "" ? undefined : string.sub(lastRest, 2);
  }
  lastEnd = end;
  lastRun.last = value(first as string);
  lastRun.time = digits(second as string);
  return lastRun;
}

function divide(text: string, mark: string): string[] {
  const [at] = string.find(text, mark, 1, true);
  return at === undefined ? [text] : [string.sub(text, 1, at - 1), string.sub(text, at + 1)];
}

/** Read as JSON: finding each by a pattern would cost nine times as much. */
function numbers(listed: string): number[] | undefined {
  // Between the comma and the nine there are the dash, the dot, the slash and the other digits.
  const [whole] = string.find(listed, "^[,-9]*$");
  if (whole === undefined || (listed !== "" && string.sub(listed, -1) !== ",")) return undefined;
  const [read, found] = pcall(cjson.decode, "[" + listed + "0]");
  if (!read) return undefined;
  const all = found as number[];
  all.pop();
  return all;
}

function words(text: string): string[] {
  const found: string[] = [];
  for (const [word] of string.gmatch(text, "[^ ]+")) found.push(word!);
  return found;
}

/**
 * Small whole numbers as text and back, and the one that was written or read last: most calls
 * write their time twice, and jobs that began together have one time to read.
 */
const small: { [value: number]: string } = {};
const smallValues: { [shown: string]: number } = {};
let lastRead = "0";
let lastReadValue = 0;
let lastValue = 0;
let lastText = "0";

/** What whole numbers begin with in front of their last three digits, and these: leases count on. */
let heads: { [thousands: number]: string } = {};
let remembered = 0;
const MOST_HEADS = 100;
const ends: { [value: number]: string } = {};

function integer(value: number): string {
  const known = small[value];
  if (known !== undefined) return known;
  if (value === lastValue) return lastText;
  const last = value % 1000;
  const head = heads[value - last];
  const end = ends[last];
  const shown = head !== undefined && end !== undefined ? head + end : spelled(value, last);
  if (value >= 0 && value < 1000) {
    small[value] = shown;
    smallValues[shown] = value;
  } else {
    lastValue = value;
    lastText = shown;
  }
  return shown;
}

/** As `integer`, from the beginning; remembers both parts of what is likely to come again. */
function spelled(value: number, last: number): string {
  const shown = string.format("%d", value);
  if (value < 1000) return shown;
  if (remembered === MOST_HEADS) {
    heads = {};
    remembered = 0;
  }
  if (heads[value - last] === undefined) remembered += 1;
  heads[value - last] = string.sub(shown, 1, -4);
  ends[last] = string.sub(shown, -3);
  return shown;
}

function number(text: string): number | undefined {
  const known = smallValues[text];
  if (known !== undefined) return known;
  const [plain] = string.find(text, "^-?%d+$");
  if (plain === undefined) {
    const [decimal] = string.find(text, "^-?%d*%.?%d*[eE]?[+-]?%d*$");
    const [digits] = string.find(text, "^-?%.?%d");
    if (decimal === undefined || digits === undefined) return undefined;
  }
  const value = tonumber(text);
  if (value === undefined || value === math.huge || value === -math.huge) return undefined;
  return value;
}

function value(stored: string): number {
  if (stored === lastRead) return lastReadValue;
  const known = smallValues[stored];
  if (known !== undefined) return known;
  lastRead = stored;
  lastReadValue = tonumber(stored)!;
  return lastReadValue;
}

function isNamespace(text: string): boolean {
  const [plain] = string.find(text, "^[%w_.-]+$");
  const [braced] = string.find(text, "^{[%w_.-]+}$");
  return (plain !== undefined || braced !== undefined) && text.length <= 64;
}

export const text: Text = {
  number,
  value,
  integer,
  score: (value) => (value === 0 ? "0" : string.format("%.17g", value)),
  decimal,
  exact: (value) => string.format("%.17g", value),
  order: (value) => string.format("%013x", value),
  orderOf: (ordered) => tonumber(string.sub(ordered, 1, 13), 16)!,
  skip: (long, count) => string.sub(long, count + 1),
  split,
  divide,
  words,
  numbers,
  lower: (mixed) => string.lower(mixed),
  runBehind,
  seconds: (ms) =>
    ms.length > 3
      ? string.sub(ms, 1, -4) + "." + string.sub(ms, -3)
      : string.format("%.3f", tonumber(ms)! / 1000),
  holds: (long, part) => string.find(long, part, 1, true)[0] !== undefined,
  startsWith: (long, start) => string.find(long, start, 1, true)[0] === 1,
  withoutEnd: (long, end) => {
    const kept = long.length - end.length;
    if (kept < 0 || string.sub(long, kept + 1) !== end) return undefined;
    return string.sub(long, 1, kept);
  },
  isName,
  isJid,
  isUpTo: (one, other) => one <= other,
  areNames,
  isNamespace,
  bytes: (measured) => measured.length,
  list,
  quote,
  quoteName,
  quoteNames,
  members,
  pack: (reply) => cmsgpack.pack(reply),
  unpack: (packed) => cmsgpack.unpack(packed) as Reply,
};
