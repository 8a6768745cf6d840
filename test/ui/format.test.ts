import { expect, test } from "vitest";
import { count, length, lengthFrom, plural, rate, relative } from "../../src/ui/lib/format.ts";
import { barsOf } from "../../src/ui/pages/queue/histogram.ts";
import { cronWords } from "../../src/ui/pages/recurring/words.ts";

test("lengths of time are told by their two largest units", () => {
  const told = [0, 0.34, 4.25, 59, 60, 200, 3600, 18_120, 93_600].map(length);
  expect(told).toEqual(["0 ms", "340 ms", "4.3 s", "59 s", "1m", "3m 20s", "1h", "5h 2m", "1d 2h"]);
});

test("moments are told as how long ago they are, the older the coarser", () => {
  const told = [100, 97, 105, 100 - 200, 100 - 4000].map((at) => relative(at, 100));
  expect(told).toEqual(["now", "3 s ago", "in 5 s", "3m 20s ago", "1h 6m ago"]);
});

test("rates are told by a second, a minute or an hour", () => {
  expect([undefined, 0, 250, 2.5, 0.5, 0.001].map(rate)).toEqual([
    "–",
    "0",
    "250/s",
    "2.5/s",
    "30/min",
    "3.6/h",
  ]);
});

test("large numbers are shortened, and one is not many", () => {
  expect([0, 12_345, 1_234_567].map(count)).toEqual(["0", "12,345", "1.2M"]);
  expect([plural(1, "job"), plural(0, "job")]).toEqual(["1 job", "0 jobs"]);
});

test("lengths are read as they are written", () => {
  expect(["30s", "1h 30m", "2d", "", "soon", "5"].map(lengthFrom)).toEqual([
    30,
    5400,
    172_800,
    undefined,
    undefined,
    undefined,
  ]);
});

test("cron expressions that are plain are said in English", () => {
  expect(
    ["0 9 * * 1-5", "*/15 * * * *", "5 * * * *", "30 4 1 * *", "@daily"].map(cronWords),
  ).toEqual([
    "every weekday at 09:00",
    "every day, every 15 minutes",
    "every day, each hour at 5 past",
    "on day 1 of every month at 04:30",
    "every day at midnight",
  ]);
});

test("every bin of a histogram is in one bar", () => {
  const bars = barsOf(Array.from({ length: 148 }, () => 1));
  expect(bars.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(148);
  const few = barsOf([0, 3, ...Array.from({ length: 146 }, () => 0)]);
  expect(few).toContainEqual({ name: "<2s", jobs: 3 });
  expect(few.length).toBeLessThan(8);
});
