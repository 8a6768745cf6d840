import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { bring, STATES, statesBut, told } from "./behaviour.ts";

everyEngine("put of a job that exists", (open) => {
  test.each(STATES)("moves a job that is %s to its new queue", async (state) => {
    const bench = await open();
    await bring(bench, state);
    await bench.later(1).put("r", "a", { klass: "other", data: "[1]", priority: 3 });
    const depends = state === "depends";
    expect(await bench.json("get", "a")).toMatchObject({
      state: depends ? "depends" : "waiting",
      klass: "other",
      data: "[1]",
      queue: "r",
      priority: 3,
      worker: "",
      expires: 0,
      lease: null,
      scheduled: null,
      remaining: 5,
    });
    const nothing = { waiting: 0, running: 0, stalled: 0, scheduled: 0, depends: 0 };
    expect(await bench.json("queues", "q")).toMatchObject(nothing);
    expect(await bench.json("queues", "r")).toMatchObject(
      depends ? { ...nothing, depends: 1 } : { ...nothing, waiting: 1 },
    );
    expect(await bench.json("failed")).toEqual({});
    expect(await bench.call("jobs", "complete")).toEqual([]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      when: 1_000_001,
      what: "put",
      q: "r",
    });
    expect(jidsOf(await bench.pop("r", "w"))).toEqual(depends ? [] : ["a"]);
  });

  test.each(STATES)("brings a job that is %s back into the same queue once", async (state) => {
    const bench = await open();
    await bring(bench, state);
    await bench.put("q", "b");
    await bench.put("q", "a");
    const jids = jidsOf(await bench.pop("q", "v", 10));
    expect(jids).toEqual(state === "depends" ? ["b"] : ["b", "a"]);
  });

  test.each(STATES)("schedules a job that is %s when it has a delay", async (state) => {
    const bench = await open();
    await bring(bench, state);
    await bench.put("q", "a", { delay: 5 });
    const depends = state === "depends";
    expect(await bench.json("get", "a")).toMatchObject({
      state: depends ? "depends" : "scheduled",
      scheduled: 1_000_005,
    });
  });

  test("keeps priority, tags, retries, source, backoff and cutoff that are not given", async () => {
    const bench = await open();
    const own = {
      priority: -4.5,
      tags: ["x"],
      retries: 2,
      source: "import",
      backoff: "fixed 30",
      cutoff: 90,
    };
    await bench.put("q", "a", own);
    await bench.put("r", "a");
    expect(await bench.json("get", "a")).toMatchObject({ ...own, remaining: 2 });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("replaces what is given", async () => {
    const bench = await open();
    await bench.put("q", "a", { priority: 1, tags: ["x", "y"], retries: 2, source: "import" });
    const other = {
      priority: 0,
      tags: ["y", "z"],
      retries: 5,
      source: "export",
      backoff: "linear 5",
      cutoff: 10,
    };
    await bench.put("q", "a", other);
    expect(await bench.json("get", "a")).toMatchObject({ ...other, remaining: 5 });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
    expect(await bench.json("tag", "get", "y")).toEqual({ total: 1, jobs: ["a"] });
    expect(await bench.json("tag", "get", "z")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("takes all tags away when given none", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.put("q", "a", { tags: [] });
    expect((await bench.json("get", "a")).tags).toEqual([]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
  });

  test("gives back all retries", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 2 });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    expect((await bench.json("get", "a")).remaining).toBe(1);
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).remaining).toBe(2);
  });

  test("tells the worker that holds the job, then everyone, that its lock is lost", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(() => bench.put("r", "a", { worker: "other" }));
    const lost = { event: "lock_lost", jid: "a", worker: "w", moved: "r" };
    expect(told(heard)).toEqual([
      ["log", { event: "put", jid: "a", queue: "r" }],
      ["w:w", lost],
      ["log", lost],
      ["put", "a"],
    ]);
  });

  test("tells no worker that moves its own job", async () => {
    const bench = await open();
    await bring(bench, "running");
    const heard = await bench.hearing(() => bench.put("r", "a", { worker: "w" }));
    expect(told(heard)).toEqual([["log", { event: "put", jid: "a", queue: "r" }]]);
  });

  test.each(statesBut("running"))("tells no worker about a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const heard = await bench.hearing(() => bench.put("r", "a", { worker: "other" }));
    expect(told(heard)).toEqual([["log", { event: "put", jid: "a", queue: "r" }]]);
  });

  test("takes the lock from the worker that held the job", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    await bench.put("q", "a");
    const beat = bench.call("heartbeat", "a", "w", "", "lease", lease);
    await expect(beat).rejects.toMatchObject({ code: "NOT_RUNNING" });
    await bench.pop("q", "w");
    const late = bench.call("complete", "a", "w", "q", "{}", "lease", lease);
    await expect(late).rejects.toMatchObject({ code: "LOCK_LOST" });
  });

  test("lowers the count of failed jobs of the queue that the job failed in, and of its day", async () => {
    const bench = await open();
    await bring(bench, "failed");
    const day = bench.now;
    await bench.later(86_400).put("r", "a");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 0, failures: 1 });
    expect(await bench.json("stats", "r", day)).toMatchObject({ failed: 0, failures: 0 });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 0, failures: 0 });
    expect(await bench.json("failed", "group")).toEqual({ total: 0, jobs: [] });
  });

  test("leaves the other jobs of a failure group failed", async () => {
    const bench = await open();
    await bring(bench, "failed", "a");
    await bring(bench, "failed", "b");
    await bench.put("q", "a");
    expect(await bench.json("failed")).toEqual({ group: 1 });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 2 });
  });

  test("remembers the last failure", async () => {
    const bench = await open();
    await bring(bench, "failed");
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).failure).toMatchObject({ group: "group" });
  });

  test("warns of the next lost lock even if the last one was warned of", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(60).pop("q", "v");
    await bench.put("q", "a", { worker: "w" });
    await bench.pop("q", "w");
    const heard = await bench.hearing(async () => {
      expect(await bench.later(60).pop("q", "v")).toEqual([]);
    });
    expect(told(heard).map(([channel]) => channel)).toEqual(["w:w", "log"]);
    expect(await bench.json("get", "a")).toMatchObject({ remaining: 5, worker: "w" });
  });

  test("does not delay a job by what an earlier put of it said", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.put("q", "a", { delay: 1000, depends: ["before"] });
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.call("complete", "before", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", scheduled: null });
  });

  test("keeps the history at its limit: the first entry and the newest", async () => {
    const bench = await open();
    await bench.call("config.set", "max-job-history", 3);
    for (const queue of ["q1", "q2", "q3", "q4", "q5"]) await bench.later(1).put(queue, "a");
    const { history } = await bench.json("get", "a");
    expect(history.map(({ q }: { q: string }) => q)).toEqual(["q1", "q4", "q5"]);
  });

  test.each([
    [1, ["q1"]],
    [2, ["q1", "q5"]],
    [0, ["q1", "q2", "q3", "q4", "q5"]],
    [-1, ["q1", "q2", "q3", "q4", "q5"]],
  ])("keeps as much history as a limit of %d allows", async (limit, kept) => {
    const bench = await open();
    await bench.call("config.set", "max-job-history", limit);
    for (const queue of ["q1", "q2", "q3", "q4", "q5"]) await bench.put(queue, "a");
    const { history } = await bench.json("get", "a");
    expect(history.map(({ q }: { q: string }) => q)).toEqual(kept);
  });
});
