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
const NO_OPTIONS: ReadOptions = {};

/**
 * Reads a command's arguments by its declaration, each in its place, and returns the options behind
 * them; refuses what does not fit. The list itself is rewritten: making another costs more than reading.
 */
export function readArguments(store: Store, command: Command, argv: Read[]): ReadOptions {
  const takes = command.takes;
  // Asked before anything is left out: in Lua a list with a gap may seem to end at the gap.
  const given = argv.length;
  for (let i = 0; i < takes.length; i++) {
    const param = takes[i]!;
    const kind = param[1];
    if (kind === "names" || kind === "rest") {
      argv[i] = readRest(store, param, argv as string[], i);
      return NO_OPTIONS;
    }
    const text = argv[i] as string | undefined;
    if (text === undefined || (text === "" && param[2] !== undefined)) {
      if (param[2] === undefined) refuse("BAD_ARGUMENT", missing(param[0]));
      argv[i] = undefined;
    } else if (kind === "name") {
      if (!store.text.isName(text)) notName(param[0]);
    } else {
      argv[i] = readArgument(store, param[0], kind, text);
    }
  }
  if (given <= takes.length) return NO_OPTIONS;
  const options: ReadOptions = {};
  const stretch = { from: takes.length, to: given };
  readPairs(store, command.options, argv as string[], stretch, options);
  return options;
}

function readRest(store: Store, [name, kind, optional]: Param, argv: string[], from: number) {
  const texts: string[] = [];
  for (let i = from; i < argv.length; i++) {
    if (kind === "names") checkName(store, name, argv[i]!);
    texts.push(argv[i]!);
  }
  if (texts.length === 0 && optional === undefined) refuse("BAD_ARGUMENT", missing(name));
  if (kind === "names" && texts.length > MAX_LIST) tooMany(name);
  return texts;
}

/** Reads the `name value` pairs in a stretch of arguments, by the options they may be. */
export function readPairs(
  store: Store,
  options: readonly Param[],
  argv: string[],
  { from, to }: { from: number; to: number },
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
  const names: string[] = [];
  for (const option of options) {
    if (option[0] === name) return option;
    names.push(option[0]);
  }
  const known = names.length === 0 ? "it takes none" : "it takes " + names.join(", ");
  return refuse("BAD_ARGUMENT", "Unknown option " + shown(store, name) + ": " + known);
}

function readArgument(store: Store, name: string, kind: Kind, text: string): Read {
  if (kind === "name") return checkName(store, name, text);
  if (kind === "json") return checkData(store, name, text);
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

/** A lease in a batch, empty where the caller knows none. */
export function readLease(store: Store, text: string): number | undefined {
  return text === "" ? undefined : readNumber(store, "lease", "integer", text);
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
