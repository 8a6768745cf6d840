import { describe, expect, test } from "vitest";
import { criteriaOf, filterFrom, textOf } from "../../src/ui/lib/filter.ts";

const criteria = (text: string) => criteriaOf(filterFrom(text).terms, 10_000);

describe("a filter", () => {
  test("is made of words with fields, and a word without one is part of a jid", () => {
    expect(criteria("state:failed klass:mail.send tag:acme abc")).toEqual({
      state: "failed",
      klass: "mail.send",
      tag: "acme",
      jid: "abc",
    });
  });

  test("takes names with blanks, quotes and colons", () => {
    expect(criteria('queue:"night shift" tag:"a\\"b" group:x:y')).toEqual({
      queue: "night shift",
      tag: 'a"b',
      group: "x:y",
    });
  });

  test("reads lengths of time before now, and dates", () => {
    expect(criteria("since:2h until:90s")).toEqual({ from: 2800, to: 9910 });
    expect(criteria("since:1970-01-02")).toEqual({ from: 86_400 });
  });

  test("says in a sentence what it cannot make sense of", () => {
    expect(filterFrom("state:asleep").problems[0]).toMatch(/^There is no state asleep; there are/);
    expect(filterFrom("color:red").problems[0]).toMatch(/^There is no field color; there are/);
    expect(filterFrom("since:yesterday").problems[0]).toMatch(/such as 2h/);
    expect(filterFrom("tag:a tag:b").problems).toEqual(["tag can be given once."]);
    expect(filterFrom("order:random").problems).toEqual(["order is newest or oldest."]);
  });

  test("is the same again after it was written and read", () => {
    for (const value of ["plain", "two words", 'q"uote', "back\\slash", "co:lon", "★", "x:"]) {
      const terms = [{ field: "tag" as const, value }];
      expect(filterFrom(textOf(terms))).toEqual({ terms, problems: [] });
    }
  });

  test("asks the server for a klass with a star", () => {
    expect(criteria("klass:mail.* state:failed")).toEqual({ klass: "mail.*", state: "failed" });
  });
});
