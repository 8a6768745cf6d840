import { expect } from "vitest";
import { type Damage, everyDamageIsMended, inState } from "../damage.ts";
import { jobIn } from "../states.ts";

const FAILURES: Damage[] = [
  {
    what: "a jid without a record in a group of failures",
    before: inState("failed"),
    damage: (_, hands) => hands.rank("f:group", 5, "ghost"),
    tells: ["ghost", /does not belong in .*f:group/],
    after: async (bench) => expect(await bench.call("unfail", "q", "group")).toBe(1),
  },
  {
    what: "a running job in a group of failures",
    before: inState("running"),
    damage: (_, hands) => hands.rank("f:group", 5, "a"),
    tells: ["a", /does not belong in .*f:group/],
    after: async (bench) => expect(await bench.json("failed")).toEqual({}),
  },
  {
    what: "a failed job that is not in its group",
    before: async (bench) => {
      for (const jid of ["x", "a", "y"]) await jobIn(bench.later(1), "failed", { jid });
    },
    damage: (_, hands) => hands.unrank("f:group", "a"),
    tells: ["a", /missing in .*f:group/],
    after: async (bench) => {
      expect(await bench.json("failed", "group")).toEqual({ total: 3, jobs: ["y", "a", "x"] });
    },
  },
  {
    what: "a group of failures with a wrong count",
    before: inState("failed"),
    damage: (_, hands) => hands.rank("failures", 7, "group"),
    tells: ["group", /count is wrong in .*failures/],
    after: async (bench) => expect(await bench.json("failed")).toEqual({ group: 1 }),
  },
  {
    what: "a group of failures that is not counted",
    before: inState("failed"),
    damage: (_, hands) => hands.unrank("failures", "group"),
    tells: ["group", /not counted in .*failures/],
    after: async (bench) => expect(await bench.json("failed")).toEqual({ group: 1 }),
  },
  {
    what: "a group of failures without jobs",
    before: inState("failed"),
    damage: (_, hands) => hands.rank("failures", 7, "none"),
    tells: ["none", /count is wrong in .*failures/],
    after: async (bench) => expect(await bench.json("failed")).toEqual({ group: 1 }),
  },
];

const NAMES: Damage[] = (
  [
    ["tag", "t:x", "tags", inState("waiting", { tags: ["x"] })],
    ["source", "o:x", "sources", inState("waiting", { source: "x" })],
  ] as const
).flatMap(([word, index, names, before]) => [
  {
    what: `a jid without a record under a ${word}`,
    before,
    damage: (_, hands) => hands.rank(index, 5, "ghost"),
    tells: ["ghost", new RegExp(`does not belong in .*${index}`)],
  },
  {
    what: `a job under a ${word} that is not its own`,
    before,
    damage: (_, hands) => hands.rank(index.replace("x", "y"), 5, "a"),
    tells: ["a", new RegExp(`does not belong in .*${index.replace("x", "y")}`)],
  },
  {
    what: `a job that is missing under its ${word}`,
    before,
    damage: (_, hands) => hands.unrank(index, "a"),
    tells: ["a", new RegExp(`missing under ${word} x`)],
    after: async (_, hands) => expect(await hands.score(names, "x")).toBe(1),
  },
  {
    what: `a ${word} with a wrong count`,
    before,
    damage: (_, hands) => hands.rank(names, 7, "x"),
    tells: ["x", new RegExp(`count is wrong in .*${names}`)],
    after: async (_, hands) => expect(await hands.score(names, "x")).toBe(1),
  },
  {
    what: `a ${word} that is not counted`,
    before,
    damage: (_, hands) => hands.unrank(names, "x"),
    tells: ["x", new RegExp(`not counted in .*${names}`)],
    after: async (_, hands) => expect(await hands.score(names, "x")).toBe(1),
  },
  {
    what: `a ${word} without jobs`,
    before,
    damage: (_, hands) => hands.rank(names, 7, "none"),
    tells: ["none", new RegExp(`count is wrong in .*${names}`)],
    after: async (_, hands) => expect(await hands.score(names, "none")).toBeUndefined(),
  },
]) as Damage[];

const TRACKED: Damage[] = [
  {
    what: "a tracked job that is not listed",
    before: async (bench) => {
      await jobIn(bench, "waiting");
      await bench.call("track", "track", "a");
    },
    damage: (_, hands) => hands.unrank("tracked", "a"),
    tells: ["a", /tracked but not listed/],
    after: async (bench) => expect((await bench.json("track")).jobs).toMatchObject([{ jid: "a" }]),
  },
  {
    what: "a job that is listed as tracked and does not know it",
    before: async (bench) => {
      await jobIn(bench, "waiting");
      await bench.call("track", "track", "a");
    },
    damage: (_, hands) => hands.unset("j:a", "tracked"),
    tells: ["a", /tracked/],
    after: async (bench) => {
      expect((await bench.json("get", "a")).tracked).toBe(true);
      expect((await bench.json("track")).jobs).toMatchObject([{ jid: "a" }]);
    },
  },
];

everyDamageIsMended([...FAILURES, ...NAMES, ...TRACKED]);
