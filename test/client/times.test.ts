import { describe, expect, test } from "vitest";
import { milliseconds, momentMs, momentOf } from "../../src/client/times.ts";

describe("a length of time", () => {
  test.each([
    [0, 0],
    [1500, 1500],
    ["30s", 30_000],
    ["1.5h", 5_400_000],
    ["1h 30m", 5_400_000],
    ["1h30m", 5_400_000],
    ["2 d", 172_800_000],
    ["1w", 604_800_000],
    ["250ms", 250],
    [" 5m ", 300_000],
  ])("%j is %d milliseconds", (given, expected) => {
    expect(milliseconds(given, "delay")).toBe(expected);
  });

  test.each(["", "5", "5 minutes", "s", "-5s", "1h x", "5sec", "1e3s", -1, Number.NaN, Infinity])(
    "%j is none",
    (given) => {
      const rule = 'delay must be milliseconds or a text such as "30s" or "1h 30m", not';
      expect(() => milliseconds(given, "delay")).toThrow(rule);
    },
  );
});

describe("a moment", () => {
  test.each([
    [new Date(5000), 5000],
    [5000, 5000],
    ["1970-01-01T00:00:05Z", 5000],
  ])("%j is milliseconds since 1970", (given, expected) => {
    expect(momentMs(given, "at")).toBe(expected);
  });

  test.each([new Date(Number.NaN), "tomorrow", -1, Number.NaN])("%j is none", (given) => {
    expect(() => momentMs(given, "at")).toThrow("at must be a Date");
  });

  test("of no seconds is none", () => {
    expect([momentOf(null), momentOf(undefined), momentOf(0)]).toEqual(Array(3).fill(undefined));
    expect(momentOf(1.0015)).toEqual(new Date(1002));
  });
});
