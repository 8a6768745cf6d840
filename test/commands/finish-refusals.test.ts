import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import {
  type BadCall,
  outcome,
  refusedInVain,
  refusesEach,
  running,
  type Words,
} from "./behaviour.ts";

const BLAME = { group: "group", message: "message" };

everyEngine("finish", (open) => {
  test("finishes a thousand jobs, and refuses one more", async () => {
    const bench = await open();
    const jids = Array.from({ length: 1_000 }, (_, i) => `j${i}`);
    await bench.call("put.many", "w", ...jids.flatMap((jid) => ["q", jid, "k", "{}", 0, 0]));
    await bench.pop("q", "w", 1_000);
    const words = jids.flatMap((jid) => outcome("complete", jid));
    const more: Words = ["w", 0, "[]", ...words, ...outcome("complete", "more")];
    const reason = "More than 1000 jobs in one call";
    await refusedInVain(bench, ["finish", ...more], "BAD_ARGUMENT", reason);
    const answers = await bench.call("finish", "w", 0, "[]", ...words);
    expect(answers).toEqual(jids.map(() => "complete"));
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ run: { count: 1_000 } });
  });

  const CUT = "The last outcome is cut short: verb, jid, lease, options";
  const good = outcome("complete", "b");

  const BAD: BadCall[] = [
    ["no worker", [], 'Arg "worker" missing'],
    ["no count", ["w"], 'Arg "count" missing'],
    ["no queues", ["w", 0], 'Arg "queues" missing'],
    ["a bad worker", ["a\nb", 0, "[]", ...good], /^Arg "worker" must be 1 to 255 bytes/],
    ["a negative count", ["w", -1, "[]", ...good], /^Arg "count" must not be negative/],
    ["a count that is a word", ["w", "x", "[]", ...good], 'Arg "count" not a number: x'],
    ["queues that are a word", ["w", 0, "q", ...good], 'Arg "queues" not JSON array of texts: q'],
    ["an empty queue", ["w", 0, '[""]', ...good], /^Arg "queues" must be 1 to 255 bytes/],
    ["an unknown verb", ["w", 0, "[]", ...good, "cancel", "a", "", 0], /must be complete, fail or/],
    ["an outcome of two words", ["w", 0, "[]", ...good, "complete", "a"], CUT],
    ["an outcome without options", ["w", 0, "[]", ...good, "complete", "a", ""], CUT],
    ["fewer options than said", ["w", 0, "[]", ...good, "complete", "a", "", 2, "next"], CUT],
    ["odd options", ["w", 0, "[]", ...good, "complete", "a", "", 1, "next"], /^Odd number of add/],
    [
      "an unknown option",
      ["w", 0, "[]", ...good, ...outcome("retry", "a", { x: 1 })],
      /^Unknown opt/,
    ],
    [
      "a bad delay",
      ["w", 0, "[]", ...good, ...outcome("retry", "a", { delay: "x" })],
      /^Arg "delay"/,
    ],
    [
      "a lot above one",
      ["w", 0, "[]", ...good, ...outcome("retry", "a", { lot: 2 })],
      /^Arg "lot" /,
    ],
    [
      "a failure without group",
      ["w", 0, "[]", ...good, ...outcome("fail", "a")],
      /needs a group and/,
    ],
    [
      "a failure without message",
      ["w", 0, "[]", ...outcome("fail", "a", { group: "g" })],
      /needs a g/,
    ],
    [
      "a failure with next",
      ["w", 0, "[]", ...outcome("fail", "a", { ...BLAME, next: "r" })],
      /next/,
    ],
    ["a retry with data", ["w", 0, "[]", ...outcome("retry", "a", { data: "[1]" })], /data/],
    [
      "a completion with group",
      ["w", 0, "[]", ...outcome("complete", "a", { group: "g" })],
      /group/,
    ],
  ];

  test("refuses arguments that cannot be, and finishes nothing", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    await refusesEach(bench, "finish", BAD);
  });
});
