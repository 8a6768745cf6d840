import { expect, test } from "vitest";
import {
  completedBy,
  type Damage,
  everyDamageIsMended,
  everyHand,
  inState,
  pops,
} from "../damage.ts";
import { jobIn, STATES } from "../states.ts";

/** Records of which a part is lost. */
const RECORDS: Damage[] = [
  ...["klass", "data", "queue"].map(
    (field): Damage => ({
      what: `a job without its ${field}`,
      before: async (bench) => {
        await jobIn(bench, "waiting");
        await bench.put("q", "b");
      },
      damage: (_, hands) => hands.unset("j:a", field),
      tells: ["a", /record is not a job/],
      after: pops("q", "b"),
    }),
  ),
  {
    what: "a job without its place",
    before: async (bench) => {
      await jobIn(bench, "waiting");
      await bench.put("q", "b");
    },
    damage: (_, hands) => hands.unset("j:a", "place"),
    tells: ["a", /./],
    after: async (bench) =>
      expect((await bench.pop("q", "w", 10)).map(({ jid }) => jid).sort()).toEqual(["a", "b"]),
  },
  {
    what: "a scheduled job without its time",
    before: inState("scheduled"),
    damage: (_, hands) => hands.unset("j:a", "scheduled"),
    tells: ["a", /./],
    after: (bench, hands) => pops("q", "a")(bench.later(100), hands),
  },
  {
    what: "a running job without a state",
    before: inState("running"),
    damage: (_, hands) => hands.unset("j:a", "state"),
    tells: ["a", /./],
    after: async (bench) => expect(await bench.call("length", "q")).toBe(1),
  },
  {
    what: "a running job without a worker",
    before: inState("running"),
    damage: (_, hands) => hands.set("j:a", "state", "running\t\t1\t2\t1000000000"),
    tells: ["a", /./],
    after: (bench, hands) => pops("q", "a")(bench.later(100), hands),
  },
  {
    what: "a running job whose state tells another queue",
    before: inState("running"),
    damage: (_, hands) => hands.set("j:a", "state", "running\tw\t1\t2\t1000000000\tother"),
    tells: ["a", /tells a queue that it should not/],
    after: completedBy("a"),
  },
  {
    what: "a running job whose state hides that there is more to know",
    before: inState("running"),
    damage: (_, hands) => hands.set("j:a", "more", "1"),
    tells: ["a", /tells a queue that it should not/],
    after: completedBy("a"),
  },
  {
    what: "a job whose state tells a queue though it does not run",
    before: inState("complete"),
    damage: (_, hands) => hands.set("j:a", "state", "complete\t\t\t3\t1000000000\tq"),
    tells: ["a", /tells a queue that it should not/],
    after: async (bench) => expect((await bench.json("get", "a")).state).toBe("complete"),
  },
  {
    what: "a running job without an expiry",
    before: inState("running"),
    damage: async (_, hands) => {
      await hands.unrank("q:q-locks", "a");
      await hands.unrank("w:w:jobs", "a");
    },
    tells: ["a", /./],
    after: async (bench) => {
      await bench.later(100).call("tick");
      await bench.later(100).call("tick");
      expect((await bench.json("get", "a")).state).toBe("stalled");
    },
  },
  {
    what: "a failed job without a group",
    before: inState("failed"),
    damage: (_, hands) => hands.unset("j:a", "group"),
    tells: ["a", /./],
    after: (bench) => bench.call("cancel", "a"),
  },
  {
    what: "a failed job without the message of its first failure",
    before: inState("failed"),
    damage: (_, hands) => hands.unset("j:a", "firstMessage"),
    tells: ["a", /its firstMessage is lost/],
    after: (bench) => bench.call("cancel", "a"),
  },
  {
    what: "a failed job with a message and no first failure",
    before: inState("failed"),
    damage: (_, hands) => hands.unset("j:a", "firstFailure"),
    tells: ["a", /its firstMessage is of no failure/],
    after: async (bench) => expect((await bench.json("get", "a")).first_failure).toEqual({}),
  },
  {
    what: "a failed job whose first failure says nothing",
    before: inState("failed"),
    damage: (_, hands) => hands.set("j:a", "firstFailure", "yesterday"),
    tells: ["a", /its firstFailure cannot be read/],
    after: async (bench) => expect((await bench.json("get", "a")).first_failure).toEqual({}),
  },
  {
    what: "a job in a state that does not exist",
    before: inState("waiting"),
    damage: (_, hands) => hands.set("j:a", "state", "dreaming"),
    tells: ["a", /./],
    after: (bench) => bench.call("cancel", "a"),
  },
  {
    what: "a job with tags that are no list",
    before: inState("waiting", { tags: ["x"] }),
    damage: (_, hands) => hands.set("j:a", "tags", "x"),
    tells: ["a", /./],
    after: pops("q", "a"),
  },
  {
    what: "a recurring job without an interval",
    before: async (bench) => {
      await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
      await bench.put("q", "a");
    },
    damage: (_, hands) => hands.unset("r:r", "interval"),
    tells: ["r", /./],
    after: pops("q", "a"),
  },
];

