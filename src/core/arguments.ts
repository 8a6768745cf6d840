import type { Command, Kind, Param } from "./command.ts";
import { MAX_DATA, MAX_LIST, MAX_MESSAGE } from "./limits.ts";
import { readCount, readNumber } from "./numbers.ts";
import { refuse, refuseWith } from "./refuse.ts";
import { shown } from "./shown.ts";
import type { Store } from "./store.ts";

type Read = string | number | readonly string[] | undefined;
export type ReadOptions = { [option: string]: Read };

/** What most calls give; shared, so nobody may write to it. */
export const NO_OPTIONS: ReadOptions = {};

/**
 * What was said last in front of a list of all further words, and how it was read: a worker says
 * the same with every call, and to see that costs less than to read it.
 */
let lastCommand: Command | undefined;
let lastSaid: Read[] = [];
let lastRead: Arguments = [];

function isSaidAgain(words: Read[]): boolean {
  const count = lastSaid.length;
  if (words.length <= count + 1) return false;
  for (let i = 0; i < count; i++) if (words[i + 1] !== lastSaid[i]) return false;
  return true;
}

/** Keeps what was said and read, and gives it with the words that come behind it. */
function remember(command: Command, said: Read[], read: Arguments, words: string[]): Arguments {
  lastCommand = command;
  lastSaid = said;
  lastRead = read;
  read.push(words);
  read.push(NO_OPTIONS);
  return read;
}

function copyOf(words: Read[], from: number, to: number): Read[] {
  const copy: Read[] = [];
  for (let i = from; i < to; i++) copy.push(words[i]);
  return copy;
}

/** The arguments of a command, and its options behind them. */
type Arguments = (Read | ReadOptions)[];

/**
 * Reads a command's arguments by its declaration, and its options, which come behind them; refuses
 * what does not fit. The words stand behind the first one, and each is left one place before its own,
 * so that their list becomes that of the arguments: making another would cost more than reading. Only
 * commands that take all further words have another, and these are read where they stand.
 */
export function readArguments(store: Store, command: Command, words: Read[]): Arguments {
  if (command === lastCommand && isSaidAgain(words)) {
    lastRead[lastSaid.length] = words as string[];
    return lastRead;
  }
  const takes = command.takes;
  const count = takes.length;
  const isOpen = count > 0 && takes[count - 1]![1] === "rest";
  const said = isOpen ? copyOf(words, 1, count) : [];
  // Asked before anything is left out: in Lua a list with a gap may seem to end at the gap.
  const given = words.length;
  let options = NO_OPTIONS;
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
    } else if (kind === "rest") {
      if (given <= i + 1 && param[2] === undefined) refuse("BAD_ARGUMENT", missing(param[0]));
      return remember(command, said, copyOf(words, 0, i), words as string[]);
    } else if (kind === "names") {
      words[i] = readNames(store, param, words as string[], i + 1, given);
    } else if (text === undefined || (text === "" && param[2] !== undefined)) {
      words[i] = readAbsent(param, text);
    } else {
      words[i] = readArgument(store, param[0], kind, text);
    }
  }
  const isListed = count > 0 && takes[count - 1]![1] === "names";
  if (given > count + 1 && !isListed) {
    options = {};
    readPairs(store, command.options, words as string[], count + 1, given, options);
  }
  (words as Arguments)[count] = options;
  return words;
}

/** What is read where nothing was given, or nothing that will do. */
function readAbsent(param: Param, text: string | undefined): undefined {
  if (param[2] !== undefined && (text === undefined || text === "")) return undefined;
  return text === undefined ? refuse("BAD_ARGUMENT", missing(param[0])) : notName(param[0]);
}

/** All words from here on as a list of names. */
function readNames(
  store: Store,
  [name, , optional]: Param,
  words: string[],
  from: number,
  given: number,
): string[] {
  if (given <= from && optional === undefined) refuse("BAD_ARGUMENT", missing(name));
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
  // Nearly every call of a worker has a count and a list.
  if (kind === "count") return readNumber(store, name, kind, text);
  if (kind === "list") return readList(store, name, text);
  if (kind === "json") return checkSize(store, name, text, MAX_DATA);
  if (kind === "lease") {
    if (text === "") refuseWith(badLease(store, text));
    return text;
  }
  if (kind === "name") return checkName(store, name, text);
  if (kind === "text") return checkSize(store, name, text, MAX_MESSAGE);
  return readNumber(store, name, kind, text);
}

/** The text if it may name something, else a refusal. */
export function checkName(store: Store, name: string, text: string): string {
  return store.text.isName(text) ? text : notName(name);
}

/** The refusal of what is to name something and cannot. */
export const badName = (name: string) =>
  `BAD_ARGUMENT Arg "${name}" must be 1 to 255 bytes without control characters`;

function notName(name: string): never {
  return refuseWith(badName(name));
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

/** The list that was read last: a worker names the same queues with every call. */
let lastText = "";
let lastList: readonly string[] = [];

/** Nearly every put says so, and decoding costs more than asking. */
const NO_NAMES: readonly string[] = [];

/** The names in a JSON array; also used for the lists inside batches. Others may have the same. */
export function readList(store: Store, name: string, text: string): readonly string[] {
  if (text === "[]") return NO_NAMES;
  if (text !== lastText) {
    lastList = decodeList(store, name, text);
    lastText = text;
  }
  return lastList;
}

function decodeList(store: Store, name: string, text: string): string[] {
  const list = store.text.list(text);
  if (list === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" not JSON array of texts: ${shown(store, text)}`);
  }
  if (list.length > MAX_LIST) tooMany(name);
  for (const member of list) checkName(store, name, member);
  return list;
}

/** Where a part of a batch ends whose options begin here, behind the number of their words. */
export function endOf(store: Store, words: string[], from: number, cutShort: string): number {
  const said = words[from - 1];
  if (said === "0") return from;
  const end = from + readCount(store, "options", said, 0);
  if (end > words.length || said === undefined) refuse("BAD_ARGUMENT", cutShort);
  return end;
}

/** The refusal of a lease that is not a whole number. */
export function badLease(store: Store, text: string): string {
  return `BAD_ARGUMENT Arg "lease" not a whole number: ${shown(store, text)}`;
}

const missing = (name: string) => `Arg "${name}" missing`;

function tooMany(name: string): never {
  return refuse("BAD_ARGUMENT", `Arg "${name}" has more than ${MAX_LIST} members`);
}
