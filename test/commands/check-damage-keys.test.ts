import { expect } from "vitest";
import { type Act, type Damage, everyDamageIsMended, inState, pops } from "../damage.ts";

const DAY = Math.floor(1_000_000 / 86_400) * 86_400;

const scheduled: Act = (bench) => bench.put("q", "a", { delay: 10 });
const popsWhenDue: Act = async (bench, hands) => {
  expect(await bench.later(10).json("tick")).toMatchObject({ moved: 1 });
  await pops("q", "a")(bench, hands);
};
const recurring: Act = (bench) => bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 10);
const depending: Act = async (bench) => {
  await bench.put("q", "b");
  await bench.put("r", "a", { depends: ["b"] });
};
/** Completes what `a` waits for, and expects `a` to be free. */
const isReleased: Act = async (bench, hands) => {
  await bench.pop("q", "w");
  await bench.call("complete", "b", "w", "q", "{}");
  await pops("r", "a")(bench, hands);
};

const QUEUES: Damage[] = [
  {
    what: "a queue without a record among the known",
    before: inState("waiting"),
    damage: (_, hands) => hands.rank("queues", 5, "none"),
    tells: ["none", /does not belong in .*queues/],
    after: async (bench) => expect(await bench.json("queues")).toMatchObject([{ name: "q" }]),
  },
  {
    what: "a known queue that is not listed",
    before: inState("waiting"),
    damage: (_, hands) => hands.unrank("queues", "q"),
    tells: ["q", /known but not listed/],
    after: async (bench) => expect(await bench.json("queues")).toMatchObject([{ name: "q" }]),
  },
  {
    what: "a queue that is known since another time",
    before: inState("waiting"),
    damage: (_, hands) => hands.rank("queues", 5, "q"),
    tells: ["q", /time is wrong in .*queues/],
    after: async (_, hands) => expect(await hands.score("queues", "q")).toBe(1e9),
  },
  {
    what: "a queue without a record among those that need housekeeping",
    before: scheduled,
    damage: (_, hands) => hands.rank("due", 5, "none"),
    tells: ["none", /does not belong in .*due/],
    after: popsWhenDue,
  },
  {
    what: "a queue that is not among those that need housekeeping",
    before: scheduled,
    damage: (_, hands) => hands.unrank("due", "q"),
    tells: ["q", /housekeeping is not noted/],
    after: popsWhenDue,
  },
  {
    what: "a lock that ended before all time",
    before: inState("running"),
    damage: (_, hands) => hands.rank("q:q-locks", -Infinity, "none"),
    tells: ["none", /does not belong in .*q:q-locks/],
  },
  {
    what: "a member that was due before all time",
    before: scheduled,
    damage: (_, hands) => hands.rank("q:q-scheduled", -Infinity, "none"),
    tells: ["none", /does not belong in .*q:q-scheduled/],
    after: popsWhenDue,
  },
  {
    what: "a recurring job whose next child was due before all time",
    before: recurring,
    damage: (_, hands) => hands.rank("q:q-recur", -Infinity, "none"),
    tells: ["none", /does not belong in .*q:q-recur/],
  },
  {
    what: "a queue whose housekeeping is noted for another time",
    before: scheduled,
    damage: (_, hands) => hands.rank("due", 7e12, "q"),
    tells: ["q", /housekeeping is not noted|time is wrong in/],
    after: popsWhenDue,
  },
  {
    what: "a queue whose record does not say when it needs housekeeping",
    before: scheduled,
    damage: async (_, hands) => {
      await hands.unset("queue:q", "due");
      await hands.unrank("due", "q");
    },
    tells: ["q", /housekeeping is not noted/],
    after: popsWhenDue,
  },
  {
    what: "a queue with jobs and without a record",
    before: scheduled,
    damage: (_, hands) => hands.remove("queue:q"),
    tells: ["q", /./],
    after: popsWhenDue,
  },
  {
    what: "a queue that has lost its record and its place in all lists",
    before: scheduled,
    damage: async (_, hands) => {
      await hands.remove("queue:q");
      await hands.unrank("due", "q");
      await hands.unrank("queues", "q");
    },
    tells: ["q", /./],
    after: popsWhenDue,
  },
  {
    what: "a queue that does not know of its settings",
    before: async (bench) => {
      await bench.put("q", "a");
      await bench.call("config.set", "q-heartbeat", 10);
    },
    damage: (_, hands) => hands.unset("queue:q", "own"),
    tells: ["q", /./],
    after: async (bench) =>
      expect(await bench.pop("q", "w")).toMatchObject([{ expires: bench.now + 10 }]),
  },
];

const RECURRING: Damage[] = [
  {
    what: "a jid without a record among the recurring",
    before: recurring,
    damage: (_, hands) => hands.rank("q:q-recur", 5, "ghost"),
    tells: ["ghost", /does not belong in .*q:q-recur/],
    after: async (bench) => expect(await bench.call("jobs", "recurring", "q")).toEqual(["r"]),
  },
  {
    what: "a recurring job in a queue that is not its own",
    before: recurring,
    damage: (_, hands) => hands.rank("q:other-recur", 5, "r"),
    tells: ["r", /does not belong in .*q:other-recur/],
  },
  {
    what: "a recurring job that is not among the recurring of its queue",
    before: recurring,
    damage: (_, hands) => hands.unrank("q:q-recur", "r"),
    tells: ["r", /./],
    after: async (bench) => expect(await bench.call("jobs", "recurring", "q")).toEqual(["r"]),
  },
];

