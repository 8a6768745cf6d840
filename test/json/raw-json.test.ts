import fc from "fast-check";
import { expect, test } from "vitest";
import { laidOut } from "../../src/json/laid-out.ts";
import { withExactNumbers } from "../../src/json/numbers.ts";
import { RawJson, writeJson } from "../../src/json/raw-json.ts";
import { type Keep, readKeeping } from "../../src/json/read-keeping.ts";
import { depthOf, entriesOf } from "../../src/json/scan.ts";
import { DELICATE, jsonText } from "./texts.ts";

const keep: Keep = {
  members: new Map<string, Keep>([
    ["data", "raw"],
    ["jobs", { items: { members: new Map([["data", "raw"]]) } }],
  ]),
};

test("values that are kept as text stay the same bytes, and the rest is read as ever", () => {
  const property = fc.property(jsonText, jsonText, jsonText, (one, two, other) => {
    const text = ` { "other":${other} ,"data": ${one}\n, "jobs":[{"data":${two},"n":1}, 5, {}] }`;
    const read = readKeeping(text, keep) as Record<string, unknown>;
    expect((read.data as RawJson).text).toBe(one);
    const [first, ...rest] = read.jobs as { data: RawJson }[];
    expect(first!.data.text).toBe(two);
    expect(rest).toEqual([5, {}]);
    expect(read.other).toEqual(JSON.parse(other));
    expect(writeJson({ a: read.data, b: [first] })).toBe(
      `{"a":${one},"b":[{"data":${two},"n":1}]}`,
    );
  });
  fc.assert(property, { numRuns: 500 });
});

test("what is not JSON is refused, wherever it is not", () => {
  const texts = ["1", '{"a":[1,"x\\"y"],"b":{"c":null}}', ...DELICATE];
  const property = fc.property(
    fc.constantFrom(...texts),
    fc.nat(),
    fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "\\", "1", "x", " ", "\u0000"),
    (data, place, change) => {
      const text = `{"n":1,"data":${data},"jobs":[{"data":${data}}]}`;
      const at = place % text.length;
      const changed = text.slice(0, at) + change + text.slice(at + 1);
      const isJson = succeeds(() => JSON.parse(changed));
      expect(succeeds(() => readKeeping(changed, keep))).toBe(isJson);
    },
  );
  fc.assert(property, { numRuns: 3000 });
});

const succeeds = (act: () => unknown) => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

test("of duplicate members the last one counts, also if its name is escaped", () => {
  const text = '{"data":1,"jobs":[{"data":2},{"data":3}],"d\\u0061ta":4,"jobs":[{"data":5}]}';
  expect(readKeeping(text, keep)).toEqual({
    data: new RawJson("4"),
    jobs: [{ data: new RawJson("5") }],
  });
});

test("members that look like part of a prototype are members", () => {
  const text = '{"__proto__":{"data":1},"data":{"__proto__":{"isAdmin":true}}}';
  const read = readKeeping(text, keep) as Record<string, unknown>;
  expect(Object.keys(read)).toEqual(["__proto__", "data"]);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect((read as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("a megabyte of any shape is read in a moment", () => {
  const shapes = [
    `{${'"data":1,'.repeat(110_000)}"data":2}`,
    `{"jobs":[${'{"data":{}},'.repeat(80_000)}{}]}`,
    `{"data":${"[".repeat(500_000)}${"]".repeat(500_000)}}`,
    `{"data":"${"\\\\".repeat(500_000)}"}`,
    `{"data":${"9".repeat(1_000_000)}}`,
    `{"data":"${'\\"'.repeat(500_000)}`,
    '{"data":'.repeat(120_000),
    '{"jobs":['.repeat(100_000),
  ];
  for (const text of shapes) {
    const begun = performance.now();
    succeeds(() => readKeeping(text, keep));
    depthOf(text, 64);
    withExactNumbers(text);
    expect(performance.now() - begun, text.slice(0, 20)).toBeLessThan(5000);
  }
});

test("texts of a caller never stand for raw values", () => {
  const written = writeJson({ a: "raw 0", b: new RawJson("[1]"), c: new RawJson('"raw 1 "') });
  expect(written).toBe('{"a":"raw 0","b":[1],"c":"raw 1 "}');
  expect(JSON.stringify({ a: new RawJson("1e2") })).toBe('{"a":100}');
});

test("numbers that JavaScript would round are told apart", () => {
  const same = [
    "1",
    "-0.5",
    "1e2",
    "1.0",
    "0.1",
    "100000000000000000000",
    "1.7976931348623157e308",
  ];
  for (const text of same) expect(withExactNumbers(text)).toBe(text);
  const rounded = [
    "12345678901234567890",
    "9007199254740993",
    "1e400",
    "1e-400",
    "0.1000000000000000055",
  ];
  for (const text of rounded)
    expect(withExactNumbers(`["1e400",${text}]`)).not.toContain(`,${text}]`);
});

test("a text that is laid out is the one of JSON.stringify, with every value as it was", () => {
  const compact = (text: string) => text.replaceAll(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");
  const property = fc.property(jsonText, fc.json({ maxDepth: 5 }), (text, plain) => {
    expect(compact(laidOut(text))).toBe(compact(text));
    const exact = JSON.stringify(JSON.parse(plain));
    expect(laidOut(exact)).toBe(JSON.stringify(JSON.parse(plain), null, 2));
  });
  fc.assert(property, { numRuns: 500 });
  expect(laidOut(`${"[".repeat(100_000)}1${"]".repeat(100_000)}`).length).toBeLessThan(20_000_000);
});

test("entries of a text have their names and places, in order and with duplicates", () => {
  const text = ' {"b":[1, 2],"\\u0061" : {} ,"b":1e400} ';
  const all = entriesOf(text)!.map(({ name, from, to }) => [name, text.slice(from, to)]);
  expect(all).toEqual([
    ["b", "[1, 2]"],
    ["a", "{}"],
    ["b", "1e400"],
  ]);
  expect(entriesOf("[]")).toEqual([]);
  expect(entriesOf("12")).toBeUndefined();
});