everyDamageIsMended(RECORDS);

everyHand("check", (open) => {
  for (const state of STATES) {
    test(`mends all that a job that was ${state} leaves behind without its record`, async () => {
      const { bench, hands } = await open();
      await jobIn(bench, state, { tags: ["x"], source: "s" });
      await bench.put("q", "b", { tags: ["x"] });
      await bench.call("track", "track", "a");
      await hands.remove("j:a");
      expect(await bench.problems()).not.toEqual([]);
      await bench.problems(true);
      expect(await bench.problems()).toEqual([]);
      await pops("q", "b")(bench.later(1000), hands);
      expect(await bench.json("track")).toEqual({ jobs: [], expired: ["a"] });
    });

    test(`puts a job that is ${state} back where it belongs when all rankings are lost`, async () => {
      const { bench, hands } = await open();
      await jobIn(bench, state, { tags: ["x"], source: "s" });
      await bench.call("track", "track", "a");
      const before = await bench.json("get", "a");
      const records = ["j:", "queue:", "s:", "config", "request:", "dependencies:", "dependents:"];
      for (const key of await hands.keys()) {
        if (!records.some((start) => key.startsWith(start))) await hands.remove(key);
      }
      expect(await bench.problems()).not.toEqual([]);
      await bench.problems(true);
      expect(await bench.problems()).toEqual([]);
      expect(await bench.json("get", "a")).toEqual(before);
      expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
      expect((await bench.json("track")).jobs).toHaveLength(1);
    });
  }

  test("mends a large namespace in one walk", async () => {
    const { bench, hands } = await open();
    const options = ["tags", '["x","y"]', "source", "s"];
    const jobs = Array.from({ length: 400 }, (_, i) => ["q", `j${i}`, "k", "{}", 0, 4, ...options]);
    await bench.call("put.many", "w", ...jobs.flat());
    for (let i = 0; i < 400; i += 7) {
      await hands.unrank("t:x", `j${i}`);
      await hands.rank("t:y", 5, `ghost${i}`);
      await hands.rank("q:q-work", -1, `0000000000001ghost${i}`);
      await hands.unrank("q:q-work", `${await hands.field(`j:j${i}`, "place")}j${i}`);
    }
    await bench.problems(true);
    expect(await bench.problems()).toEqual([]);
    expect(await bench.json("tag", "get", "x", 0, 0)).toMatchObject({ total: 400 });
    expect(await bench.pop("q", "w", 1000)).toHaveLength(400);
  });

  test("can be read by everyone else while it is damaged", async () => {
    const { bench, hands } = await open();
    await jobIn(bench, "waiting", { tags: ["x"] });
    await bench.call("track", "track", "a");
    await hands.remove("j:a");
    for (const args of [
      ["track"],
      ["queues"],
      ["workers"],
      ["failed"],
      ["peek", "q", 10],
    ] as const) {
      const [command, ...rest] = args;
      await bench.call(command, ...rest);
    }
    expect(await bench.json("peek", "q", 10)).toEqual([]);
    expect(await bench.call("jobs", "waiting", "q")).toEqual(["a"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
  });
});
