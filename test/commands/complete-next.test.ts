import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { bring, refusedInVain, resent, told, type Words } from "./behaviour.ts";

everyEngine("complete with next", (open) => {
  test("sends the job on to wait in the next queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    bench.later(5);
    expect(await bench.call("complete", "a", "w", "q", "[1]", "next", "r")).toBe("waiting");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "waiting",
      queue: "r",
      worker: "",
      expires: 0,
      lease: null,
      data: "[1]",
    });
    expect((await bench.json("get", "a")).history.slice(2)).toEqual([
      { what: "done", when: 1_000_005 },
      { what: "put", q: "r", when: 1_000_005 },
    ]);
    expect(await bench.json("queues")).toMatchObject([
      { name: "q", running: 0, waiting: 0 },
      { name: "r", running: 0, waiting: 1 },
    ]);
    expect(await bench.call("jobs", "complete")).toEqual([]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(jidsOf(await bench.pop("r", "w"))).toEqual(["a"]);
  });

  test("keeps priority, tags and source, and gives back all retries", async () => {
    const bench = await open();
    await bench.put("q", "a", { priority: -3, tags: ["x"], source: "s", retries: 2 });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w", 0, "group", "message");
    await bench.pop("q", "w");
    await bench.put("r", "other");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    expect(await bench.json("get", "a")).toMatchObject({
      priority: -3,
      tags: ["x"],
      source: "s",
      retries: 2,
      remaining: 2,
      failure: {},
    });
    expect(jidsOf(await bench.pop("r", "w", 2))).toEqual(["a", "other"]);
  });

  test("sends the job to the end of its own queue when that is next", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b");
    expect(await bench.call("complete", "a", "w", "q", "{}", "next", "q")).toBe("waiting");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["b", "a"]);
  });

  test("schedules the job after a delay, in its state as well", async () => {
    const bench = await open();
    await bring(bench, "running");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "delay", 10.5];
    expect(await bench.call("complete", ...advance)).toBe("scheduled");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "scheduled",
      scheduled: 1_000_010.5,
      queue: "r",
    });
    expect(await bench.json("queues", "r")).toMatchObject({ scheduled: 1, waiting: 0 });
    expect(await bench.later(10).pop("r", "w")).toEqual([]);
    expect(jidsOf(await bench.later(0.5).pop("r", "w"))).toEqual(["a"]);
  });

  test.each([0, -5])("takes a delay of %d for none", async (delay) => {
    const bench = await open();
    await bring(bench, "running");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "delay", delay];
    expect(await bench.call("complete", ...advance)).toBe("waiting");
  });

  test("makes the job wait for others in the next queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("other", "b");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "depends", '["b","nobody"]'];
    expect(await bench.call("complete", ...advance)).toBe("depends");
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["b"] });
    expect((await bench.json("get", "b")).dependents).toEqual(["a"]);
    await bench.pop("other", "w");
    await bench.call("complete", "b", "w", "other", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
  });

  test("does not wait for jobs that are complete or do not exist", async () => {
    const bench = await open();
    await bring(bench, "complete", "b");
    await bring(bench, "running", "a");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "depends", '["b","nobody"]'];
    expect(await bench.call("complete", ...advance)).toBe("waiting");
  });

  test("keeps the delay of a job that waits for others", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("other", "b");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "delay", 100, "depends", '["b"]'];
    expect(await bench.call("complete", ...advance)).toBe("depends");
    await bench.pop("other", "w");
    await bench.call("complete", "b", "w", "other", "{}");
    const delayed = { state: "scheduled", scheduled: 1_000_100 };
    expect(await bench.json("get", "a")).toMatchObject(delayed);
  });

  test("keeps the delay of a job that turns out to wait for nobody", async () => {
    const bench = await open();
    await bring(bench, "running");
    const advance: Words = ["a", "w", "q", "{}", "next", "r", "delay", 100];
    expect(await bench.call("complete", ...advance, "depends", '["nobody"]')).toBe("scheduled");
    await bring(bench, "running", "b");
    advance[0] = "b";
    expect(await bench.call("complete", ...advance, "depends", "[]")).toBe("scheduled");
    expect((await bench.json("get", "b")).scheduled).toBe(1_000_100);
  });

  test("forgets an earlier delay", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    await bench.later(10).pop("q", "w");
    await bench.put("other", "b");
    bench.at(1_000_005);
    await bench.call("complete", "a", "w", "q", "{}", "next", "r", "depends", '["b"]');
    expect((await bench.json("get", "a")).scheduled).toBeNull();
    await bench.pop("other", "w");
    await bench.call("complete", "b", "w", "other", "{}");
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("keeps those who wait for the job waiting", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("s", "after", { depends: ["a"] });
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    expect((await bench.json("get", "after")).state).toBe("depends");
    expect((await bench.json("get", "a")).dependents).toEqual(["after"]);
    await bench.pop("r", "w");
    await bench.call("complete", "a", "w", "r", "{}");
    expect((await bench.json("get", "after")).state).toBe("waiting");
  });

  test("counts each run in its own queue, and each wait from its own put", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(10).call("complete", "a", "w", "q", "{}", "next", "r");
    await bench.later(20).pop("r", "w");
    await bench.later(30).call("complete", "a", "w", "r", "{}");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      run: { count: 1, mean: 10 },
    });
    expect(await bench.json("stats", "r", bench.now)).toMatchObject({
      wait: { count: 1, mean: 20 },
      run: { count: 1, mean: 30 },
    });
  });

  test("tells those who track the job, then all", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    });
    expect(told(heard)).toEqual([
      ["completed", "a"],
      ["log", { event: "advanced", jid: "a", queue: "q", to: "r" }],
    ]);
  });

  test("warns of the next lost lock even if the last one was warned of", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(60).pop("q", "v");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    await bench.pop("r", "w");
    expect(await bench.later(60).pop("r", "v")).toEqual([]);
    expect(await bench.json("stats", "r", bench.now)).toMatchObject({ retries: 1 });
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", remaining: 5 });
  });

  test("refuses to make the job wait for itself", async () => {
    const bench = await open();
    await bring(bench, "running");
    const advance: Words = ["a", "w", "q", "[1]", "next", "r", "depends", '["a"]'];
    const reason = "Job a would depend on itself";
    await refusedInVain(bench, ["complete", ...advance], "CYCLE", reason);
  });

  test("refuses to make the job wait for one that waits for it", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("s", "b", { depends: ["a"] });
    await bench.put("s", "c", { depends: ["b"] });
    const advance: Words = ["a", "w", "q", "[1]", "next", "r", "depends", '["c"]'];
    const reason = "Job a would depend on itself";
    await refusedInVain(bench, ["complete", ...advance], "CYCLE", reason);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "running");
    const advance: Words = ["a", "w", "q", "{}", "next", "r"];
    expect(await resent(bench, "complete", ...advance)).toBe("waiting");
    expect(await bench.json("queues", "r")).toMatchObject({ waiting: 1 });
  });

  test("keeps the history at its limit", async () => {
    const bench = await open();
    await bench.call("config.set", "max-job-history", 2);
    await bring(bench, "running");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    const { history } = await bench.json("get", "a");
    expect(history.map(({ q }: { q: string }) => q)).toEqual(["q", "r"]);
  });
});
