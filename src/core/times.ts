import { dayOf, dayOfQueue, keepDay } from "./days.ts";
import { numberOr } from "./job.ts";
import { queueKey, statisticsKey } from "./keys.ts";
import { add } from "./pairs.ts";
import type { Absent, Pairs, Store } from "./store.ts";

export type Kind = "wait" | "run";

/**
 * Adding one job to a day's statistics costs as much as the rest of its pop, and adding thirty
 * costs hardly more than one. So times are noted in the queue's record first, `<day> TAB 12 7 0
 * ...`, and go to the day's statistics when there are many or the day is over. Who reads the
 * statistics reads both.
 */
const notedField = (kind: Kind) => (kind === "wait" ? "waits" : "runs");

/** Bytes of noted times from which on they are added to the day's statistics. */
const NOTED_BYTES = 200;
/** Times that are worth adding to the statistics at once. */
const MANY = 8;
/** Times that are added at once between two looks. */
const LOOK = 100;

let today = -1;
let todayText = "";

/** How times of this day begin. Days are long, so the text of the last one is kept. */
function dayMark(store: Store, now: number): string {
  const day = dayOf(now);
  if (day !== today) {
    today = day;
    todayText = store.text.integer(day) + "\t";
  }
  return todayText;
}

/**
 * Notes how long some jobs waited or ran, in milliseconds, behind what the queue's record has noted
 * so far, or adds them to the statistics; returns, once for some fifty or hundred of them, that it
 * is time to look at what has come together.
 */
export function noteTimes(
  store: Store,
  now: number,
  kind: Kind,
  queue: string,
  noted: string | Absent,
  times: number[],
): boolean {
  const { text } = store;
  const mark = dayMark(store, now);
  const isToday = noted !== false && text.startsWith(noted, mark);
  if (!isToday) {
    if (noted !== false) addNoted(store, kind, queue, noted);
    keepDay(store, now, dayOfQueue(store, now, queue));
  }
  if (times.length >= MANY) {
    const total = addTimes(store, kind, dayOfQueue(store, now, queue), times);
    if (!isToday) store.set(queueKey(queue), [notedField(kind), mark]);
    return total % LOOK < times.length;
  }
  let all = isToday ? noted : mark;
  for (const time of times) all = all + text.integer(time) + " ";
  const full = text.bytes(all) > NOTED_BYTES;
  if (full) addNoted(store, kind, queue, all);
  store.set(queueKey(queue), [notedField(kind), full ? mark : all]);
  return full;
}

/** Whether noted times can be read. */
export function areTimes(store: Store, noted: string): boolean {
  const [day, times] = store.text.split(noted, 2);
  return times !== undefined && store.text.areNumbers(day! + " " + times);
}

/** Adds noted times to the statistics of their day. */
function addNoted(store: Store, kind: Kind, queue: string, noted: string): void {
  if (!areTimes(store, noted)) return;
  const [day, listed] = store.text.split(noted, 2);
  const times = store.text.numbers(listed!);
  if (times.length > 0) addTimes(store, kind, day! + ":" + queue, times);
}

/** Adds times to the statistics of a day, and returns how many are in them. */
function addTimes(store: Store, kind: Kind, dayOfIt: string, times: number[]): number {
  const key = statisticsKey(kind, dayOfIt);
  const sums = sumsOf(store, key, times);
  store.set(key, sums);
  return store.text.value(sums[TOTAL] as string);
}

/** Whether times of this day of a queue, `<day>:<queue>`, are noted in its record. */
export function hasNoted(store: Store, dayOfIt: string): boolean {
  const [day, queue] = store.text.divide(dayOfIt, ":");
  for (const noted of store.fields(queueKey(queue!), ["waits", "runs"])) {
    if (noted !== false && store.text.startsWith(noted, day! + "\t")) return true;
  }
  return false;
}

/** Adds what is noted of a day to its statistics, for they are about to change as a whole. */
export function settleDay(store: Store, dayOfIt: string): void {
  const [day, queue] = store.text.divide(dayOfIt, ":");
  for (const kind of ["wait", "run"] as const) {
    const key = queueKey(queue!);
    const noted = store.field(key, notedField(kind));
    if (noted !== false && store.text.startsWith(noted, day! + "\t")) {
      addNoted(store, kind, queue!, noted);
      store.unset(key, [notedField(kind)]);
    }
  }
}

/** What is noted of a queue on the day of `ms` and not among its statistics yet. */
export function notedOn(store: Store, kind: Kind, queue: string, ms: number): number[] {
  const noted = store.field(queueKey(queue), notedField(kind));
  const mark = store.text.integer(dayOf(ms)) + "\t";
  if (noted === false || !store.text.startsWith(noted, mark) || !areTimes(store, noted)) return [];
  return store.text.numbers(store.text.split(noted, 2)[1]!);
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

/** Where the total is among what `sumsOf` gives. */
const TOTAL = 1;

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
