import { dayOf, dayOfQueue, keepDay } from "./days.ts";
import { onLegacyEntry } from "./entry.ts";
import { numberIn, readRecord } from "./job.ts";
import { histogramDaysKey, statisticsDaysKey, statisticsKey } from "./keys.ts";
import { until } from "./ranges.ts";
import type { Store } from "./store.ts";
import { sumsOf } from "./sums.ts";
import { type Kind, notedOn, settleDay } from "./times.ts";

/**
 * Statistics by queue and day: how long jobs waited and ran (`total`, and the `sum` and the sum of
 * `squares` of how far their milliseconds are from the first of the day, the `base`: whole
 * numbers, so that they cost little to write, and small ones, so that none of their digits is
 * lost), and a histogram of 148 bins: the seconds of the first minute, the minutes of the first
 * hour, the hours of the first day, and days; the last takes the rest.
 */

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
export function timesJson(store: Store, kind: Kind, queue: string, ms: number): string {
  const day = dayOfQueue(store, ms, queue);
  const key = statisticsKey(kind, day);
  const { text } = store;
  const all = readRecord(store, key);
  const noted = sumsOf(store, key, notedOn(store, kind, day));
  for (let i = 0; i < noted.length; i += 2) all[noted[i]!] = noted[i + 1] as string;
  const count = numberIn(store, all.total, 0);
  const off = count > 0 ? numberIn(store, all.sum, 0) / count : 0;
  const spread = numberIn(store, all.squares, 0) - off * off * count;
  const variance = count > 1 && spread > 0 ? spread / (count - 1) / 1000000 : 0;
  const bins: string[] = [];
  for (const bin of binNames()) bins.push(all[bin] ?? "0");
  const members = [
    `"count":${count}`,
    `"mean":${text.decimal((numberIn(store, all.base, 0) + off) / 1000)}`,
    `"std":${text.decimal(Math.sqrt(variance))}`,
    `"histogram":[${bins.join(",")}]`,
  ];
  if (!onLegacyEntry()) {
    members.push(`"total":${count}`);
    members.push(`"variance":${text.decimal(variance)}`);
    addPercentiles(store, bins, members);
  }
  return `{${members.join(",")}}`;
}

/** The start of the bin in which the 50th, 95th and 99th of a hundred jobs lies. */
function addPercentiles(store: Store, bins: string[], members: string[]): void {
  const counts: number[] = [];
  let total = 0;
  for (const bin of bins) {
    const count = store.text.value(bin);
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
    settleDay(store, day);
    for (const kind of ["wait", "run", "stats"]) keys.push(statisticsKey(kind, day));
  }
  store.remove(keys);
  store.unrank(statisticsDaysKey(), gone);
  store.unrank(histogramDaysKey(), gone);
  const blurred = until(today - Math.max(1, histogramDays) * 86400);
  const faded = store.between(histogramDaysKey(), blurred, 0, count);
  for (const day of faded) {
    settleDay(store, day);
    store.unset(statisticsKey("wait", day), binNames());
    store.unset(statisticsKey("run", day), binNames());
  }
  store.unrank(histogramDaysKey(), faded);
  return gone.length + faded.length;
}
