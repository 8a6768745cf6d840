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
type ReadArgs = { [argument: string]: Read };

/** Reads a command's arguments by its declaration, and refuses what does not fit it. */
export function readArguments(store: Store, command: Command, argv: string[]): ReadArgs {
  const args: ReadArgs = {};
  const { takes } = command;
  for (let i = 0; i < takes.length; i++) {
    const [name, kind, optional] = takes[i]!;
    if (kind === "names" || kind === "rest") {
      args[name] = readRest(store, takes[i]!, argv, i);
      return args;
    }
    const text = argv[i];
    if (text === undefined || (text === "" && optional !== undefined)) {
      if (optional === undefined) refuse("BAD_ARGUMENT", missing(name));
    } else {
      args[name] = readArgument(store, name, kind, text);
    }
  }
  if (argv.length > takes.length) readOptions(store, command, argv, args);
  return args;
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

/** Reads `name value` pairs from behind the positional arguments into `args`. */
function readOptions(store: Store, command: Command, argv: string[], args: ReadArgs): void {
  readPairs(store, command.options, argv, { from: command.takes.length, to: argv.length }, args);
}

/** Reads the `name value` pairs in a stretch of arguments, by the options they may be. */
export function readPairs(
  store: Store,
  options: readonly Param[],
  argv: string[],
  { from, to }: { from: number; to: number },
  args: ReadArgs,
): void {
  if ((to - from) % 2 !== 0) {
    refuse("BAD_ARGUMENT", "Odd number of additional args: each option needs a value");
  }
  for (let i = from; i < to; i += 2) {
    const option = optionNamed(store, options, argv[i]!);
    args[option[0]] = readArgument(store, option[0], option[1], argv[i + 1]!);
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
  if (kind === "json") return checkSize(store, name, text, MAX_DATA);
  if (kind === "text") return checkSize(store, name, text, MAX_MESSAGE);
  if (kind === "list") return readList(store, name, text);
  return readNumber(store, name, kind, text);
}

function checkName(store: Store, name: string, text: string): string {
  if (!store.text.isName(text)) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must be 1 to 255 bytes without control characters`);
  }
  return text;
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
  const value = store.text.number(text);
  if (value === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" not a number: ${shown(store, text)}`);
  }
  if (kind === "integer" || kind === "count") return readInteger(store, name, kind, value);
  if (kind === "seconds") return toMs(within(store, name, value, MAX_SECONDS));
  if (kind === "time") return checkedTime(store, name, value);
  if (kind === "flag") return within(store, name, value, 1);
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
  return readNumber(store, name, "count", text);
}

function readInteger(store: Store, name: string, kind: Kind, value: number): number {
  if (Math.floor(value) !== value) {
    refuse("BAD_ARGUMENT", `Arg "${name}" not a whole number: ${store.text.decimal(value)}`);
  }
  const most = kind === "count" ? MAX_COUNT : MAX_SECONDS * 10000;
  if (kind === "count" && value < 0) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must not be negative: ${store.text.decimal(value)}`);
  }
  return within(store, name, value, most);
}

function within(store: Store, name: string, value: number, most: number): number {
  if (value > most || value < -most) {
    const range = `${store.text.decimal(-most)} to ${store.text.decimal(most)}`;
    refuse("BAD_ARGUMENT", `Arg "${name}" must be from ${range}`);
  }
  return value;
}

/** A moment given in seconds as milliseconds, if it is one that places can be made of. */
export function checkedTime(_store: Store, name: string, seconds: number): number {
  const ms = toMs(seconds);
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