const DEPENDENCIES: Damage[] = [
  {
    what: "a jid without a record among the depending",
    before: depending,
    damage: (_, hands) => hands.rank("q:r-depends", 5, "ghost"),
    tells: ["ghost", /does not belong in .*q:r-depends/],
    after: isReleased,
  },
  {
    what: "a depending job that is not among the depending",
    before: depending,
    damage: (_, hands) => hands.unrank("q:r-depends", "a"),
    tells: ["a", /missing in .*q:r-depends/],
    after: isReleased,
  },
  {
    what: "a job whose dependency does not know of it",
    before: depending,
    damage: (_, hands) => hands.remove("dependents:b"),
    tells: [/^[ab]$/, /./],
    after: isReleased,
  },
  {
    what: "a job that does not know of its dependency",
    before: depending,
    damage: (_, hands) => hands.remove("dependencies:a"),
    tells: [/^[ab]$/, /./],
    after: async (bench) => expect((await bench.json("get", "a")).state).toBe("waiting"),
  },
  {
    what: "a depending job that depends on nothing",
    before: depending,
    damage: async (_, hands) => {
      await hands.remove("dependencies:a");
      await hands.remove("dependents:b");
    },
    tells: ["a", /./],
    after: pops("r", "a"),
  },
  {
    what: "a job that depends on one that does not exist",
    before: depending,
    damage: async (_, hands) => {
      await hands.remove("j:b");
    },
    tells: [/^[ab]$/, /./],
    after: pops("r", "a"),
  },
  {
    what: "a dependency that does not know that it is awaited",
    before: depending,
    damage: (_, hands) => hands.unset("j:b", "awaited"),
    tells: ["b", /./],
    after: isReleased,
  },
  {
    what: "a dependent without a record",
    before: depending,
    damage: async (_, hands) => {
      await hands.rank("dependents:b", 5, "ghost");
      await hands.rank("dependencies:ghost", 5, "b");
    },
    tells: [/^(b|ghost)$/, /./],
    after: isReleased,
  },
  {
    what: "a completed job whose dependents were not all released",
    before: async (bench) => {
      await bench.put("q", "b");
      const depends = ["depends", '["b"]'];
      const jobs = Array.from({ length: 501 }, (_, i) => [
        "r",
        `j${i}`,
        "k",
        "{}",
        0,
        2,
        ...depends,
      ]);
      await bench.call("put.many", "w", ...jobs.flat());
      await bench.pop("q", "w");
      await bench.call("complete", "b", "w", "q", "{}");
    },
    damage: (_, hands) => hands.remove("releasing"),
    tells: [/./, /./],
    after: async (bench) => {
      await bench.call("tick");
      expect(await bench.call("length", "r")).toBe(501);
    },
  },
];

const KEPT: Damage[] = [
  {
    what: "a request id without an answer",
    before: (bench) => bench.request("id", "pause", "q"),
    damage: (_, hands) => hands.remove("request:id"),
    tells: ["id", /does not belong in .*requests/],
  },
  {
    what: "a request's answer that nobody would ever forget",
    before: (bench) => bench.request("id", "pause", "q"),
    damage: (_, hands) => hands.unrank("requests", "id"),
    tells: ["id", /./],
    after: async (bench, hands) => {
      await bench.later(600).call("tick");
      expect(await hands.keys()).not.toContain("request:id");
    },
  },
  {
    what: "noted times that cannot be read",
    before: inState("running"),
    damage: (_, hands) => hands.note(`s:noted:${DAY}:q`, "soon,"),
    tells: [`${DAY}:q`, /its noted times cannot be read/],
  },
  {
    what: "noted times of no day",
    before: inState("running"),
    damage: (_, hands) => hands.note("s:noted:monday:q", "5,"),
    tells: ["noted:monday:q", /the statistics are of no day/],
  },
  ...["stats", "histograms"].flatMap((ranking): Damage[] => [
    {
      what: `statistics that are missing in ${ranking} and so would be kept for ever`,
      before: inState("running"),
      damage: (_, hands) => hands.unrank(ranking, `${DAY}:q`),
      tells: [/q$/, /./],
      after: async (bench, hands) => {
        await bench.later(40 * 86_400).call("tick");
        expect((await hands.keys()).filter((key) => key.endsWith(`:${DAY}:q`))).toEqual([]);
      },
    },
    {
      what: `a day without statistics in ${ranking}`,
      before: inState("waiting"),
      damage: (_, hands) => hands.rank(ranking, DAY, `${DAY}:none`),
      tells: [/none$/, /./],
    },
  ]),
];

everyDamageIsMended([...QUEUES, ...RECURRING, ...DEPENDENCIES, ...KEPT]);
