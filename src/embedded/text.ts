import type { Reply, Text } from "../core/text.ts";
import { objectMembers } from "./json-object.ts";
import { scoreText } from "./score.ts";

const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const NUMBERS = /^(-?\d+(\.\d*)?,|-\.\d+,)*$/;
const RUN = /^\t(\d+)\t(\d+)(?:\t(.*))?$/s;
const NAMESPACE = /^[A-Za-z0-9_.-]{1,64}$|^\{[A-Za-z0-9_.-]{1,62}\}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a name.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const DECIMALS = 9;
const NAME_BYTES = 255;
const ORDER_DIGITS = 13;

/** The core's text and numbers as Node does them. */
export const nodeText: Text = {
  number,
  value: (text) => Number(text),
  integer: (value) => String(value),
  score: scoreText,
  decimal,
  exact: (value) => String(value),
  order: (value) => value.toString(16).padStart(ORDER_DIGITS, "0"),
  orderOf: (text) => Number.parseInt(text.slice(0, ORDER_DIGITS), 16),

  skip: (text, count) => text.slice(count),
  split,
  divide,
  runBehind(text, start, next) {
    const length = start.length + next.length;
    const begins = text.startsWith(start) && text.startsWith(next, start.length);
    if (!begins || text[length] !== "\t") return undefined;
    const [, last, time, queue] = RUN.exec(text.slice(length)) ?? ["", "1", "0"];
    return { last: Number(last), time: Number(time), queue };
  },
  seconds: (ms) => (Number(ms) / 1000).toFixed(3),
  numbers,
  holds: (text, part) => text.includes(part),
  words: (text) => text.split(" ").filter((word) => word !== ""),
  // Lua lowers ASCII only.
  lower: (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  startsWith: (text, start) => text.startsWith(start),
  withoutEnd: (text, end) =>
    text.endsWith(end) ? text.slice(0, text.length - end.length) : undefined,
  isName,
  isJid: isName,
  // Characters beyond the first 65,536 come before some others in JavaScript, and not in bytes.
  isUpTo: (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)) <= 0,
  areNames: (texts) => texts.every(isName),
  isNamespace: (text) => NAMESPACE.test(text),
  bytes: (text) => Buffer.byteLength(text),

  list,
  quote: (text) => JSON.stringify(text),
  quoteName: (name) => JSON.stringify(name),
  quoteNames: (names) => JSON.stringify(names),
  members: objectMembers,

  pack: (reply) => JSON.stringify(reply),
  unpack: (packed) => JSON.parse(packed) as Reply,
};

function number(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  // Adding zero turns -0, which the two languages would print differently, into 0.
  const value = Number(text) + 0;
  return Number.isFinite(value) ? value : undefined;
}

function numbers(listed: string): number[] | undefined {
  return NUMBERS.test(listed) ? listed.split(",").slice(0, -1).map(Number) : undefined;
}

function decimal(value: number): string {
  if (value < 0) {
    const positive = decimal(-value);
    return positive === "0" ? "0" : `-${positive}`;
  }
  // Neither toFixed nor %.9f: they round halves differently from each other.
  const unit = 10 ** DECIMALS;
  let whole = Math.floor(value);
  let fraction = Math.floor((value - whole) * unit + 0.5);
  if (fraction >= unit) {
    whole += 1;
    fraction = 0;
  }
  if (fraction === 0) return String(whole);
  return `${whole}.${String(fraction).padStart(DECIMALS, "0").replace(/0+$/, "")}`;
}

function split(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (pieces.length < limit - 1) {
    const tab = text.indexOf("\t", from);
    if (tab === -1) break;
    pieces.push(text.slice(from, tab));
    from = tab + 1;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function divide(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function isName(text: string): boolean {
  if (text === "" || text.length > NAME_BYTES || CONTROL.test(text)) return false;
  return Buffer.byteLength(text) <= NAME_BYTES && text.isWellFormed();
}

function list(json: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every(isText) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown) => typeof value === "string" && value.isWellFormed();
