import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/core/text.ts";
import { nodeText as text } from "../../src/embedded/text.ts";

const HALF_PAIR = "\ud800";

describe("text: numbers", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["17", 17],
    ["007", 7],
    ["-1.5e3", -1500],
    ["1.", 1],
    [".5", 0.5],
    ["-.5", -0.5],
    ["1E+2", 100],
    ["1e-2", 0.01],
    ["9007199254740993", 9007199254740992],
  ])("number reads %j", (given, expected) => {
    expect(text.number(given)).toBe(expected);
  });

  test.each([
    "",
    " ",
    " 5",
    "5 ",
    "5\n",
    "+5",
    "--5",
    "0x10",
    "1e",
    "e5",
    ".",
    "-",
    "1.2.3",
    "1_000",
    "1e309",
    "-1e309",
    "nan",
    "NaN",
    "inf",
    "Infinity",
    "٣",
  ])("number refuses %j", (given) => {
    expect(text.number(given)).toBeUndefined();
  });

  test.each([
    [0, "0"],
    [-0, "0"],
    [1, "1"],
    [-1.5, "-1.5"],
    [0.1, "0.1"],
    [1 / 3, "0.333333333"],
    [2 / 3, "0.666666667"],
    [-2 / 3, "-0.666666667"],
    [0.9999999996, "1"],
    [1.9999999996, "2"],
    [1e-9, "0.000000001"],
    [1e-10, "0"],
    [-1e-10, "0"],
    [0.05, "0.05"],
    [1234567890.123, "1234567890.122999907"],
    [999999999999999, "999999999999999"],
    [4503599627370495.5, "4503599627370495.5"],
  ])("decimal writes %d as %j", (given, expected) => {
    expect(text.decimal(given)).toBe(expected);
  });

  test.each([0, 0.1, 1 / 3, 1e300, -5e-324, 1700000000.123, 2 ** 53])(
    "exact writes %d so that it reads back the same",
    (given) => {
      expect(Number(text.exact(given))).toBe(given);
    },
  );

  test("value reads what integer and exact have written", () => {
    for (const given of [0, -7, 1700000000123, 2 ** 53]) {
      expect(text.integer(given)).toBe(given.toFixed(0));
      expect(text.value(text.integer(given))).toBe(given);
      expect(text.value(text.exact(given / 7))).toBe(given / 7);
    }
  });

  test("score writes what Redis takes", () => {
    expect([0, -1.5, 12, Number.NEGATIVE_INFINITY].map(text.score)).toEqual([
      "0",
      "-1.5",
      "12",
      "-inf",
    ]);
  });

  test.each([
    [0, "0000000000000"],
    [255, "00000000000ff"],
    [2 ** 52 - 1, "fffffffffffff"],
  ])("order writes %d as %j, and orderOf reads it back", (given, expected) => {
    expect(text.order(given)).toBe(expected);
    expect(text.orderOf(expected)).toBe(given);
  });

  test("orderOf reads the digits at the beginning and leaves what follows", () => {
    expect(text.orderOf(`${text.order(77)}abc`)).toBe(77);
  });
});

describe("text: pieces", () => {
  test.each([
    ["a\tb\tc", 2, ["a", "b\tc"]],
    ["a\tb\tc", 3, ["a", "b", "c"]],
    ["a\tb\tc", 9, ["a", "b", "c"]],
    ["a\tb", 1, ["a\tb"]],
    ["", 3, [""]],
    ["\t", 2, ["", ""]],
    ["\t\t\t", 3, ["", "", "\t"]],
  ])("split cuts %j into at most %d", (given, limit, expected) => {
    expect(text.split(given, limit)).toEqual(expected);
  });

  test.each([
    ["1@2@3", ["1", "2@3"]],
    ["1", ["1"]],
    ["@", ["", ""]],
    ["", [""]],
  ])("divide parts %j at the first mark", (given, expected) => {
    expect(text.divide(given, "@")).toEqual(expected);
  });

  test.each([
    ["a b", ["a", "b"]],
    ["  a   b ", ["a", "b"]],
    ["", []],
    [" ", []],
    ["a\tb\nc", ["a\tb\nc"]],
  ])("words finds those of %j", (given, expected) => {
    expect(text.words(given)).toEqual(expected);
  });

  test("skip leaves out the first characters", () => {
    expect(text.skip("ql:jé", 3)).toBe("jé");
    expect(text.skip("ql", 2)).toBe("");
  });

  test("lower changes ASCII letters only", () => {
    expect(text.lower("AbZ-ÉÄİ")).toBe("abz-ÉÄİ");
  });

  test("withoutEnd gives what is left, or nothing when the end is another", () => {
    expect(text.withoutEnd("q-work", "-work")).toBe("q");
    expect(text.withoutEnd("-work", "-work")).toBe("");
    expect(text.withoutEnd("q-locks", "-work")).toBeUndefined();
  });

  test("startsWith compares the beginning", () => {
    expect(text.startsWith("ql:j", "ql:")).toBe(true);
    expect(text.startsWith("ql", "ql:")).toBe(false);
  });

  test("bytes counts UTF-8", () => {
    expect(text.bytes("aé€𝒜")).toBe(1 + 2 + 3 + 4);
  });
});

