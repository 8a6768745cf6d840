import { padded } from "./terminal.ts";

/** Histograms of statistics on paper. */

/** Where the rows of a drawing begin, in seconds, and what they are called. */
const STEPS: readonly (readonly [seconds: number, label: string])[] = [
  [0, "0s"],
  [1, "1s"],
  [2, "2s"],
  [5, "5s"],
  [10, "10s"],
  [20, "20s"],
  [30, "30s"],
  [60, "1m"],
  [120, "2m"],
  [300, "5m"],
  [600, "10m"],
  [1200, "20m"],
  [1800, "30m"],
  [3600, "1h"],
  [7200, "2h"],
  [21_600, "6h"],
  [43_200, "12h"],
  [86_400, "1d"],
  [172_800, "2d"],
];
const BAR = 40;

/** Where a bin of the 148 begins, in seconds: those of a minute, an hour, a day, and days. */
export function beginOf(bin: number): number {
  if (bin < 60) return bin;
  if (bin < 119) return (bin - 59) * 60;
  if (bin < 142) return (bin - 118) * 3600;
  return (bin - 141) * 86_400;
}

/** A bar for each length of time between the shortest and the longest there was. */
export function histogramLines(histogram: readonly number[]): string[] {
  const counts = STEPS.map(() => 0);
  histogram.forEach((count, bin) => {
    const step = STEPS.findLastIndex(([seconds]) => beginOf(bin) >= seconds);
    counts[step] = counts[step]! + count;
  });
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return [];
  const last = counts.findLastIndex((count) => count > 0);
  const most = Math.max(...counts);
  return counts.slice(first, last + 1).map((count, i) => {
    const [, label] = STEPS[first + i]!;
    const bar = count === 0 ? "" : "█".repeat(Math.max(1, Math.round((count / most) * BAR)));
    return `  ${padded(label, 4, "right")}  ${bar}${bar === "" ? "" : " "}${count}`;
  });
}
