import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Text } from "../../src/core/text.ts";
import { nodeText } from "../../src/embedded/text.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

/** The core's text and numbers in Lua, asked inside Redis, answer as they do in Node. */

let server: RedisServer;
let redis: Redis;
let script: string;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  script = await redis.script("LOAD", asking()).then(String);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/**
 * A script that answers `function, argument...` out of the compiled module; numbers, and lists as
 * JSON, begin with #.
 */
function asking(): string {
  const module = (name: string) =>
    readFileSync(
      new URL(`../../dist/lua/${name.replaceAll(".", "/")}.lua`, import.meta.url),
      "utf8",
    );
  const within = (name: string): string =>
    module(name).replaceAll(
      /require\("([\w.]+)"\)/g,
      (_, other: string) => `(function()\n${within(other)}\nend)()`,
    );
  const code = within("redis.lua.text");
  const names = new Set(code.match(/\b(string|cjson|math|table)_\w+/g));
  const locals = [...names].map((name) => `local ${name} = ${name.replace("_", ".")}`);
  return `${locals.join("\n")}
local text = (function()\n${code}\nend)().text
local given = {}
for i = 2, #ARGV do
  local number = string.match(ARGV[i], "^#(.*)$")
  given[#given + 1] = number and cjson.decode(number) or ARGV[i]
end
local function told(value)
  if value == nil then return { "nothing" } end
  if type(value) == "boolean" then return { "boolean", tostring(value) } end
  if type(value) == "number" then return { "number", string.format("%.17g", value) } end
  if type(value) == "string" then return { "text", value } end
  if value.last ~= nil then return { "run", told(value.last), told(value.time), told(value.queue) } end
  local list = { "list" }
  for i = 1, #value do list[#list + 1] = told(value[i]) end
  return list
end
return told(text[ARGV[1]](unpack(given)))`;
}

type Told = [string, ...(string | Told)[]];

function read([kind, ...rest]: Told): unknown {
  if (kind === "nothing") return undefined;
  if (kind === "boolean") return rest[0] === "true";
  if (kind === "number") return Number(rest[0]);
  if (kind === "text") return rest[0];
  const list = (rest as Told[]).map(read);
  return kind === "run" ? { last: list[0], time: list[1], queue: list[2] } : list;
}

type Given = string | number | string[];
type Asked = Exclude<keyof Text, "pack" | "unpack">;

async function agree(name: Asked, ...given: Given[]): Promise<void> {
  const words = given.map((one) => (typeof one === "string" ? one : `#${JSON.stringify(one)}`));
  const inLua = read((await redis.evalsha(script, 0, name, ...words)) as Told);
  const inNode = (nodeText[name] as (...words: Given[]) => unknown)(...given);
  expect({ name, given, answer: inLua }).toEqual({ name, given, answer: inNode });
}

// A word that begins with # would be read as a number above.
const texts = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .filter((text) => !text.startsWith("#"));
const ascii = fc.string({ maxLength: 40 }).filter((text) => !text.startsWith("#"));
const wholes = fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 });
const times = fc.integer({ min: 0, max: 4_000_000_000_000 });
const digits = times.map(String);
const marks = fc.constantFrom("\t", "@", " ", ":", ",");

const CASES: Record<Asked, fc.Arbitrary<Given[]>> = {
  number: fc.tuple(fc.oneof(ascii, digits, fc.double({ noNaN: true }).map(String))),
  value: fc.tuple(digits),
  integer: fc.tuple(wholes),
  score: fc.tuple(wholes),
  decimal: fc.tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true })),
  exact: fc.tuple(wholes),
  order: fc.tuple(times),
  orderOf: fc.tuple(times.map(nodeText.order)),
  skip: fc.tuple(ascii, fc.nat(20)),
  split: fc.tuple(
    fc.array(texts, { maxLength: 6 }).map((parts) => parts.join("\t")),
    fc.nat(5),
  ),
  divide: fc.tuple(texts, marks),
  runBehind: fc
    .tuple(digits, digits, digits, texts)
    .chain(([lease, one, two, queue]) =>
      fc.constantFrom(
        ...["", `\t${one}`, `\t${one}\t${two}`, `\t${one}\t${two}\t${queue}`].map((end) => [
          `r\t${lease}${end}`,
          ...["r\t", lease],
        ]),
        ...[`${one}\t${two}`, `\t${one}\tx`, `\t${one}\t${two}x`, "\tx"].map((end) => [
          `r\t${lease}${end}`,
          ...["r\t", lease],
        ]),
        [`r\t${lease}\t${one}\t${two}`, "r\t", two],
        [`r\t${lease}\t${one}\t${two}`, "s\t", lease],
        [`xr\t${lease}\t${one}\t${two}`, "r\t", lease],
      ),
    ),
  seconds: fc.tuple(digits),
  holds: fc.tuple(texts, ascii),
  numbers: fc.tuple(
    fc.oneof(
      ascii,
      fc
        .array(fc.tuple(wholes, fc.constantFrom(",", ",", ",", "-", ";")))
        .map((all) => all.flat().join("")),
      fc.array(wholes).map((all) => all.map((one) => `${one},`).join("")),
      fc.stringMatching(/^[,-9]{0,8}$/),
    ),
  ),
  words: fc.tuple(ascii),
  lower: fc.tuple(texts),
  startsWith: fc.tuple(ascii, ascii),
  withoutEnd: fc.tuple(ascii, ascii),
  isName: fc.tuple(texts),
  isJid: fc.tuple(texts),
  isUpTo: fc.tuple(texts, texts),
  areNames: fc.tuple(fc.array(texts, { minLength: 1 })),
  isNamespace: fc.tuple(ascii),
  bytes: fc.tuple(texts),
  list: fc.tuple(
    fc.oneof(
      ascii,
      fc.array(texts).map((all) => JSON.stringify(all)),
    ),
  ),
  quote: fc.tuple(texts),
  quoteName: fc.tuple(texts.filter(nodeText.isName)),
  quoteNames: fc.tuple(fc.array(texts.filter(nodeText.isName), { minLength: 1 })),
  members: fc.tuple(
    fc.oneof(
      ascii,
      fc.dictionary(texts, texts).map((all) => JSON.stringify(all)),
    ),
  ),
};

test.each(Object.keys(CASES) as Asked[])("%s answers in Lua as in Node", async (name) => {
  const property = fc.asyncProperty(CASES[name], (given) => agree(name, ...given));
  await fc.assert(property, { numRuns: 200 });
});

test("what begins alike, or holds a part, is found out without patterns", async () => {
  await agree("startsWith", "a.b", "a.");
  await agree("startsWith", "axb", "a.");
  await agree("startsWith", "b a", "a");
  await agree("startsWith", "a", "ab");
  await agree("startsWith", "a", "");
  await agree("holds", "\t%w\t", "\t%w\t");
  await agree("holds", "\tab\t", "\t%w\t");
});

test("a long text that is no list of numbers is told from one at once", async () => {
  await agree("numbers", "1".repeat(200_000));
});
