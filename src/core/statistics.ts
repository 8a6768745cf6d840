import { onLegacyEntry } from "./entry.ts";
import { histogramDaysKey, statisticsDaysKey, statisticsKey } from "./keys.ts";
import { add } from "./pairs.ts";
import { until } from "./ranges.ts";
import type { Pairs, Store } from "./store.ts";

/**
 * Statistics by queue and day: how long jobs waited and ran (`total`, and the `sum` and the sum of `squares` of how
 * far their milliseconds are from the first of the day, the `base`: whole numbers, so that they cost
 * little to write, and small ones, so that none of their digits is lost), and a histogram of 148 bins: the seconds of the first
 * minute, the minutes of the first hour, the hours of the first day, and days; the last takes the rest.
 */

const DAY_MS = 86400000;

/** Midnight before the time, as the seconds that keys carry. */
export const dayOf = (ms: number) => (Math.floor(ms / DAY_MS) * DAY_MS) / 1000;

const dayOfQueue = (store: Store, ms: number, queue: string) =>
  store.text.integer(dayOf(ms)) + ":" + queue;

/** Adds how long some jobs waited or ran, in milliseconds, to the day of `now`. */
export function recordTimes(
  store: Store,
  kind: "wait" | "run",
  { queue, now, times }: { queue: string; now: number; times: number[] },
): number {
  const day = dayOfQueue(store, now, queue);
  const key = statisticsKey(kind, day);
  const names = ["total", "sum", "squares", "base"];
  for (const time of times) addOnce(names, binOf(store, time));
  const fields = store.fields(key, names);
  if (fields[0] === false) keepDay(store, now, day);
  let sum = numberOf(store, fields[1]!);
  let squares = numberOf(store, fields[2]!);
  const base = fields[3] === false ? times[0]! : store.text.value(fields[3]!);
  for (const time of times) {
    sum += time - base;
    squares += (time - base) * (time - base);
  }
  const { text } = store;
  const total = numberOf(store, fields[0]!) + times.length;
  const pairs: Pairs = ["total", text.integer(total), "sum", text.integer(sum)];
  if (fields[3] === false) add(pairs, "base", text.integer(base));
  add(pairs, "squares", squares < MAX_WHOLE ? text.integer(squares) : text.exact(squares));
  for (let i = 4; i < names.length; i++) {
    const more = times.length === 1 ? 1 : countBin(store, times, names[i]!);
    add(pairs, names[i]!, text.integer(numberOf(store, fields[i]!) + more));
  }
  store.set(key, pairs);
  return total;
}

/** Beyond this a number has no last digit any more. */
const MAX_WHOLE = 9007199254740992;

function addOnce(names: string[], name: string): void {
  for (let i = 4; i < names.length; i++) if (names[i] === name) return;
  names.push(name);
}

const numberOf = (store: Store, field: string | false) =>
  field === false ? 0 : store.text.value(field);

function countBin(store: Store, times: number[], bin: string): number {
  let count = 0;
  for (const time of times) if (binOf(store, time) === bin) count += 1;
  return count;
}

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

/** Adds to a counter of the day: `failures`, `failed` or `retries`. */
export function countOfDay(store: Store, ms: number, queue: string, name: string): void {
  const day = dayOfQueue(store, ms, queue);
  const key = statisticsKey("stats", day);
  if (store.increase(key, name, 1) === 1) keepDay(store, ms, day);
}

/** One less job is failed of those that failed on that day, if the day is still kept. */
export function uncountFailed(store: Store, ms: number, queue: string): void {
  const key = statisticsKey("stats", dayOfQueue(store, ms, queue));
  const failed = store.field(key, "failed");
  if (failed !== false && failed !== "0") store.increase(key, "failed", -1);
}

/** Notes a day's statistics, so that they can be found when it is time to drop them. */
function keepDay(store: Store, ms: number, day: string): void {
  store.rank(statisticsDaysKey(), [dayOf(ms), day]);
  store.rank(histogramDaysKey(), [dayOf(ms), day]);
}

const BINS: readonly (readonly [unit: string, from: number, to: number])[] = [
  ["s", 0, 59],
  ["m", 1, 59],
  ["h", 1, 23],
  ["d", 1, 6],
];

