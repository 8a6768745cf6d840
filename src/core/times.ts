import { dayOf, keepDay } from "./days.ts";
import { numberOr } from "./job.ts";
import { notedKey, statisticsKey } from "./keys.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";

export type Kind = "wait" | "run";

/**
 * Adding one job to a day's statistics costs as much as the rest of its pop, and adding thirty
 * costs hardly more than one. So times are noted first, `12 7 310;`: waits with a blank behind
 * them, runs with a semicolon. They go to the statistics of their day when there are many or the
 * day is over. Who reads the statistics reads both.
 */
const MARKS = { wait: " ", run: ";" } as const;

export const waitNote = (store: Store, ms: number) => store.text.integer(ms) + " ";
export const runNote = (store: Store, ms: number) => store.text.integer(ms) + ";";

/** Times that a call has noted and not written yet, all of one queue. */
export interface Noting {
  now: number;
  queue: string;
  said: string;
  /** Bytes of noted times from which on they are added to the day's statistics. */
  most: number;
  /** How many runs the call has added to statistics. */
  settled: number;
}

/** For those who end jobs. */
export const MOST_OF_RUNS = 600;
/**
 * For those who take jobs: they leave it to the others to add many times to the statistics, for these
 * make use of the occasion, unless there are none.
 */
export const MOST_OF_WAITS = 4 * MOST_OF_RUNS;

export const newNoting = (now: number, most: number): Noting => ({
  now,
  queue: "",
  said: "",
  most,
  settled: 0,
});

/** Notes times of a queue; those that follow each other in one queue are written together. */
export function note(store: Store, noting: Noting, queue: string, said: string): void {
  if (noting.queue !== queue) {
    writeNotes(store, noting);
    noting.queue = queue;
  }
  noting.said = noting.said + said;
}

/** Writes what is noted, and adds it to the statistics if it has become much. */
export function writeNotes(store: Store, noting: Noting): void {
  const { now, queue, said } = noting;
  if (said === "") return;
  const dayOfIt = dayMark(store, now) + queue;
  const bytes = store.append(notedKey(dayOfIt), said);
  if (bytes === store.text.bytes(said)) keepDay(store, now, dayOfIt);
  if (bytes > noting.most) noting.settled += settleDay(store, dayOfIt);
  noting.said = "";
}

let today = -1;
let todayText = "";

/** How a queue's day begins. Days are long, so the text of the last one is kept. */
function dayMark(store: Store, now: number): string {
  const day = dayOf(now);
  if (day !== today) {
    today = day;
    todayText = store.text.integer(day) + ":";
  }
  return todayText;
}

/** Adds what is noted of a day of a queue to its statistics, and returns how many runs it was. */
export function settleDay(store: Store, dayOfIt: string): number {
  const noted = store.read(notedKey(dayOfIt));
  if (noted === false) return 0;
  addTimes(store, "wait", dayOfIt, noted);
  store.remove([notedKey(dayOfIt)]);
  return addTimes(store, "run", dayOfIt, noted);
}

/** Adds noted times to the statistics of a day, and returns how many they were. */
function addTimes(store: Store, kind: Kind, dayOfIt: string, noted: string): number {
  const key = statisticsKey(kind, dayOfIt);
  const times = store.text.numbersBefore(noted, MARKS[kind]);
  store.set(key, sumsOf(store, key, times));
  return times.length;
}

/** What is noted of a day of a queue and not among its statistics yet. */
export function notedOn(store: Store, kind: Kind, dayOfIt: string): number[] {
  const noted = store.read(notedKey(dayOfIt));
  return noted === false ? [] : store.text.numbersBefore(noted, MARKS[kind]);
}

/** What changes in a day's statistics when some times are added to them, as it is written. */
export function sumsOf(store: Store, key: string, times: number[]): Pairs {
  const count = times.length;
  if (count === 0) return [];
  const { text } = store;
  const fields = store.fields(key, SUMS);
  const base = numberOr(store, fields[3]!, times[0]!);
  let sum = numberOr(store, fields[1]!, 0);
  let squares = numberOr(store, fields[2]!, 0);
  const bins: string[] = [];
  const counts: { [bin: string]: number } = { s0: 0 };
  for (let i = 0; i < count; i++) {
    const time = times[i]!;
    const off = time - base;
    sum += off;
    squares += off * off;
    if (time >= 1000) countIn(bins, counts, binOf(store, time));
    else if (counts.s0 === 0) countIn(bins, counts, "s0");
    else counts.s0! += 1;
  }
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

function countIn(bins: string[], counts: { [bin: string]: number }, bin: string): void {
  const before = counts[bin] ?? 0;
  if (before === 0) bins.push(bin);
  counts[bin] = before + 1;
}

const SUMS = ["total", "sum", "squares", "base"];

/** Beyond this a number has no last digit any more. */
const MAX_WHOLE = 9007199254740992;

function binOf(store: Store, ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds <= 0) return "s0";
  const { text } = store;
  if (seconds < 60) return "s" + text.integer(seconds);
  if (seconds < 3600) return "m" + text.integer(Math.floor(seconds / 60));
  if (seconds < 86400) return "h" + text.integer(Math.floor(seconds / 3600));
  const days = Math.floor(seconds / 86400);
  return days > 6 ? "d6" : "d" + text.integer(days);
}
