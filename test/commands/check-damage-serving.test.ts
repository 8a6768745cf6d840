import { expect, test } from "vitest";
import { everyHand, PLACE } from "../damage.ts";
import { type Bench, jidsOf } from "../engines.ts";
import { jobIn } from "../states.ts";
import { heard } from "../told.ts";

const damaged = (jid: string) => ["log", { event: "damaged", jid, queue: "q" }];

everyHand("a damaged queue", (open) => {
  const events = async (bench: Bench, work: () => Promise<unknown>) =>
    (await heard(bench, work)).filter(([, message]) => JSON.stringify(message).includes("damaged"));

  test("hands out the other jobs, and announces and drops a jid without a record", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await hands.remove("j:b");
    const told = await events(bench, async () => {
      expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["a", "c"]);
    });
    expect(told).toEqual([damaged("b")]);
    expect(await bench.problems()).toEqual([]);
  });

  test("hands out the next job in the same pop when the first has no record", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    for (const jid of ["a", "b"]) await hands.remove(`j:${jid}`);
    expect(jidsOf(await bench.pop("q", "w", 1))).toEqual(["c"]);
  });

  test("hands out jobs though many jids without a record stand before them", async () => {
    const { bench, hands } = await open();
    await bench.put("q", "a");
    for (let i = 0; i < 30; i++) await hands.rank("q:q-work", -1, `${PLACE}ghost${i}`);
    const got: string[] = [];
    for (let i = 0; i < 10 && got.length === 0; i++) got.push(...jidsOf(await bench.pop("q", "w")));
    expect(got).toEqual(["a"]);
  });

  test("keeps its limit of running jobs free of jids without a record", async () => {
    const { bench, hands } = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.put("q", "b");
    await hands.remove("j:a");
    bench.later(60);
    const got = [...(await bench.pop("q", "w")), ...(await bench.pop("q", "w"))];
    expect(jidsOf(got)).toEqual(["b"]);
  });

  test("drops an expired lock of a jid without a record, with pop and with tick", async () => {
    for (const look of ["pop", "tick"] as const) {
      const { bench, hands } = await open();
      for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
      await bench.pop("q", "w", 2);
      await hands.remove("j:a");
      bench.later(60);
      const told = await events(bench, () =>
        look === "tick" ? bench.call("tick") : bench.pop("q", "other", 10),
      );
      expect(told).toEqual([damaged("a")]);
      expect(await bench.json("get", "b")).toMatchObject({ state: "running", expires: 1_000_070 });
      expect(await bench.json("queues", "q")).toMatchObject({ stalled: 0 });
      await bench.problems(true);
      expect(await bench.problems()).toEqual([]);
    }
  });

  test("drops a due jid without a record, with pop and with tick", async () => {
    for (const look of ["pop", "tick"] as const) {
      const { bench, hands } = await open();
      for (const jid of ["a", "b"]) await bench.put("q", jid, { delay: 10 });
      await hands.remove("j:a");
      bench.later(10);
      const told = await events(bench, async () => {
        if (look === "tick") await bench.call("tick");
        expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["b"]);
      });
      expect(told).toEqual([damaged("a")]);
      expect(await bench.json("get", "a")).toBeNull();
      expect(await bench.problems()).toEqual([]);
    }
  });

  test("makes the children of others when a recurring job has no record", async () => {
    const { bench, hands } = await open();
    for (const jid of ["r", "s"]) {
      await bench.call("recur", "q", jid, "klass", "{}", "interval", 60, 0);
    }
    await hands.remove("r:r");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["s-1"]);
    expect(await bench.call("jobs", "recurring", "q")).toEqual(["s"]);
  });

  test("puts no children of a paused recurring job that is said to be due", async () => {
    const { bench, hands } = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    await bench.call("recur.pause", "r");
    await hands.rank("q:q-recur", 1_000_000, "r");
    expect(await bench.later(60).json("tick")).toMatchObject({ moved: 0, more: false });
    expect(await bench.json("tick")).toMatchObject({ more: false, next: null });
    expect(await bench.problems()).toEqual([]);
  });

  test("hands out jobs though a recurring job has lost its interval", async () => {
    const { bench, hands } = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    await bench.put("q", "a");
    await hands.unset("r:r", "interval");
    expect(jidsOf(await bench.pop("q", "w", 10))).toContain("a");
  });

  test("releases the other dependents when one has no record", async () => {
    const { bench, hands } = await open();
    await bench.put("q", "first");
    for (const jid of ["a", "b"]) await bench.put("r", jid, { depends: ["first"] });
    await hands.remove("j:a");
    await bench.pop("q", "w");
    expect(await bench.call("complete", "first", "w", "q", "{}")).toBe("complete");
    expect(jidsOf(await bench.pop("r", "w", 10))).toEqual(["b"]);
  });

  test("unfails the other jobs of a group when one has no record, and no job that runs", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b"]) await jobIn(bench, "failed", { jid });
    await jobIn(bench, "running", { jid: "c", queue: "r" });
    await hands.remove("j:a");
    await hands.rank("f:group", 5, "c");
    await bench.call("unfail", "q", "group");
    expect(jidsOf(await bench.pop("q", "other", 10))).toEqual(["b"]);
    expect(await bench.json("get", "c")).toMatchObject({ state: "running", worker: "w" });
  });

  test("prunes the other completed jobs when one has no record", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b"]) await jobIn(bench, "complete", { jid });
    await hands.remove("j:a");
    await bench.later(604_800).call("tick");
    expect(await bench.call("jobs", "complete")).toEqual([]);
    expect(await bench.json("get", "b")).toBeNull();
  });

  test("does not keep tick from other queues when its record is gone", async () => {
    const { bench, hands } = await open();
    for (let i = 0; i < 12; i++) {
      await bench.put(`lost${i}`, `a${i}`, { delay: 5 });
      await hands.remove(`queue:lost${i}`);
    }
    await bench.put("q", "a", { delay: 10 });
    bench.later(10);
    for (let i = 0; i < 5; i++) await bench.call("tick");
    expect((await bench.json("peek", "q", 1))[0]).toMatchObject({ jid: "a" });
    expect(await hands.score("due", "q"), "q was looked after").toBeUndefined();
    expect(await bench.json("tick")).toMatchObject({ more: false });
  });

  test("of a newer layout is left alone", async () => {
    const { bench, hands } = await open();
    await bench.call("layout");
    expect(await hands.field("", "layout")).toBe("1");
    await hands.set("", "layout", "2");
    const call = bench.call("layout");
    await expect(call).rejects.toMatchObject({
      code: "NEWER_LAYOUT",
      message: "The data has layout 2, this library knows 1: update it",
    });
    expect(await hands.field("", "layout")).toBe("2");
  });
});
