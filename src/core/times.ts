import { DAY_MS, dayOf, dayOfQueue, keepDay } from "./days.ts";
import { notedKey, statisticsKey } from "./keys.ts";
import { add } from "./pairs.ts";
import type { Store } from "./store.ts";
import { sumsOf, type Times } from "./sums.ts";

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
  if (ms !== lastWait) spellWait(store, ms);
  if (lastWaitNote === repeated && queue === saidOf) repeats += 1;
  else note(store, queue, lastWaitNote);
}

let lastWait = 0;
let lastWaitNote = "-1,";

function spellWait(store: Store, ms: number): void {
  lastWait = ms;
  lastWaitNote = ms > 0 ? "-" + store.text.integer(ms + 1) + "," : "-1,";
}

/** As `noteWait`, of a run: jobs that began together mostly end together. */
export function noteRun(store: Store, queue: string, ms: number): void {
  if (ms !== lastRun) spellRun(store, ms);
  if (lastRunNote === repeated && queue === saidOf) repeats += 1;
  else note(store, queue, lastRunNote);
}

let lastRun = 0;
let lastRunNote = "0,";

function spellRun(store: Store, ms: number): void {
  lastRun = ms;
  lastRunNote = ms > 0 ? store.text.integer(ms) + "," : "0,";
}

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
  write(store, said);
  said = "";
  repeated = "";
  repeats = 0;
  return settled;
}

function write(store: Store, text: string): void {
  const dayOfIt = dayOfSaid(store);
  const bytes = store.append(notedKey(dayOfIt), text);
  if (bytes === store.text.bytes(text)) keepDay(store, saidAt, dayOfIt);
  if (bytes > most) settled += settleDay(store, dayOfIt);
}

/** As `noteRun`, `noteWait` and `writeNotes`, for a call that has one of each to note. */
export function noteTurn(
  store: Store,
  now: number,
  queue: string,
  ran: number,
  waited: number,
): number {
  if (ran !== lastRun) spellRun(store, ran);
  if (waited !== lastWait) spellWait(store, waited);
  saidOf = queue;
  saidAt = now;
  most = MOST_OF_RUNS;
  settled = 0;
  write(store, lastRunNote + lastWaitNote);
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
