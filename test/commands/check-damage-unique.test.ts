import { expect, test } from "vitest";
import { type Act, type Damage, everyDamageIsMended, everyHand } from "../damage.ts";
import type { PutOptions } from "../engines.ts";
import type { Hands } from "../hands.ts";

const put =
  (options: PutOptions): Act =>
  (bench) =>
    bench.put("q", "a", { unique: "k", ...options });
const held = put({});
const heldForATime = put({ for: 100 });

const isHeldBy =
  (jid: string): Act =>
  async (bench) =>
    expect(await bench.call("unique.get", "k")).toBe(jid);

/** Expects the job to hold no key, and the key to be there for another. */
const isFree: Act = async (bench) => {
  expect(await bench.json("get", "a")).toMatchObject({ unique: null });
  expect(await bench.put("q", "b", { unique: "k" })).toBe("b");
};

/** Expects the key to be free when its time is over. */
const isFreeInTime: Act = async (bench, hands) => {
  await isHeldBy("a")(bench, hands);
  expect(await bench.later(100).json("tick")).toMatchObject({ removed: 1 });
  expect(await hands.field("unique:k", "jid")).toBeUndefined();
};

/** Makes it seem that the job holds the key. */
async function hold(hands: Hands, key: string, jid: string, until: string): Promise<void> {
  await hands.set(`unique:${key}`, "jid", jid);
  await hands.set(`unique:${key}`, "until", until);
}

const NOBODYS = /the unique key is held by no job/;

const KEYS: Damage[] = [
  {
    what: "a key whose job is gone",
    before: held,
    damage: (_, hands) => hold(hands, "l", "ghost", "complete"),
    tells: ["l", NOBODYS],
    after: async (bench) => expect(await bench.call("unique.get", "l")).toBe(""),
  },
  {
    what: "a key of a job that holds another",
    before: held,
    damage: (_, hands) => hold(hands, "l", "a", "complete"),
    tells: ["l", NOBODYS],
    after: isHeldBy("a"),
  },
  {
    what: "a key whose job does not know of it",
    before: held,
    damage: (_, hands) => hands.unset("j:a", "unique"),
    tells: ["k", NOBODYS],
    after: isFree,
  },
  {
    what: "a key that does not say who holds it",
    before: heldForATime,
    damage: (_, hands) => hands.unset("unique:k", "jid"),
    tells: ["k", NOBODYS],
    after: isFreeInTime,
  },
  {
    what: "a key that does not say until when it is held",
    before: heldForATime,
    damage: (_, hands) => hands.unset("unique:k", "until"),
    tells: ["k", NOBODYS],
    after: isFreeInTime,
  },
  {
    what: "a key that is held until something unknown",
    before: held,
    damage: (_, hands) => hands.set("unique:k", "until", "doomsday"),
    tells: ["k", NOBODYS],
    after: isHeldBy("a"),
  },
  {
    what: "a key that is held longer than its job says",
    before: held,
    damage: (_, hands) => hands.set("unique:k", "until", "2000000000"),
    tells: ["k", NOBODYS],
    after: isHeldBy("a"),
  },
  {
    what: "a key of no name",
    before: held,
    damage: (_, hands) => hold(hands, "", "a", "2000000000"),
    tells: ["", NOBODYS],
    after: isHeldBy("a"),
  },
];

const TIMED: Damage[] = [
  {
    what: "a key for a time that would never be free",
    before: heldForATime,
    damage: (_, hands) => hands.unrank("uniques", "k"),
    tells: ["k", /missing in .*uniques/],
    after: isFreeInTime,
  },
  {
    what: "a key for a time that is noted for another",
    before: heldForATime,
    damage: (_, hands) => hands.rank("uniques", 7e12, "k"),
    tells: ["k", /time is wrong in .*uniques/],
    after: isFreeInTime,
  },
  {
    what: "a time that is noted of no key",
    before: heldForATime,
    damage: (_, hands) => hands.rank("uniques", 7e12, "none"),
    tells: ["none", /does not belong in .*uniques/],
    after: isFreeInTime,
  },
  {
    what: "a time that is noted of a key without one",
    before: held,
    damage: (_, hands) => hands.rank("uniques", 5, "k"),
    tells: ["k", /does not belong in .*uniques/],
    after: isHeldBy("a"),
  },
];

