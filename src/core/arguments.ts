import type { Command, Kind, Param } from "./command.ts";
import {
  MAX_COUNT,
  MAX_DATA,
  MAX_LIST,
  MAX_MESSAGE,
  MAX_PRIORITY,
  MAX_SECONDS,
  MAX_TIME_MS,
} from "./limits.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";

type Read = string | number | string[] | undefined;
export type ReadOptions = { [option: string]: Read };

/** What most calls give; shared, so nobody may write to it. */
export const NO_OPTIONS: ReadOptions = {};

/**
 * Reads a command's arguments by its declaration and returns the options behind them; refuses what
 * does not fit. They stand behind the first of the words, and each is left one place before its
 * own, so that the list becomes that of the arguments: making another would cost more than
 * reading.
 */
export function readArguments(store: Store, command: Command, words: Read[]): ReadOptions {
  const takes = command.takes;
  // Asked before anything is left out: in Lua a list with a gap may seem to end at the gap.
  const given = words.length;
  const count = takes.length;
  for (let i = 0; i < count; i++) {
    const param = takes[i]!;
    const kind = param[1];
    const text = words[i + 1] as string | undefined;
    if (kind === "name") {
      if (text !== undefined && store.text.isName(text)) words[i] = text;
      else words[i] = readAbsent(param, text);
    } else if (kind === "jid") {
      if (text !== undefined && store.text.isJid(text)) words[i] = text;
      else words[i] = readAbsent(param, text);
    } else if (kind === "rest" || kind === "names") {
      words[i] = readRest(store, param, words as string[], i + 1, given);
      return NO_OPTIONS;
    } else if (text === undefined || (text === "" && param[2] !== undefined)) {
      words[i] = readAbsent(param, text);
    } else {
      words[i] = readArgument(store, param[0], kind, text);
    }
  }
  if (given <= count + 1) return NO_OPTIONS;
  const options: ReadOptions = {};
  readPairs(store, command.options, words as string[], count + 1, given, options);
  return options;
}

/** What is read where nothing was given, or nothing that will do. */
function readAbsent(param: Param, text: string | undefined): undefined {
  if (param[2] !== undefined && (text === undefined || text === "")) return undefined;
  return text === undefined ? refuse("BAD_ARGUMENT", missing(param[0])) : notName(param[0]);
}

/** All words from here on as a list of names; `rest` is not copied but read where it stands. */
function readRest(
  store: Store,
  [name, kind, optional]: Param,
  words: string[],
  from: number,
  given: number,
): string[] {
  if (given <= from && optional === undefined) refuse("BAD_ARGUMENT", missing(name));
  if (kind === "rest") return words;
  if (given - from > MAX_LIST) tooMany(name);
  const names: string[] = [];
  for (let i = from; i < given; i++) {
    checkName(store, name, words[i]!);
    names.push(words[i]!);
  }
  return names;
}

/** Reads the `name value` pairs from one argument to before another, by the options they may be. */
export function readPairs(
  store: Store,
  options: readonly Param[],
  argv: string[],
  from: number,
  to: number,
  into: ReadOptions,
): void {
  if ((to - from) % 2 !== 0) {
    refuse("BAD_ARGUMENT", "Odd number of additional args: each option needs a value");
  }
  for (let i = from; i < to; i += 2) {
    const option = optionNamed(store, options, argv[i]!);
    into[option[0]] = readArgument(store, option[0], option[1], argv[i + 1]!);
  }
}

function optionNamed(store: Store, options: readonly Param[], name: string): Param {
  for (const option of options) if (option[0] === name) return option;
  const names: string[] = [];
  for (const option of options) names.push(option[0]);
  const known = names.length === 0 ? "it takes none" : "it takes " + names.join(", ");
  return refuse("BAD_ARGUMENT", "Unknown option " + shown(store, name) + ": " + known);
}

function readArgument(store: Store, name: string, kind: Kind, text: string): Read {
  if (kind === "json") return checkSize(store, name, text, MAX_DATA);
  if (kind === "lease") {
    if (text === "") readLease(store, text);
    return text;
  }
  if (kind === "name") return checkName(store, name, text);
  if (kind === "text") return checkSize(store, name, text, MAX_MESSAGE);
  if (kind === "list") return readList(store, name, text);
  return readNumber(store, name, kind, text);
}

/** The text if it may name something, else a refusal. */
export function checkName(store: Store, name: string, text: string): string {
  return store.text.isName(text) ? text : notName(name);
}

function notName(name: string): never {
  return refuse("BAD_ARGUMENT", `Arg "${name}" must be 1 to 255 bytes without control characters`);
}

/** The text if it is not too long for a job's data, else a refusal. */
export function checkData(store: Store, name: string, text: string): string {
  return checkSize(store, name, text, MAX_DATA);
}

