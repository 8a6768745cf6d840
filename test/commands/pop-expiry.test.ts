import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { bring, told } from "./behaviour.ts";

const stats = (bench: Bench, queue = "q") => bench.json("stats", queue, bench.now);

const CRASHED =
  "Worker w is gone, as others before, and no retry is left: does the job crash them?";

everyEngine("pop past an expired lock", (open) => {
  test("leaves a lock alone until it expires", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.at(1_000_059.999).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", expires: 1_000_060 });
    expect(await stats(bench)).toMatchObject({ retries: 0 });
  });

  test("warns first: the worker keeps the job for the grace period", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    expect(await bench.at(1_000_060).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "running",
      worker: "w",
      expires: 1_000_070,
      lease,
      remaining: 5,
    });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      what: "timed-out",
      when: 1_000_060,
    });
    expect(await stats(bench)).toMatchObject({ retries: 1 });
  });

  test("takes the job away at the next look after the grace period, and hands it out", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    await bench.at(1_000_060).pop("q", "v");
    expect(await bench.at(1_000_069.999).pop("q", "v")).toEqual([]);
    const [job] = await bench.at(1_000_070).pop("q", "v");
    expect(job).toMatchObject({ jid: "a", remaining: 4, retries: 5, expires: 1_000_130 });
    expect(job!.lease).toBeGreaterThan(lease);
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", worker: "v" });
    const whats = (await bench.json("get", "a")).history.map(({ what }: { what: string }) => what);
    expect(whats).toEqual(["put", "popped", "timed-out", "popped"]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("workers", "v")).toEqual({ jobs: ["a"], stalled: [] });
    expect(await stats(bench)).toMatchObject({ retries: 1, failed: 0, failures: 0 });
  });

  test("keeps the warned worker's job among its jobs", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.at(1_000_060).pop("q", "v");
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a"], stalled: [] });
  });

  test.each(["heartbeat", "complete", "fail", "retry"] as const)(
    "lets the warned worker %s within the grace period",
    async (verb) => {
      const bench = await open();
      const lease = await bring(bench, "running");
      await bench.at(1_000_060).pop("q", "v");
      bench.at(1_000_069);
      if (verb === "heartbeat") await bench.call(verb, "a", "w", "", "lease", lease);
      if (verb === "complete") await bench.call(verb, "a", "w", "q", "{}", "lease", lease);
      if (verb === "fail") await bench.call(verb, "a", "w", "group", "message", "", "lease", lease);
      if (verb === "retry") await bench.call(verb, "a", "q", "w", "", "", "", "lease", lease);
      const after = {
        heartbeat: "running",
        complete: "complete",
        fail: "failed",
        retry: "waiting",
      };
      expect((await bench.json("get", "a")).state).toBe(after[verb]);
    },
  );

  test.each([0, -5])("warns and takes away at once with a grace period of %d", async (grace) => {
    const bench = await open();
    await bench.call("config.set", "grace-period", grace);
    await bring(bench, "running");
    const heard = await bench.hearing(async () => {
      const [job] = await bench.at(1_000_060).pop("q", "v");
      expect(job).toMatchObject({ jid: "a", remaining: 4 });
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    expect(told(heard)).toEqual([
      ["w:w", lost],
      ["log", lost],
    ]);
    expect(await stats(bench)).toMatchObject({ retries: 1 });
  });

  test("gives as long a grace as it is told", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0.5);
    await bring(bench, "running");
    await bench.at(1_000_060).pop("q", "v");
    expect((await bench.json("get", "a")).expires).toBe(1_000_060.5);
    expect(jidsOf(await bench.at(1_000_060.5).pop("q", "v"))).toEqual(["a"]);
  });

  test("announces a warning to those who track, to the worker, then to all", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    const warning = await bench.hearing(async () => {
      await bench.at(1_000_060).pop("q", "v");
    });
    expect(told(warning)).toEqual([
      ["stalled", "a"],
      ["w:w", lost],
      ["log", lost],
    ]);
    const taking = await bench.hearing(async () => {
      await bench.at(1_000_070).pop("q", "v");
    });
    expect(told(taking)).toEqual([["popped", "a"]]);
  });

  test("fails a job that has no retry left, and hands out the next", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 0 });
    await bench.pop("q", "w");
    await bench.put("q", "b");
    expect(jidsOf(await bench.at(1_000_060).pop("q", "v"))).toEqual(["b"]);
    await bench.put("q", "c");
    expect(jidsOf(await bench.at(1_000_070).pop("q", "v"))).toEqual(["c"]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "failed",
      worker: "",
      expires: 0,
      queue: "q",
      remaining: -1,
      failure: {
        group: "crashed",
        message: CRASHED,
        when: 1_000_070,
        worker: "w",
      },
    });
    expect((await bench.json("get", "a")).history.at(-1)).toMatchObject({
      what: "failed",
      group: "crashed",
      when: 1_000_070,
    });
    expect(await bench.json("failed", "crashed")).toEqual({ total: 1, jobs: ["a"] });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await stats(bench)).toMatchObject({ retries: 1, failed: 1, failures: 1 });
  });

  test("announces a failure for want of retries to those who track, then to all", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await bench.put("q", "a", { retries: 0 });
    await bench.pop("q", "w");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.at(1_000_060).pop("q", "v");
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    const message = CRASHED;
    const failed = { event: "failed", jid: "a", worker: "w", group: "crashed", message };
    expect(told(heard)).toEqual([
      ["stalled", "a"],
      ["w:w", lost],
      ["log", lost],
      ["failed", "a"],
      ["log", failed],
    ]);
  });

  test("tries a job once and again for each retry it has", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await bench.put("q", "a", { retries: 2 });
    for (const remaining of [2, 1, 0]) {
      expect(await bench.pop("q", "w")).toMatchObject([{ jid: "a", remaining }]);
      bench.later(60);
    }
    expect(await bench.pop("q", "w")).toEqual([]);
    expect((await bench.json("get", "a")).state).toBe("failed");
  });

  test("hands out lost jobs before waiting ones, the longest lost first", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    for (const jid of ["z", "m", "a"]) {
      await bench.put("q", jid);
      await bench.pop("q", "w");
      bench.later(1);
    }
    await bench.put("q", "first", { priority: -1000 });
    expect(jidsOf(await bench.later(100).pop("q", "v", 4))).toEqual(["z", "m", "a", "first"]);
  });

  test("warns every dead worker at one look, however little is asked for", async () => {
    const bench = await open();
    for (let i = 0; i < 50; i++) await bench.put("q", `j${i}`);
    for (let i = 0; i < 50; i++) await bench.pop("q", `w${i}`);
    await bench.put("q", "next");
    expect(jidsOf(await bench.later(60).pop("q", "v"))).toEqual(["next"]);
    expect(await stats(bench)).toMatchObject({ retries: 50 });
    expect(await bench.json("queues", "q")).toMatchObject({ running: 51, stalled: 0 });
  });

  test("looks at a hundred expired locks at a time, and at the rest next time", async () => {
    const bench = await open();
    for (let i = 0; i < 120; i++) await bench.put("q", `j${i}`);
    await bench.pop("q", "w", 120);
    await bench.later(60).pop("q", "v");
    expect(await stats(bench)).toMatchObject({ retries: 100 });
    await bench.pop("q", "v");
    expect(await stats(bench)).toMatchObject({ retries: 120 });
  });

  test("notices a lock that was renewed for a shorter time", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("config.set", "q-heartbeat", 10);
    await bench.later(1).call("heartbeat", "a", "w");
    await bench.later(10).pop("q", "v");
    expect(await stats(bench)).toMatchObject({ retries: 1 });
  });

  test("hands out a job at once whose heartbeat is negative", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", -10);
    await bench.call("config.set", "grace-period", 0);
    await bench.put("q", "a");
    expect(await bench.pop("q", "w")).toMatchObject([{ jid: "a", expires: 999_990 }]);
    expect(await bench.pop("q", "v")).toMatchObject([{ jid: "a", remaining: 4 }]);
  });

  test("counts the wait of a job that was taken away from when it was popped", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await bring(bench, "running");
    await bench.at(1_000_100).pop("q", "v");
    const { wait } = await stats(bench);
    expect(wait).toMatchObject({ count: 2, mean: 50 });
  });

  test("takes from other queues only what is theirs to lose", async () => {
    const bench = await open();
    await bring(bench, "running", "a", "q");
    await bring(bench, "running", "b", "r");
    await bench.at(1_000_060).pop("r", "v");
    expect(await stats(bench, "q")).toMatchObject({ retries: 0 });
    expect(await stats(bench, "r")).toMatchObject({ retries: 1 });
  });
});
