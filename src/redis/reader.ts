import type { Reply } from "../engine.ts";

/** Hears one answer after the other. */
export interface Listener {
  answer(reply: Reply): void;
  /** Redis has said no. */
  refuse(error: Error): void;
}

/** What the first byte of a value says of it. */
const KIND = {
  line: 43, // +
  error: 45, // -
  integer: 58, // :
  bulk: 36, // $
  list: 42, // *
  nothing: 95, // _
  flag: 35, // #
  double: 44, // ,
  big: 40, // (
  bulkError: 33, // !
  verbatim: 61, // =
  map: 37, // %
  set: 126, // ~
  push: 62, // >
} as const;

const RETURN = 13;
const MINUS = 45;
const ZERO = 48;
const TRUE = 116;
/** What stands before the text of a verbatim value, as `txt:`. */
const FORMAT_LENGTH = 4;

/** Not all of a value has come. */
const PART = Symbol("part");

type Value = Reply | Error;

/** A list of which not all has come, and the one that it is in. */
interface Open {
  list: Value[];
  left: number;
  isPush: boolean;
  outer: Open | undefined;
}

/**
 * Reads what Redis says, in either version of its protocol: texts, numbers, lists, and `false` for
 * nil. A map is the list of its names and values. Each byte is read once, however it is cut up.
 */
export class Reader {
  readonly #listener: Listener;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #open: Open | undefined;
  /** The beginning of a value that has not come whole, and how many bytes it has at least. */
  #kept: Buffer[] = [];
  #bytes = 0;
  #needed = 0;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /**
   * Takes what has come, and throws when it is nothing that Redis would say. What it keeps of it for
   * later is a copy: the next piece may come in the same place.
   */
  read(piece: Buffer): void {
    this.#chunk = piece;
    if (this.#bytes > 0) {
      this.#kept.push(Buffer.from(piece));
      this.#bytes += piece.length;
      if (this.#bytes < this.#needed) return;
      this.#chunk = Buffer.concat(this.#kept, this.#bytes);
    }
    this.#at = 0;
    let from = 0;
    while (from < this.#chunk.length) {
      const value = this.#next();
      if (value === PART) break;
      if (value !== undefined) this.#take(value);
      from = this.#at;
    }
    this.#bytes = this.#chunk.length - from;
    this.#kept = this.#bytes === 0 ? [] : [Buffer.from(this.#chunk.subarray(from))];
  }

  /** The next value, unless it is a list that is to be filled. */
  #next(): Value | typeof PART | undefined {
    const kind = this.#chunk[this.#at]!;
    this.#needed = 0;
    switch (kind) {
      case KIND.bulk:
      case KIND.verbatim:
      case KIND.bulkError:
        return this.#bulk(kind);
      case KIND.list:
      case KIND.set:
      case KIND.map:
      case KIND.push:
        return this.#list(kind);
      case KIND.integer: {
        const number = this.#number();
        return Number.isNaN(number) ? PART : number;
      }
      default:
        return this.#line(kind);
    }
  }

  #bulk(kind: number): Value | typeof PART {
    const begun = this.#at;
    const length = this.#number();
    if (Number.isNaN(length)) return PART;
    if (length < 0) return false;
    const end = this.#at + length;
    if (end + 2 > this.#chunk.length) {
      this.#needed = end + 2 - begun;
      return PART;
    }
    const text = this.#chunk.toString("utf8", this.#at, end);
    this.#at = end + 2;
    if (kind === KIND.bulk) return text;
    return kind === KIND.verbatim ? text.slice(FORMAT_LENGTH) : replyError(text);
  }

  #list(kind: number): Value | typeof PART | undefined {
    const length = this.#number();
    if (Number.isNaN(length)) return PART;
    if (length < 0) return false;
    if (length === 0) return [];
    const left = kind === KIND.map ? 2 * length : length;
    this.#open = { list: [], left, isPush: kind === KIND.push, outer: this.#open };
    return undefined;
  }

  #line(kind: number): Value | typeof PART {
    const end = this.#chunk.indexOf(RETURN, this.#at);
    if (end < 0 || end + 2 > this.#chunk.length) return PART;
    const first = this.#at + 1;
    this.#at = end + 2;
    if (kind === KIND.nothing) return false;
    if (kind === KIND.flag) return this.#chunk[first] === TRUE ? 1 : 0;
    const text = this.#chunk.toString("utf8", first, end);
    if (kind === KIND.error) return replyError(text);
    if (kind === KIND.line || kind === KIND.double || kind === KIND.big) return text;
    throw new Error("This is not the protocol of Redis");
  }

  /** Reads a line with a whole number, and goes behind it; NaN when it has not come whole. */
  #number(): number {
    const chunk = this.#chunk;
    const last = chunk.length - 1;
    let at = this.#at + 1;
    const isNegative = chunk[at] === MINUS;
    if (isNegative) at += 1;
    let number = 0;
    for (; at < last; at++) {
      const byte = chunk[at]!;
      if (byte === RETURN) {
        this.#at = at + 2;
        return isNegative ? -number : number;
      }
      if (byte < ZERO || byte > ZERO + 9) throw new Error("This is not the protocol of Redis");
      number = number * 10 + byte - ZERO;
    }
    return Number.NaN;
  }

  /** Puts a value where it belongs; a list that is full with it belongs somewhere itself. */
  #take(taken: Value): void {
    let value = taken;
    for (let open = this.#open; open !== undefined; open = open.outer) {
      open.list.push(value);
      open.left -= 1;
      if (open.left > 0) return;
      this.#open = open.outer;
      // Nobody has asked for what is pushed.
      if (open.isPush) return;
      value = open.list as Reply[];
    }
    if (value instanceof Error) this.#listener.refuse(value);
    else this.#listener.answer(value);
  }
}

function replyError(text: string): Error {
  const error = new Error(text);
  error.name = "ReplyError";
  return error;
}