const JOBS: Damage[] = [
  ...[held, heldForATime].map(
    (before, i): Damage => ({
      what: `a job whose key is gone, held ${["until it is complete", "for a time"][i]}`,
      before,
      damage: (_, hands) => hands.remove("unique:k"),
      tells: ["a", /missing in .*unique:k/],
      after: isHeldBy("a"),
    }),
  ),
  {
    what: "two jobs that say they hold a key",
    before: async (bench, hands) => {
      await held(bench, hands);
      await bench.put("q", "c");
    },
    damage: async (_, hands) => {
      await hands.set("j:c", "unique", "complete\tk");
      await hands.set("j:c", "more", "1");
    },
    tells: ["c", /its unique key is another's: k/],
    after: async (bench, hands) => {
      await isHeldBy("a")(bench, hands);
      expect((await bench.json("get", "c")).unique).toBeNull();
    },
  },
  {
    what: "a completed job that still holds its key",
    before: async (bench, hands) => {
      await held(bench, hands);
      await bench.pop("q", "w");
      await bench.call("complete", "a", "w", "q", "{}");
    },
    damage: async (_, hands) => {
      await hands.set("j:a", "unique", "complete\tk");
      await hold(hands, "k", "a", "complete");
    },
    tells: ["a", /holds its unique key too long: k/],
    after: isFree,
  },
  {
    what: "a running job that still holds a key until it starts",
    before: async (bench, hands) => {
      await put({ until: "start" })(bench, hands);
      await bench.pop("q", "w");
    },
    damage: async (_, hands) => {
      await hands.set("j:a", "unique", "start\tk");
      await hold(hands, "k", "a", "start");
    },
    tells: ["a", /holds its unique key too long: k/],
    after: isFree,
  },
  ...["", "k", "complete\t", "never\tk", "-5\tk", "1.5\tk"].map(
    (claim): Damage => ({
      what: `a job that says ${JSON.stringify(claim)} of its key`,
      before: held,
      damage: (_, hands) => hands.set("j:a", "unique", claim),
      tells: ["a", /its unique cannot be read/],
      after: isFree,
    }),
  ),
  {
    what: "a context that is no object",
    before: put({ context: "{}" }),
    damage: (_, hands) => hands.set("j:a", "context", "[]"),
    tells: ["a", /its context cannot be read/],
    after: async (bench) => expect((await bench.json("get", "a")).context).toBeNull(),
  },
  ...[{ unique: "k" }, { context: "{}" }].map(
    (options): Damage => ({
      what: `a job that has, and does not know that it has, a ${Object.keys(options)[0]}`,
      before: (bench) => bench.put("q", "a", options),
      damage: (_, hands) => hands.unset("j:a", "more"),
      tells: ["a", /does not know that it says more than most/],
      after: async (bench) => expect(await bench.json("get", "a")).toMatchObject(options),
    }),
  ),
];

everyDamageIsMended([...KEYS, ...TIMED, ...JOBS]);

everyHand("a damaged unique key", (open) => {
  test.each(["", "start", "complete", "start\t", "none\tk"])(
    "keeps a job that says %j of it from nothing",
    async (claim) => {
      const { bench, hands } = await open();
      for (const end of ["fail", "complete", "cancel", "put"]) {
        await bench.put("q", end, { unique: end });
        await hands.set(`j:${end}`, "unique", claim);
        if (end === "fail" || end === "complete") await bench.pop("q", "w");
        if (end === "fail") await bench.call("fail", end, "w", "group", "message");
        if (end === "complete") await bench.call("complete", end, "w", "q", "{}");
        if (end === "cancel") await bench.call("cancel", end);
        if (end === "put") await bench.put("q", end, { unique: "other" });
        await bench.json("get", end);
      }
      await bench.problems(true);
      expect(await bench.problems()).toEqual([]);
    },
  );

  test.each(["jid", "until"])("that has lost its %s is free", async (field) => {
    const { bench, hands } = await open();
    await heldForATime(bench, hands);
    await hands.unset("unique:k", field);
    expect(await bench.call("unique.get", "k")).toBe("");
    expect(await bench.call("unique.free", "k")).toBe(0);
    expect(await bench.put("q", "b", { unique: "k" })).toBe("b");
    await bench.later(100).call("tick");
    expect(await bench.call("unique.get", "k")).toBe("b");
  });

  test("that is noted for too early a time is held on", async () => {
    const { bench, hands } = await open();
    await heldForATime(bench, hands);
    await bench.put("q", "b", { unique: "l" });
    for (const key of ["k", "l", "none"]) await hands.rank("uniques", 5, key);
    await bench.call("tick");
    expect(await bench.call("unique.get", "k")).toBe("a");
    expect(await bench.call("unique.get", "l")).toBe("b");
    expect(await bench.problems()).toEqual([]);
  });
});
