import { expect, test } from "vitest";
import { everyEngine, jidsOf, refused } from "../engines.ts";
import { bring, refusedInVain, statesBut } from "./behaviour.ts";

everyEngine("put with depends", (open) => {
  test("makes a job wait until all it depends on are complete", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("q", "c");
    await bench.put("r", "a", { depends: ["b", "c"] });
    expect(await bench.json("queues", "r")).toMatchObject({ depends: 1, waiting: 0 });
    expect((await bench.json("get", "a")).dependencies.sort()).toEqual(["b", "c"]);
    expect((await bench.json("get", "b")).dependents).toEqual(["a"]);
    expect(await bench.pop("r", "w")).toEqual([]);
    await bench.pop("q", "w", 2);
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["c"] });
    await bench.call("complete", "c", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
    expect(jidsOf(await bench.pop("r", "w"))).toEqual(["a"]);
  });

  test.each(statesBut("complete"))("waits for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state, "b");
    await bench.put("r", "a", { depends: ["b"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["b"] });
  });

  test("does not wait for jobs that are complete or do not exist", async () => {
    const bench = await open();
    await bring(bench, "complete", "b");
    await bench.put("r", "a", { depends: ["b", "nobody"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
    expect((await bench.json("get", "b")).dependents).toEqual([]);
  });

  test("waits for those of the jobs that it can wait for", async () => {
    const bench = await open();
    await bring(bench, "complete", "b");
    await bench.put("q", "c");
    await bench.put("r", "a", { depends: ["b", "c", "nobody"] });
    expect((await bench.json("get", "a")).dependencies).toEqual(["c"]);
  });

  test("waits once for a job that is named twice", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b", "b"] });
    expect((await bench.json("get", "a")).dependencies).toEqual(["b"]);
  });

  test("schedules the job when its dependencies are done before its delay is over", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"], delay: 10 });
    await bench.later(4).pop("q", "w");
    await bench.call("complete", "b", "w", "q", "{}");
    const delayed = { state: "scheduled", scheduled: 1_000_010 };
    expect(await bench.json("get", "a")).toMatchObject(delayed);
    expect(await bench.at(1_000_009).pop("r", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_010).pop("r", "w"))).toEqual(["a"]);
  });

  test("does not delay the job when its dependencies outlast its delay", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"], delay: 10 });
    await bench.later(20).pop("q", "w");
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", scheduled: null });
  });

  test("drops the dependencies that a later put does not name", async () => {
    const bench = await open();
    for (const jid of ["b", "c", "d"]) await bench.put("q", jid);
    await bench.put("r", "a", { depends: ["b", "c"] });
    await bench.put("r", "a", { depends: ["c", "d"] });
    expect((await bench.json("get", "a")).dependencies.sort()).toEqual(["c", "d"]);
    expect((await bench.json("get", "b")).dependents).toEqual([]);
    expect((await bench.json("get", "d")).dependents).toEqual(["a"]);
  });

  test("frees a job when a later put names only jobs that cannot be waited for", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"] });
    await bench.put("r", "a", { depends: ["nobody"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
  });

  test("keeps the dependencies when a later put names none", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"] });
    await bench.put("s", "a", { depends: [] });
    await bench.put("s", "a");
    const waiting = { state: "depends", queue: "s", dependencies: ["b"] };
    expect(await bench.json("get", "a")).toMatchObject(waiting);
    expect(await bench.json("queues", "r")).toMatchObject({ depends: 0 });
  });

  test("takes a running job back until what it depends on is complete", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("r", "b");
    await bench.put("q", "a", { depends: ["b"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", worker: "" });
    expect(await bench.json("queues", "q")).toMatchObject({ running: 0, depends: 1 });
  });

  test("keeps dependents waiting when what they wait for is put again", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("r", "a", { depends: ["b"] });
    await bench.put("q", "b");
    expect((await bench.json("get", "b")).dependents).toEqual(["a"]);
    expect((await bench.json("get", "a")).state).toBe("depends");
  });

  test("waits anew for a completed job that was put again", async () => {
    const bench = await open();
    await bring(bench, "complete", "b");
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"] });
    expect((await bench.json("get", "a")).dependencies).toEqual(["b"]);
  });

  test("refuses a job that depends on itself", async () => {
    const bench = await open();
    const put = bench.put("q", "a", { depends: ["a"] });
    await refused(put, "CYCLE", "Job a would depend on itself");
    expect(await bench.json("get", "a")).toBeNull();
  });

  test("refuses dependencies that lead back to the job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    await bench.put("q", "c", { depends: ["b"] });
    const put = ["put", "w", "q", "a", "klass", "{}", 0, "depends", '["other","c"]'] as const;
    await refusedInVain(bench, [...put], "CYCLE", "Job a would depend on itself");
  });

  test("accepts dependencies that meet again without leading back", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    await bench.put("q", "c", { depends: ["a"] });
    await bench.put("q", "d", { depends: ["b", "c"] });
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["b", "c"]);
    await bench.call("complete", "b", "w", "q", "{}");
    expect((await bench.json("get", "d")).state).toBe("depends");
    await bench.call("complete", "c", "w", "q", "{}");
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["d"]);
  });

  test("counts the waiting for others as waiting", async () => {
    const bench = await open();
    await bench.put("r", "b");
    await bench.put("q", "a", { depends: ["b"] });
    await bench.later(30).pop("r", "w");
    await bench.call("complete", "b", "w", "r", "{}");
    await bench.later(10).pop("q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      wait: { count: 1, mean: 40 },
    });
  });
});
