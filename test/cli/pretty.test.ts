import { describe, expect, test } from "vitest";
import { placeOf, plain } from "../../src/cli/plain.ts";
import { Pretty } from "../../src/cli/pretty.ts";

function written(line: object, options = { colours: false, stacks: false }): string {
  let text = "";
  const pretty = new Pretty({ write: (more) => (text += more) }, options);
  pretty.write(`${JSON.stringify({ level: "info", time: new Date().toISOString(), ...line })}\n`);
  return text.replace(/^\d\d:\d\d:\d\d\.\d{3} /, "");
}

describe("a line for people", () => {
  test("has the level, the sentence and the facts, quoted where they need it", () => {
    const facts = { a: 1, b: "two words", c: ["x", "y"], d: [], e: { f: true }, g: "=" };
    expect(written({ msg: "Said", worker: "w", ...facts })).toBe(
      'INFO  Said  a=1 b="two words" c=x,y d=[] e="{\\"f\\":true}" g="="\n',
    );
    expect(written({ level: "warn", msg: "Bare" })).toBe("WARN  Bare\n");
  });

  test("tells an error, and its stack to those who debug", () => {
    const err = { type: "TypeError", message: "no good", stack: "TypeError: no good\n    at x" };
    expect(written({ msg: "Oh", err })).toBe('INFO  Oh  err="TypeError: no good"\n');
    const stacks = { colours: false, stacks: true };
    expect(written({ msg: "Oh", err }, stacks)).toMatch(/\n {4}TypeError: no good\n {8}at x\n$/);
  });

  test("has colours around what is told, and none within", () => {
    const options = { colours: true, stacks: false };
    expect(written({ msg: "a\u001b[2J", "k\u001b": "\u009b" }, options)).toBe(
      "\u001b[32mINFO \u001b[0m a\\u001b[2J  \u001b[90mk\\u001b=\\u009b\u001b[0m\n",
    );
  });

  test("is cut where a fact is long", () => {
    expect(written({ msg: "Long", a: "x".repeat(1000) }).length).toBeLessThan(450);
  });
});

test("text without what a terminal obeys keeps all else", () => {
  expect(plain('äöü 漢字 \u{1f600} \\ "')).toBe('äöü 漢字 \u{1f600} \\ "');
  expect(plain("\r\n\t\u0000\u007f\u009b\u202e\u2066")).toBe(
    "\\u000d\\u000a\\u0009\\u0000\\u007f\\u009b\\u202e\\u2066",
  );
});

test.each([
  ["sqlite:./a.db", "sqlite:./a.db"],
  ["redis://user:secret@host", "redis://host"],
  ["rediss://:secret@host:1/2?password=secret#secret", "rediss://host:1/2"],
  ["redis://:sec ret@ho st", "Redis"],
])("the place of a URL has no password: %s", (url, place) => {
  expect(placeOf(url)).toBe(place);
});
