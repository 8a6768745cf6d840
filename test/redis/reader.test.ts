import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Reader } from "../../src/redis/reader.ts";

/** What is heard when these pieces come one after the other in one place; a refusal as `no: ...`. */
function heard(...pieces: (string | Buffer)[]): unknown[] {
  const all: unknown[] = [];
  const reader = new Reader({
    answer: (reply) => all.push(reply),
    refuse: (error) => all.push(`no: ${error.name} ${error.message}`),
  });
  const place = Buffer.alloc(65_536);
  for (const piece of pieces) {
    const bytes = Buffer.from(piece).copy(place);
    reader.read(place.subarray(0, bytes));
    place.fill("?", 0, bytes);
  }
  return all;
}

describe("what Redis says becomes", () => {
  test.each<[string, string, unknown]>([
    ["a text", "$5\r\nhello\r\n", "hello"],
    ["an empty text", "$0\r\n\r\n", ""],
    ["a text with line ends", "$4\r\n\r\n\r\n\r\n", "\r\n\r\n"],
    ["a text of many bytes", "$8\r\nåäö😀\r\n".replace("$8", "$10"), "åäö😀"],
    ["a line", "+OK\r\n", "OK"],
    ["a number", ":-12\r\n", -12],
    ["false for no text", "$-1\r\n", false],
    ["false for no list", "*-1\r\n", false],
    ["false for nothing", "_\r\n", false],
    ["a list", "*2\r\n:1\r\n$1\r\na\r\n", [1, "a"]],
    ["an empty list", "*0\r\n", []],
    ["lists in lists", "*2\r\n*1\r\n*0\r\n*2\r\n$-1\r\n:3\r\n", [[[]], [false, 3]]],
    ["a list for a map", "%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n+c\r\n", ["a", 1, "b", ["c"]]],
    ["1 or 0 for a flag", "*2\r\n#t\r\n#f\r\n", [1, 0]],
    ["a text for a fraction", ",1.5\r\n", "1.5"],
    ["a text for a big number", "(12345678901234567890\r\n", "12345678901234567890"],
    ["the text alone of a verbatim one", "=6\r\ntxt:hi\r\n", "hi"],
    ["a refusal", "-ERR no\r\n", "no: ReplyError ERR no"],
    ["a refusal of many lines", "!6\r\nE a\r\nb\r\n", "no: ReplyError E a\r\nb"],
  ])("%s", (_, bytes, value) => {
    expect(heard(bytes)).toEqual([value]);
  });
});

test("what nobody asked for is passed over", () => {
  expect(heard(">2\r\n+message\r\n*1\r\n:1\r\n:7\r\n")).toEqual([7]);
});

test("a refusal inside a list stays where it is", () => {
  const [[first, second]] = heard("*2\r\n-ERR no\r\n:1\r\n") as [[Error, number]];
  expect([first.message, second]).toEqual(["ERR no", 1]);
});

test.each(["?\r\n", "$x\r\n", "*1x\r\n", "HTTP/1.1 400\r\n"])(
  "%j is not taken for an answer",
  (bytes) => {
    expect(() => heard(bytes)).toThrow("not the protocol of Redis");
  },
);

test("answers are the same however they are cut up", () => {
  const answer = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`),
    fc.integer().map((number) => `:${number}\r\n`),
    fc.constantFrom("+OK\r\n", "-ERR no\r\n", "_\r\n", "$-1\r\n", "*0\r\n", "#t\r\n"),
  );
  const list = fc.array(answer, { maxLength: 5 }).map((all) => `*${all.length}\r\n${all.join("")}`);
  const nested = fc.array(fc.oneof(answer, list)).map((all) => `*${all.length}\r\n${all.join("")}`);
  const many = fc.array(fc.oneof(answer, nested), { minLength: 1 });
  fc.assert(
    fc.property(many, fc.array(fc.nat(60)), (answers, sizes) => {
      const bytes = Buffer.from(answers.join(""));
      const pieces: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      pieces.push(bytes.subarray(at));
      const whole = heard(bytes);
      expect(whole).toHaveLength(answers.length);
      expect(heard(...pieces)).toEqual(whole);
      expect(heard(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
    }),
  );
});