describe("text: names", () => {
  test.each(["a", " ", "é", "𝒜", "__proto__", "a/b c", "x".repeat(255), "é".repeat(127)])(
    "isName takes %j",
    (given) => {
      expect(text.isName(given)).toBe(true);
    },
  );

  test.each([
    "",
    "\0",
    "a\nb",
    "a\tb",
    "\x1f",
    "\x7f",
    HALF_PAIR,
    "x".repeat(256),
    "é".repeat(128),
  ])("isName does not take %j", (given) => {
    expect(text.isName(given)).toBe(false);
  });

  test.each(["ql", "a.b_c-D9", "{billing}", "x".repeat(64), `{${"x".repeat(62)}}`])(
    "isNamespace takes %j",
    (given) => {
      expect(text.isNamespace(given)).toBe(true);
    },
  );

  test.each(["", "a:b", "{}", "{a", "a}", "a{b}", "é", "a b", "ql\n", "x".repeat(65)])(
    "isNamespace does not take %j",
    (given) => {
      expect(text.isNamespace(given)).toBe(false);
    },
  );
});

describe("text: JSON", () => {
  test.each([
    ["[]", []],
    [' [ "a" , "b" ]\n', ["a", "b"]],
    ['["\\u00e9","\\ud835\\udc9c","__proto__"]', ["é", "𝒜", "__proto__"]],
  ])("list reads %j", (given, expected) => {
    expect(text.list(given)).toEqual(expected);
  });

  test.each([
    "",
    "{}",
    '"a"',
    "[1]",
    '["a",null]',
    '[["a"]]',
    '["a",]',
    '["\\ud800"]',
    "[",
    "\ufeff[]",
  ])("list does not take %j", (given) => {
    expect(text.list(given)).toBeUndefined();
  });

  test.each([
    ["a", '"a"'],
    ['"\\/', '"\\"\\\\/"'],
    ["\b\f\n\r\t\0\x1f\x7f", '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'],
    ["é\u2028𝒜", '"é\u2028𝒜"'],
  ])("quote writes %j", (given, expected) => {
    expect(text.quote(given)).toBe(expected);
    expect(text.quoteName(given)).toBe(expected);
  });

  test.each([
    ["{}", ""],
    ["{ }", ""],
    ['\t{ "a" : 1 }\r\n', '"a" : 1'],
    ['{"a":"}","b":[{"c":1.0}]}', '"a":"}","b":[{"c":1.0}]'],
    ['{"a":1,"a":12345678901234567890}', '"a":1,"a":12345678901234567890'],
  ])("members takes the braces off %j", (given, expected) => {
    expect(text.members(given)).toBe(expected);
  });

  test.each(["", "[]", "1", "null", '"{}"', "{", "{} {}", "{'a':1}", '{"a":1,}', "\u00a0{}"])(
    "members does not take %j",
    (given) => {
      expect(text.members(given)).toBeUndefined();
    },
  );

  test("members does not take what is nested more than a thousand deep", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(text.members(nested(1000))).toBeDefined();
    expect(text.members(nested(1001))).toBeUndefined();
    expect(text.members(`{"a":${JSON.stringify('\\"['.repeat(2000))}}`)).toBeDefined();
  });

  test("unpack gives back what was packed", () => {
    const reply: Reply = ["a", 1.5, false, ["é", []], ""];
    expect(text.unpack(text.pack(reply))).toEqual(reply);
  });
});
