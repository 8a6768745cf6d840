import { DAY_MS, dayOf, dayOfQueue, keepDay } from "./days.ts";
import { numberOr } from "./job.ts";
import { notedKey, statisticsKey } from "./keys.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";

export type Kind = "wait" | "run";

/**
 * Adding one job to a day's statistics costs as much as the rest of its pop, and adding a hundred
 * costs hardly more than ten. So times are noted first, `310,-13,`: runs as they are, waits below
 * zero, so that a wait of 12 is -13 and one of 0 is -1. They go to the statistics of their day when
 * there are many or the day is over. Who reads the statistics reads both. A clock that was set back
 * makes no time less than none.
 */
export function noteWait(store: Store, queue: string, ms: number): void {
  // Jobs that were put together are taken one after the other.
  if (ms !== lastWait) {
    lastWait = ms;
    lastWaitNote = ms > 0 ? "-" + store.text.integer(ms + 1) + "," : "-1,";
  }
  if (lastWaitNote === repeated && queue === saidOf) repeats += 1;
  else note(store, queue, lastWaitNote);
}

let lastWait = 0;
let lastWaitNote = "-1,";

/** As `noteWait`, of a run: jobs that began together mostly end together. */
export function noteRun(store: Store, queue: string, ms: number): void {
  if (ms !== lastRun) {
    lastRun = ms;
    lastRunNote = ms > 0 ? store.text.integer(ms) + "," : "0,";
  }
  if (lastRunNote === repeated && queue === saidOf) repeats += 1;
  else note(store, queue, lastRunNote);
}

let lastRun = 0;
let lastRunNote = "0,";

/** Bytes of noted times from which on those who end jobs add them to the day's statistics. */
export const MOST_OF_RUNS = 1200;
/**
 * For those who take jobs: they leave it to the others to add many times to the statistics, for these
 * make use of the occasion, unless there are none.
 */
export const MOST_OF_WAITS = 2 * MOST_OF_RUNS;

/**
 * What the call has noted and not written yet, all of one queue, and how many runs it has added to
 * statistics. Commands are synchronous, so there is one call at a time, and Lua makes no table for
 * each.
 */
let said = "";
/** What comes behind it so many times: of jobs that come together, most have the same times. */
let repeated = "";
let repeats = 0;
let saidOf = "";
let saidAt = 0;
let most = 0;
let settled = 0;

/** To be called before a call notes anything: the one before may have been refused halfway. */
export function startNotes(now: number, bytes: number): void {
  said = "";
  repeated = "";
  repeats = 0;
  saidAt = now;
  most = bytes;
  settled = 0;
}

/** Notes another time of a queue; those that follow each other in one queue are written together. */
function note(store: Store, queue: string, time: string): void {
  if (queue !== saidOf) {
    writeNotes(store);
    saidOf = queue;
  } else if (repeats === 1 && said === "") said = repeated;
  else if (repeats > 0) sayRepeated();
  repeated = time;
  repeats = 1;
}

function sayRepeated(): void {
  said = said + (repeats === 1 ? repeated : repeated.repeat(repeats));
}

/**
 * Writes what is noted, and adds it to the statistics if it has become much. Returns how many runs
 * the call has added to them.
 */
export function writeNotes(store: Store): number {
  if (repeats === 1) said = said === "" ? repeated : said + repeated;
  else if (repeats > 0) sayRepeated();
  else if (said === "") return settled;
  const dayOfIt = dayOfSaid(store);
  const bytes = store.append(notedKey(dayOfIt), said);
  if (bytes === store.text.bytes(said)) keepDay(store, saidAt, dayOfIt);
  if (bytes > most) settled += settleDay(store, dayOfIt);
  said = "";
  repeated = "";
  repeats = 0;
  return settled;
}

/** The day of what was noted last, from and to which millisecond it lasts, and of which queue it was. */
let todayFrom = 0;
let todayTo = 0;
let todayOf = "";
let todayText = "";

/** The day and queue of what is noted. It is mostly the same again, so the last one is kept. */
function dayOfSaid(store: Store): string {
  if (saidOf === todayOf && saidAt >= todayFrom && saidAt < todayTo) return todayText;
  todayFrom = dayOf(saidAt) * 1000;
  todayTo = todayFrom + DAY_MS;
  todayOf = saidOf;
  todayText = dayOfQueue(store, saidAt, saidOf);
  return todayText;
}