/** The names of all 148 bins, in order. */
export function binNames(): string[] {
  const names: string[] = [];
  for (const [unit, from, to] of BINS) {
    for (let i = from; i <= to; i++) names.push(`${unit}${i}`);
  }
  return names;
}

const SECONDS: { [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86400 };

/** The seconds at which each bin begins, in the order of `binNames`. */
function binStarts(): number[] {
  const starts: number[] = [];
  for (const [unit, from, to] of BINS) {
    for (let i = from; i <= to; i++) starts.push(i * SECONDS[unit]!);
  }
  return starts;
}

/** How long jobs of a queue waited or ran on the day of `ms`, as JSON. */
export function timesJson(store: Store, kind: "wait" | "run", queue: string, ms: number): string {
  const key = statisticsKey(kind, dayOfQueue(store, ms, queue));
  const { text } = store;
  const [total, sum, squares, base] = store.fields(key, ["total", "sum", "squares", "base"]);
  const count = numberOf(store, total!);
  const off = count > 0 ? numberOf(store, sum!) / count : 0;
  const spread = numberOf(store, squares!) - off * off * count;
  const variance = count > 1 && spread > 0 ? spread / (count - 1) / 1000000 : 0;
  const bins = store.fields(key, binNames());
  const shown: string[] = [];
  for (const bin of bins) shown.push(bin === false ? "0" : bin);
  const members = [
    `"count":${count}`,
    `"mean":${text.decimal((numberOf(store, base!) + off) / 1000)}`,
    `"std":${text.decimal(Math.sqrt(variance))}`,
    `"histogram":[${shown.join(",")}]`,
  ];
  if (!onLegacyEntry()) {
    members.push(`"total":${count}`);
    members.push(`"variance":${text.decimal(variance)}`);
    addPercentiles(store, bins, members);
  }
  return `{${members.join(",")}}`;
}

/** The start of the bin in which the 50th, 95th and 99th of a hundred jobs lies. */
function addPercentiles(store: Store, bins: (string | false)[], members: string[]): void {
  const counts: number[] = [];
  let total = 0;
  for (const bin of bins) {
    const count = bin === false ? 0 : store.text.value(bin);
    counts.push(count);
    total += count;
  }
  const starts = binStarts();
  for (const percent of [50, 95, 99]) {
    members.push(`"p${percent}":${percentile(counts, starts, (total * percent) / 100)}`);
  }
}

function percentile(counts: number[], starts: number[], wanted: number): number {
  let seen = 0;
  for (let i = 0; i < counts.length; i++) {
    seen += counts[i]!;
    if (seen > 0 && seen >= wanted) return starts[i]!;
  }
  return 0;
}

/** The three counters of a day as members of a JSON object. */
export function countersJson(store: Store, queue: string, ms: number): string {
  const key = statisticsKey("stats", dayOfQueue(store, ms, queue));
  const [retries, failed, failures] = store.fields(key, ["retries", "failed", "failures"]);
  const shown = (value: string | false) => (value === false ? "0" : value);
  return `"retries":${shown(retries!)},"failed":${shown(failed!)},"failures":${shown(failures!)}`;
}

/** Drops statistics of days long gone; returns how many days of queues were touched. */
export function dropOldStatistics(
  store: Store,
  now: number,
  { statsDays, histogramDays, count }: { statsDays: number; histogramDays: number; count: number },
): number {
  const today = dayOf(now);
  const old = until(today - Math.max(1, statsDays) * 86400);
  const gone = store.between(statisticsDaysKey(), old, 0, count);
  const keys: string[] = [];
  for (const day of gone) {
    for (const kind of ["wait", "run", "stats"]) keys.push(statisticsKey(kind, day));
  }
  store.remove(keys);
  store.unrank(statisticsDaysKey(), gone);
  store.unrank(histogramDaysKey(), gone);
  const blurred = until(today - Math.max(1, histogramDays) * 86400);
  const faded = store.between(histogramDaysKey(), blurred, 0, count);
  for (const day of faded) {
    store.unset(statisticsKey("wait", day), binNames());
    store.unset(statisticsKey("run", day), binNames());
  }
  store.unrank(histogramDaysKey(), faded);
  return gone.length + faded.length;
}