function checkSize(store: Store, name: string, text: string, most: number): string {
  if (store.text.bytes(text) > most) {
    refuse("BAD_ARGUMENT", `Arg "${name}" is longer than ${most} bytes`);
  }
  return text;
}

/** The names in a JSON array; also used for the lists inside batches. */
export function readList(store: Store, name: string, text: string): string[] {
  // Nearly every put says so, and decoding costs more than asking.
  if (text === "[]") return [];
  const list = store.text.list(text);
  if (list === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" not JSON array of texts: ${shown(store, text)}`);
  }
  if (list.length > MAX_LIST) tooMany(name);
  for (const member of list) checkName(store, name, member);
  return list;
}

function readNumber(store: Store, name: string, kind: Kind, text: string): number {
  // What nearly every put says of its delay.
  if (text === "0") return 0;
  const value = store.text.number(text);
  if (value === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" not a number: ${shown(store, text)}`);
  }
  if (kind === "integer" || kind === "whole" || kind === "count")
    return readInteger(store, name, kind, value);
  if (kind === "seconds") return toMs(within(store, name, value, MAX_SECONDS));
  if (kind === "time") return checkedTime(name, value);
  if (kind === "flag") return readFlag(name, value);
  if (kind === "fraction") return readFraction(name, value);
  // A ten-thousandth of a priority is as fine as fourteen digits can tell at a billion.
  return Math.floor(within(store, name, value, MAX_PRIORITY) * 10000 + 0.5) / 10000;
}

/** An offset or a count that may be left out; a count of -1 asks for all there may be. */
export function readCount(
  store: Store,
  name: string,
  text: string | undefined,
  fallback: number,
): number {
  if (text === undefined || text === "") return fallback;
  if (text === "-1" && name === "count") return MAX_COUNT;
  return readNumber(store, name, name === "count" ? "count" : "whole", text);
}

/** Where a part of a batch ends whose options begin here, behind the number of their words. */
export function endOf(store: Store, words: string[], from: number, cutShort: string): number {
  const said = words[from - 1];
  if (said === "0") return from;
  const end = from + readCount(store, "options", said, 0);
  if (end > words.length || said === undefined) refuse("BAD_ARGUMENT", cutShort);
  return end;
}

/** The number that a lease is, or a refusal. */
export function readLease(store: Store, text: string): number {
  return readNumber(store, "lease", "integer", text);
}

function readFlag(name: string, value: number): number {
  if (value !== 0 && value !== 1) refuse("BAD_ARGUMENT", `Arg "${name}" must be 0 or 1`);
  return value;
}

function readFraction(name: string, value: number): number {
  if (value < 0 || value > 1) refuse("BAD_ARGUMENT", `Arg "${name}" must be from 0 to 1`);
  return value;
}

function readInteger(store: Store, name: string, kind: Kind, value: number): number {
  if (Math.floor(value) !== value) {
    refuse("BAD_ARGUMENT", `Arg "${name}" not a whole number: ${store.text.decimal(value)}`);
  }
  if (kind !== "integer" && value < 0) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must not be negative: ${store.text.decimal(value)}`);
  }
  // Who asks for more than there may be gets as many as there may be.
  if (kind === "count") return Math.min(value, MAX_COUNT);
  return within(store, name, value, MAX_SECONDS * 10000);
}

function within(store: Store, name: string, value: number, most: number): number {
  if (value > most || value < -most) {
    const range = `${store.text.decimal(-most)} to ${store.text.decimal(most)}`;
    refuse("BAD_ARGUMENT", `Arg "${name}" must be from ${range}`);
  }
  return value;
}

/** A moment given in seconds as milliseconds, if it is one that places can be made of. */
export function checkedTime(name: string, seconds: number): number {
  // Rounded down, for history shows whole seconds; the thousandth is for 0.123 * 1000.
  const ms = Math.floor(seconds * 1000 + 0.001);
  if (ms < 0 || ms > MAX_TIME_MS) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must be from 0 to ${Math.floor(MAX_TIME_MS / 1000)}`);
  }
  return ms;
}

const toMs = (seconds: number) => Math.floor(seconds * 1000 + 0.5);

const missing = (name: string) => `Arg "${name}" missing`;

function tooMany(name: string): never {
  return refuse("BAD_ARGUMENT", `Arg "${name}" has more than ${MAX_LIST} members`);
}

/** A text as a message may repeat it: short, and never with a line break in it. */
function shown(store: Store, text: string): string {
  if (text === "" || store.text.isName(text)) return text;
  const bytes = store.text.bytes(text);
  return bytes > 255 ? `(${bytes} bytes)` : store.text.quote(text);
}
