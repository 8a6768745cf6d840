import type { QueueStatistics, Times } from "../client/queue-types.ts";

/** How long jobs waited or ran: their number, the sum, and how many by length. */
export interface TotalTimes {
  count: number;
  sumSeconds: number;
  /** As in `Times`. */
  histogram: readonly number[];
}

export interface Totals {
  wait: TotalTimes;
  run: TotalTimes;
  failures: number;
  retries: number;
}

const NO_TIMES: TotalTimes = { count: 0, sumSeconds: 0, histogram: [] };

export const EMPTY_TOTALS: Totals = { wait: NO_TIMES, run: NO_TIMES, failures: 0, retries: 0 };

/** The totals together with those of a day. */
export function addStatistics(totals: Totals, day: QueueStatistics): Totals {
  return {
    wait: addTimes(totals.wait, day.wait),
    run: addTimes(totals.run, day.run),
    failures: totals.failures + day.failures,
    retries: totals.retries + day.retries,
  };
}

function addTimes(totals: TotalTimes, day: Times): TotalTimes {
  const { count, meanMs, histogram } = day;
  return {
    count: totals.count + count,
    sumSeconds: totals.sumSeconds + (count * meanMs) / 1000,
    histogram: histogram.map((jobs, i) => jobs + (totals.histogram[i] ?? 0)),
  };
}

/** The end of each bin in seconds: of 60 seconds, 59 minutes, 23 hours, and days; the last has none. */
const ENDS: readonly number[] = [
  ...ends(60, 0, 1),
  ...ends(59, 1, 60),
  ...ends(23, 1, 3600),
  ...ends(5, 1, 86_400),
  Number.POSITIVE_INFINITY,
];

function ends(bins: number, first: number, unit: number): number[] {
  return Array.from({ length: bins }, (_, i) => (first + i + 1) * unit);
}

/** The limits that jobs are counted below, in seconds; each is the end of a bin. */
export const LIMITS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];

/** How many jobs took less than that long. */
export function below({ histogram }: TotalTimes, limit: number): number {
  let sum = 0;
  for (let i = 0; i < histogram.length && ENDS[i]! <= limit; i++) sum += histogram[i]!;
  return sum;
}
