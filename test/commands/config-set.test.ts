import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

const whole = (option: string) => `${option} must be a whole number`;
const numeric = (option: string) => `${option} must be a number`;
const NUMERIC = ["heartbeat", "grace-period", "jobs-history", "stats-history"];
const MORE_NUMERIC = [
  "histogram-history",
  "max-worker-age",
  "q-heartbeat",
  "heartbeat-q",
  "q-cutoff",
];
const WHOLE = ["jobs-history-count", "max-job-history", "q-max-concurrency", "q-retries"];

everyEngine("config.set", (open) => {
  async function running(bench: Bench, queue: string, jid: string) {
    await bench.put(queue, jid);
    const [job] = await bench.pop(queue, "w");
    return job!;
  }

  test("changes a setting", async () => {
    const bench = await open();
    expect(await bench.call("config.set", "heartbeat", 30)).toBe(false);
    expect(await bench.call("config.get", "heartbeat")).toBe("30");
    expect((await running(bench, "q", "a")).expires).toBe(bench.now + 30);
    await bench.call("config.set", "heartbeat", 0.5);
    expect(await bench.call("heartbeat", "a", "w")).toBe(bench.now);
    expect((await bench.json("get", "a")).expires).toBe(bench.now + 0.5);
  });

  test("keeps a setting that nobody knows, as it was given", async () => {
    const bench = await open();
    for (const value of ["", "red", " 1 ", "0x10", '"\\\n\u0001', "é😀"]) {
      await bench.call("config.set", "colour", value);
      expect(await bench.call("config.get", "colour")).toBe(value);
      expect((await bench.json("config.get")).colour).toBe(value);
    }
  });

  test("lets the heartbeat of a queue win over the general one, in either spelling", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat-q", 20);
    expect((await running(bench, "q", "a")).expires).toBe(bench.now + 20);
    await bench.call("config.set", "q-heartbeat", 10);
    expect((await running(bench, "q", "b")).expires).toBe(bench.now + 10);
    expect(await bench.call("heartbeat", "a", "w")).toBe(bench.now + 10);
    expect((await running(bench, "r", "c")).expires).toBe(bench.now + 60);
  });

  test("gives a queue settings before there is one", async () => {
    const bench = await open();
    await bench.call("config.set", "q-retries", 2);
    await bench.put("q", "a");
    expect(await bench.json("get", "a")).toMatchObject({ retries: 2, remaining: 2 });
    await bench.put("q", "b", { retries: 7 });
    expect(await bench.json("get", "b")).toMatchObject({ retries: 7 });
  });

  test("gives a job that says nothing of retries those of each queue it comes into", async () => {
    const bench = await open();
    await bench.call("config.set", "q-retries", 2);
    await bench.call("config.set", "r-retries", 3);
    await bench.put("q", "a");
    await bench.put("q", "own", { retries: 5 });
    for (const [queue, next, retries] of [
      ["q", "r", 2],
      ["r", "plain", 3],
      ["plain", "q", 5],
      ["q", "end", 2],
    ] as const) {
      for (const { jid } of await bench.pop(queue, "w", 2)) {
        const expected = jid === "own" ? 5 : retries;
        expect(await bench.json("get", jid)).toMatchObject({
          retries: expected,
          remaining: expected,
        });
        await bench.call("complete", jid, "w", queue, "{}", "next", next);
      }
    }
    await bench.put("r", "a");
    expect(await bench.json("get", "a")).toMatchObject({ queue: "r", retries: 3, remaining: 3 });
    await bench.put("r", "a", { retries: 1 });
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).retries).toBe(1);
  });

  test("gives an unfailed job the retries of the queue it comes into", async () => {
    const bench = await open();
    await bench.call("config.set", "r-retries", 3);
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", "message");
    await bench.call("unfail", "r", "group");
    expect(await bench.json("get", "a")).toMatchObject({ queue: "r", retries: 3, remaining: 3 });
  });

  test("limits how many jobs of a queue run at once", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 2);
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["a", "b"]);
    expect(await bench.pop("q", "w", 10)).toEqual([]);
    await bench.call("complete", "a", "w", "q", "{}");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["c"]);
    await bench.call("config.set", "q-max-concurrency", 0);
    await bench.put("q", "d");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["d"]);
  });

  test("lets a queue say how long a job rests before it is tried again", async () => {
    const bench = await open();
    await bench.call("config.set", "q-backoff", "linear 10 cap 15");
    await running(bench, "q", "a");
    await bench.call("retry", "a", "q", "w");
    expect(await bench.json("get", "a")).toMatchObject({ scheduled: bench.now + 10 });
    await bench.later(10).pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    expect(await bench.json("get", "a")).toMatchObject({ scheduled: bench.now + 15 });
  });

  test("lets a queue say how long a job may run", async () => {
    const bench = await open();
    await bench.call("config.set", "q-cutoff", 30);
    expect((await running(bench, "q", "a")).expires).toBe(bench.now + 30);
  });

  test("turns the order of jobs that wait already", async () => {
    const bench = await open();
    for (const priority of [1, 3, 2]) await bench.put("q", `p${priority}`, { priority });
    await bench.call("config.set", "priority-order", "highest-first");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["p3"]);
    await bench.call("config.set", "priority-order", "lowest-first");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["p1"]);
  });

  test("takes a negative heartbeat, so that locks expire at once", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", -10);
    await bench.call("config.set", "grace-period", 0);
    await running(bench, "q", "a");
    const [again] = await bench.pop("q", "other");
    expect(again).toMatchObject({ jid: "a", remaining: 4, expires: bench.now - 10 });
  });

  test("takes a negative history, so that completed jobs are not kept", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history", -1);
    await running(bench, "q", "a");
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.call("jobs", "complete")).toEqual([]);
  });

  test("announces the setting and its value", async () => {
    const bench = await open();
    const events = await heard(bench, () => bench.call("config.set", "colour", 'r"ed'));
    expect(events).toEqual([["log", { event: "config_set", option: "colour", value: 'r"ed' }]]);
  });

  test("may set the same again", async () => {
    const bench = await open();
    await bench.call("config.set", "q-heartbeat", 10);
    await unchanged(bench, () => bench.call("config.set", "q-heartbeat", 10));
  });

  test("refuses values that a setting cannot have", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (const option of [...NUMERIC, ...MORE_NUMERIC, ...WHOLE]) {
      const values = ["", "soon", "0x10", " 1", "inf", "nan", "1e10", "-1e10", "1,5"];
      await refusesEach(
        bench,
        "config.set",
        values.map((value) => [[option, value], numeric(option)]),
      );
    }
    await refusesEach(
      bench,
      "config.set",
      WHOLE.map((option) => [[option, 1.5], whole(option)]),
    );
    const order = "priority-order must be lowest-first or highest-first";
    await refusesEach(bench, "config.set", [
      [["q-retries", -1], "q-retries must not be negative"],
      [["q-max-concurrency", -1], "q-max-concurrency must not be negative"],
      [["priority-order", "random"], order],
      [["priority-order", ""], order],
      [["q-backoff", "30"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "fixed"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "fixed -1"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "fixed 1 cap"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "fixed 1 jitter 2"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "fixed 1 cap 2 jitter 0 cap 3"], /^q-backoff must be "fixed 30"/],
      [["q-backoff", "random 1"], /^q-backoff must be "fixed 30"/],
    ]);
    expect(await bench.pop("q", "w")).toHaveLength(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "config.set", [
      [[], missing("option")],
      [["colour"], missing("value")],
      [["", "red"], badName("option")],
      [["a\nb", "red"], badName("option")],
      [[LONG, "red"], badName("option")],
      [["colour", "x".repeat(1_048_577)], 'Arg "value" is longer than 1048576 bytes'],
      [["colour", "red", "x"], /^Odd number of additional args/],
      [["colour", "red", "queue", "q"], "Unknown option queue: it takes none"],
    ]);
  });
});