/** Adds what is noted of a day of a queue to its statistics, and returns how many runs it was. */
export function settleDay(store: Store, dayOfIt: string): number {
  const noted = store.read(notedKey(dayOfIt));
  if (noted === false) return 0;
  store.remove([notedKey(dayOfIt)]);
  const times = timesIn(store, noted);
  addTimes(store, statisticsKey("wait", dayOfIt), times.wait);
  addTimes(store, statisticsKey("run", dayOfIt), times.run);
  return times.run.count;
}

function addTimes(store: Store, key: string, times: Times): void {
  store.set(key, sumsOf(store, key, times));
}

/** Times in milliseconds, each followed by how often it comes in a row, and how many they are. */
export interface Times {
  list: number[];
  count: number;
}

/** The times in a note; none if somebody else has written it. */
function timesIn(store: Store, noted: string): { [kind in Kind]: Times } {
  const all = store.text.numbers(noted) ?? [];
  const wait: Times = { list: [], count: 0 };
  const run: Times = { list: [], count: 0 };
  let time = all[0];
  let from = 0;
  const end = all.length + 1;
  for (let i = 1; i < end; i++) {
    const next = all[i];
    // Behind the last there is none, which is another one.
    if (next !== time) {
      if (time! >= 0) addRow(run, time!, i - from);
      else addRow(wait, -1 - time!, i - from);
      time = next;
      from = i;
    }
  }
  return { wait, run };
}

function addRow(times: Times, time: number, count: number): void {
  add(times.list, time, count);
  times.count += count;
}

/** What is noted of a day of a queue and not among its statistics yet. */
export function notedOn(store: Store, kind: Kind, dayOfIt: string): Times {
  const noted = store.read(notedKey(dayOfIt));
  return timesIn(store, noted === false ? "" : noted)[kind];
}

/** What changes in a day's statistics when some times are added to them, as it is written. */
export function sumsOf(store: Store, key: string, { list, count }: Times): Pairs {
  if (count === 0) return [];
  const { text } = store;
  const fields = store.fields(key, SUMS);
  const base = numberOr(store, fields[3]!, list[0]!);
  let sum = numberOr(store, fields[1]!, 0);
  let squares = numberOr(store, fields[2]!, 0);
  const bins: string[] = [];
  const counts: { [bin: string]: number } = {};
  // Times that are noted together are often in one bin.
  let [name, from, to] = binOf(store, list[0]!);
  let within = 0;
  const length = list.length;
  for (let i = 0; i < length; i += 2) {
    const time = list[i]!;
    const times = list[i + 1]!;
    const off = time - base;
    sum += off * times;
    squares += off * off * times;
    if (time < from || time >= to) {
      countIn(bins, counts, name, within);
      [name, from, to] = binOf(store, time);
      within = 0;
    }
    within += times;
  }
  countIn(bins, counts, name, within);
  const total = numberOr(store, fields[0]!, 0) + count;
  const pairs: Pairs = ["total", text.integer(total), "sum", text.integer(sum)];
  add(pairs, "base", text.integer(base));
  add(pairs, "squares", squares < MAX_WHOLE ? text.integer(squares) : text.exact(squares));
  const known = store.fields(key, bins);
  for (let i = 0; i < bins.length; i++) {
    add(pairs, bins[i]!, text.integer(numberOr(store, known[i]!, 0) + counts[bins[i]!]!));
  }
  return pairs;
}

function countIn(
  bins: string[],
  counts: { [bin: string]: number },
  bin: string,
  within: number,
): void {
  const before = counts[bin] ?? 0;
  if (before === 0) bins.push(bin);
  counts[bin] = before + within;
}

const SUMS = ["total", "sum", "squares", "base"];

/** Beyond this a number has no last digit any more. */
const MAX_WHOLE = 9007199254740992;

/** A bin, the milliseconds at which it begins, and those at which the next one does. */
type Bin = [name: string, from: number, to: number];

function binOf(store: Store, ms: number): Bin {
  if (ms < 60000) return binOfUnit(store, "s", 1000, ms);
  if (ms < 3600000) return binOfUnit(store, "m", 60000, ms);
  if (ms < 86400000) return binOfUnit(store, "h", 3600000, ms);
  if (ms < 518400000) return binOfUnit(store, "d", 86400000, ms);
  return ["d6", 518400000, MAX_WHOLE];
}

function binOfUnit(store: Store, unit: string, length: number, ms: number): Bin {
  const number = Math.floor(ms / length);
  return [unit + store.text.integer(number), number * length, (number + 1) * length];
}
