import fc from "fast-check";

/** White space that JSON allows between its parts. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

const number = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => JSON.stringify(one)),
  fc.constantFrom("1e400", "-1E-400", "-0", "1.0", "0.10000000000000000001", "1e+2"),
);

/** Strings as they may be written: with escapes that nobody needs, and halves of characters. */
const string = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u0061\\/\\ud800"',
    '"\\\\"',
    '"\\""',
    '"}],:{["',
    '"\u2028\u007f"',
    '"é𝒜"',
    '"raw 0"',
  ),
);

const name = fc.oneof(
  string,
  fc.constantFrom('"__proto__"', '"constructor"', '"data"', '"d\\u0061ta"', '"10"', '"2"', '""'),
);

/** JSON texts in any spelling: odd white space, duplicate members, numbers of any size. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.oneof(number, string, fc.constantFrom("true", "false", "null")),
    fc
      .tuple(space, fc.array(fc.tuple(space, tie("value"), space), { maxLength: 4 }))
      .map(([empty, items]) => `[${items.map((one) => one.join("")).join(",") || empty}]`),
    fc
      .tuple(
        space,
        fc.array(fc.tuple(space, name, space, space, tie("value"), space), { maxLength: 4 }),
      )
      .map(([empty, members]) => {
        const all = members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
        return `{${all.join(",") || empty}}`;
      }),
  ),
})).value;

/** Data that changes when JavaScript reads and writes it. */
export const DELICATE: readonly string[] = [
  '{"big":12345678901234567890,"e":1e400,"10":1,"2":2}',
  "-9007199254740993",
  '{ "a" : 1,\n\t"a" : 2 }',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '"\\u0061\\ud800"',
  "[1.0,1e2,-0,0.10000000000000000001]",
  '"\\\\"',
  "[]",
  '{"data":{"data":[1,{"meta":2}]}}',
];
