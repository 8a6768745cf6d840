import { expect } from "vitest";
import {
  completedBy,
  type Damage,
  everyDamageIsMended,
  inState,
  PLACE,
  placed,
  pops,
} from "../damage.ts";

const WORK: Damage[] = [
  {
    what: "a jid without a record among the waiting",
    before: inState("waiting"),
    damage: (_, hands) => hands.rank("q:q-work", -5, `${PLACE}ghost`),
    tells: [`${PLACE}ghost`, /does not belong in .*q:q-work/],
    after: pops("q", "a"),
  },
  {
    what: "a waiting job that is not among the waiting",
    before: inState("waiting", { priority: 3 }),
    damage: async (_, hands) => hands.unrank("q:q-work", await placed(hands, "a")),
    tells: ["a", /missing in .*q:q-work/],
    after: pops("q", "a"),
  },
  {
    what: "a waiting job at a score that is not its priority",
    before: inState("waiting", { priority: 3 }),
    damage: async (_, hands) => hands.rank("q:q-work", 7, await placed(hands, "a")),
    tells: ["a", /score is wrong in .*q:q-work/],
    after: async (_, hands) =>
      expect(await hands.score("q:q-work", await placed(hands, "a"))).toBe(3),
  },
  {
    what: "a job that is among the waiting twice",
    before: inState("waiting"),
    damage: (_, hands) => hands.rank("q:q-work", 0, `${PLACE}a`),
    tells: [`${PLACE}a`, /does not belong in .*q:q-work/],
    after: pops("q", "a"),
  },
  {
    what: "a job that waits in another queue as well",
    before: inState("waiting"),
    damage: async (_, hands) => hands.rank("q:r-work", 0, await placed(hands, "a")),
    tells: [/a$/, /does not belong in .*q:r-work/],
    after: pops("q", "a"),
  },
  {
    what: "a running job that is among the waiting as well",
    before: inState("running"),
    damage: (_, hands) => hands.rank("q:q-work", 0, `${PLACE}a`),
    tells: [`${PLACE}a`, /does not belong in .*q:q-work/],
    after: async (bench) => expect(await bench.pop("q", "other")).toEqual([]),
  },
  {
    what: "a stalled job that is not in front of its queue",
    before: inState("stalled"),
    damage: async (_, hands) => hands.rank("q:q-work", 0, await placed(hands, "a")),
    tells: ["a", /score is wrong in .*q:q-work/],
    after: pops("q", "a"),
  },
  {
    what: "a jid without a record among the scheduled",
    before: inState("scheduled"),
    damage: (_, hands) => hands.rank("q:q-scheduled", 5, `${PLACE}ghost`),
    tells: [`${PLACE}ghost`, /does not belong in .*q:q-scheduled/],
    after: async (bench) => expect(await bench.later(100).json("tick")).toMatchObject({ moved: 1 }),
  },
  {
    what: "a scheduled job that is not among the scheduled",
    before: inState("scheduled"),
    damage: async (_, hands) => hands.unrank("q:q-scheduled", await placed(hands, "a")),
    tells: ["a", /missing in .*q:q-scheduled/],
    after: (bench, hands) => pops("q", "a")(bench.later(100), hands),
  },
  {
    what: "a scheduled job at a score that is not its time",
    before: inState("scheduled"),
    damage: async (_, hands) => hands.rank("q:q-scheduled", 7e12, await placed(hands, "a")),
    tells: ["a", /score is wrong in .*q:q-scheduled/],
    after: (bench, hands) => pops("q", "a")(bench.later(100), hands),
  },
];

const RUNNING: Damage[] = [
  {
    what: "a jid without a record among the locks",
    before: inState("running"),
    damage: (_, hands) => hands.rank("q:q-locks", 5, "ghost"),
    tells: ["ghost", /does not belong in .*q:q-locks/],
    after: completedBy("a"),
  },
  {
    what: "a running job that is not among the locks",
    before: inState("running"),
    damage: (_, hands) => hands.unrank("q:q-locks", "a"),
    tells: ["a", /missing in .*q:q-locks/],
    after: async (bench) => expect(await bench.call("jobs", "running", "q")).toEqual(["a"]),
  },
  {
    what: "a lock at a score that is not its expiry",
    before: inState("running"),
    damage: (_, hands) => hands.rank("q:q-locks", 7e12, "a"),
    tells: ["a", /score is wrong in .*q:q-locks/],
    after: async (bench) => expect(await bench.later(60).json("tick")).toMatchObject({ moved: 1 }),
  },
  {
    what: "a jid without a record among a worker's jobs",
    before: inState("running"),
    damage: (_, hands) => hands.rank("w:w:jobs", 5, "ghost"),
    tells: ["ghost", /does not belong in .*w:w:jobs/],
    after: async (bench) => expect((await bench.json("workers", "w")).jobs).toEqual(["a"]),
  },
  {
    what: "a job among the jobs of a worker that does not hold it",
    before: inState("running"),
    damage: (_, hands) => hands.rank("w:other:jobs", 5, "a"),
    tells: ["a", /does not belong in .*w:other:jobs/],
    after: completedBy("a"),
  },
  {
    what: "a running job that is not among its worker's jobs",
    before: inState("running"),
    damage: (_, hands) => hands.unrank("w:w:jobs", "a"),
    tells: ["a", /missing in .*w:w:jobs/],
    after: async (bench) => expect((await bench.json("workers", "w")).jobs).toEqual(["a"]),
  },
  {
    what: "a worker's job at a score that is not its expiry",
    before: inState("running"),
    damage: (_, hands) => hands.rank("w:w:jobs", 7e12, "a"),
    tells: ["a", /score is wrong in .*w:w:jobs/],
    after: async (_, hands) => expect(await hands.score("w:w:jobs", "a")).toBe(1_000_060_000),
  },
  {
    what: "a jid without a record among the completed",
    before: inState("complete"),
    damage: (_, hands) => hands.rank("completed", 5, "ghost"),
    tells: ["ghost", /does not belong in .*completed/],
    after: async (bench) => expect(await bench.call("jobs", "complete")).toEqual(["a"]),
  },
  {
    what: "a waiting job among the completed",
    before: inState("waiting"),
    damage: (_, hands) => hands.rank("completed", 5, "a"),
    tells: ["a", /does not belong in .*completed/],
    after: pops("q", "a"),
  },
  {
    what: "a completed job that is not among the completed, which is then kept as long as it should be",
    before: inState("complete"),
    damage: (_, hands) => hands.unrank("completed", "a"),
    tells: ["a", /missing in .*completed/],
    after: async (bench) => {
      await bench.later(604_799).call("tick");
      expect(await bench.call("jobs", "complete")).toEqual(["a"]);
      await bench.later(1).call("tick");
      expect(await bench.call("jobs", "complete")).toEqual([]);
    },
  },
];

everyDamageIsMended([...WORK, ...RUNNING]);
