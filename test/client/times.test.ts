import { describe, expect, test } from "vitest";
import { milliseconds, momentMs, momentOf, seconds } from "../../src/client/times.ts";

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

describe("the longest length of time", () => {
  test("is named in the unit of what was given", () => {
    expect(seconds("11574d", "delay")).toBe(999_993_600);
    expect(seconds(1e12, "delay")).toBe(1_000_000_000);
    expect(() => seconds("36500d", "delay")).toThrow(
      'delay must be at most "11574d", not "36500d"',
    );
    const rule = "delay must be at most 1000000000000 ms, not 1000000000001";
    expect(() => seconds(1e12 + 1, "delay")).toThrow(rule);
  });
});

describe("a moment", () => {
  test.each([
    [new Date(5000), 5000],
    [5000, 5000],
    ["1970-01-01T00:00:05Z", 5000],
  ])("%j is milliseconds since 1970", (given, expected) => {
    expect(momentMs(given, "at")).toBe(expected);
  });

  test.each([new Date(Number.NaN), -1, Number.NaN])("%j is none", (given) => {
    expect(() => momentMs(given, "at")).toThrow("at must be a Date");
  });

  test.each(["tomorrow", "", "1969-12-31T00:00:00Z"])("%j as a text is none", (given) => {
    const rule = "at must be a date and time from 1970 on, such as 2031-01-31T06:00:00Z, not";
    expect(() => momentMs(given, "at")).toThrow(rule);
  });

  test("can be no later than what the engine has places for", () => {
    expect(momentMs("2109-05-14T23:59:59Z", "at")).toBeLessThan(4_398_046_511_103);
    for (const late of ["2109-05-15T00:00:00Z", "9999-01-01", 5e12, new Date(5e12), Infinity]) {
      expect(() => momentMs(late, "at")).toThrow("at must be before 2109-05-15");
    }
  });

  test("of no seconds is none", () => {
    expect([momentOf(null), momentOf(undefined), momentOf(0)]).toEqual(Array(3).fill(undefined));
    expect(momentOf(1.0015)).toEqual(new Date(1002));
  });
});
