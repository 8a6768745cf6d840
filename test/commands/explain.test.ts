import { expect, test } from "vitest";
import { type Bench, everyEngine, refused } from "../engines.ts";
import { jobIn } from "../states.ts";
import { badName, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("explain", (open) => {
  /** A bench on which some worker has just asked for work of queue q. */
  async function asked() {
    const bench = await open();
    await bench.pop("q", "asker");
    return bench;
  }
  const reasons = async (bench: Bench, jid = "a") => (await bench.json("explain", jid)).reasons;

  test("has no reason for a job that is next and has a worker", async () => {
    const bench = await asked();
    await bench.put("q", "a");
    expect(await bench.json("explain", "a")).toEqual({
      jid: "a",
      state: "waiting",
      queue: "q",
      reasons: [],
    });
  });

  test("tells how many jobs stand before a waiting one", async () => {
    const bench = await asked();
    for (const jid of ["b", "c", "a", "d"]) await bench.put("q", jid);
    expect(await reasons(bench)).toEqual([{ reason: "behind", count: 2 }]);
    await bench.put("q", "urgent", { priority: -1 });
    await bench.put("q", "unhurried", { priority: 1 });
    expect(await reasons(bench)).toEqual([{ reason: "behind", count: 3 }]);
    expect(await reasons(bench, "unhurried")).toEqual([{ reason: "behind", count: 5 }]);
  });

  test("counts those before a job in the order in which they are popped", async () => {
    const bench = await asked();
    await bench.call("config.set", "priority-order", "highest-first");
    for (const jid of ["b1", "a1"]) await bench.put("q", jid, { priority: 1 });
    for (const jid of ["b2", "a2"]) await bench.put("q", jid, { priority: 2 });
    expect(await reasons(bench, "b2")).toEqual([]);
    expect(await reasons(bench, "a2")).toEqual([{ reason: "behind", count: 1 }]);
    expect(await reasons(bench, "b1")).toEqual([{ reason: "behind", count: 2 }]);
    expect(await reasons(bench, "a1")).toEqual([{ reason: "behind", count: 3 }]);
  });

  test("tells that the queue is paused, and since when", async () => {
    const bench = await asked();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    bench.later(5);
    expect(await reasons(bench)).toEqual([{ reason: "paused", since: 1_000_000 }]);
  });

  test("tells which jobs it depends on", async () => {
    const bench = await asked();
    for (const jid of ["b", "c"]) await bench.put("other", jid);
    await bench.put("q", "a", { depends: ["c", "b"] });
    expect(await bench.json("explain", "a")).toEqual({
      jid: "a",
      state: "depends",
      queue: "q",
      reasons: [{ reason: "depends", count: 2, on: ["b", "c"] }],
    });
  });

  test("names at most a hundred jobs that it depends on, and counts all", async () => {
    const bench = await asked();
    const depends = Array.from({ length: 150 }, (_, i) => `j${String(i).padStart(3, "0")}`);
    for (const jid of depends) await bench.put("other", jid);
    await bench.put("q", "a", { depends });
    const [reason] = await reasons(bench);
    expect(reason).toEqual({ reason: "depends", count: 150, on: depends.slice(0, 100) });
  });

  test("tells until when it is scheduled", async () => {
    const bench = await asked();
    await bench.put("q", "a", { delay: 10 });
    expect(await bench.json("explain", "a")).toMatchObject({
      state: "scheduled",
      reasons: [{ reason: "scheduled", until: 1_000_010 }],
    });
    bench.later(10);
    expect(await bench.json("explain", "a")).toMatchObject({ state: "waiting", reasons: [] });
  });

  test("tells of the delay behind the dependencies", async () => {
    const bench = await asked();
    await bench.put("other", "b");
    await bench.put("q", "a", { delay: 10, depends: ["b"] });
    expect(await reasons(bench)).toEqual([
      { reason: "depends", count: 1, on: ["b"] },
      { reason: "scheduled", until: 1_000_010 },
    ]);
  });

  test("tells that as many run as may, and which", async () => {
    const bench = await asked();
    await bench.call("config.set", "q-max-concurrency", 2);
    for (const jid of ["b", "c", "a"]) await bench.put("q", jid);
    await bench.pop("q", "asker");
    expect(await reasons(bench)).toEqual([{ reason: "behind", count: 1 }]);
    await bench.pop("q", "asker");
    expect(await reasons(bench)).toEqual([
      { reason: "concurrency", limit: 2, running: ["b", "c"] },
    ]);
  });

  test("tells which worker holds it, and until when", async () => {
    const bench = await open();
    await jobIn(bench, "running");
    await bench.call("pause", "q");
    expect(await bench.json("explain", "a")).toMatchObject({
      state: "running",
      reasons: [{ reason: "locked", worker: "w", until: 1_000_060 }],
    });
  });

  test("tells that the lock has expired, and what keeps it from being taken", async () => {
    const bench = await open();
    await jobIn(bench, "running");
    await bench.call("pause", "q");
    await bench.later(60).pop("q", "other");
    expect(await bench.json("explain", "a")).toMatchObject({
      state: "stalled",
      reasons: [
        { reason: "lock-expired", worker: "w", until: 1_000_060 },
        { reason: "paused", since: 1_000_000 },
      ],
    });
  });

  test("has no reason for a stalled job that is next", async () => {
    const bench = await open();
    await jobIn(bench, "stalled");
    expect(await bench.json("explain", "a")).toMatchObject({ state: "stalled", reasons: [] });
  });

  test("tells that no worker has asked for the queue for a minute, or ever", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await reasons(bench)).toEqual([{ reason: "not-asked", since: null }]);
    await bench.put("q", "b", { priority: -1 });
    await bench.pop("q", "asker");
    expect(await reasons(bench)).toEqual([]);
    bench.later(59.999);
    expect(await reasons(bench)).toEqual([]);
    bench.later(0.001);
    expect(await reasons(bench)).toEqual([{ reason: "not-asked", since: 1_000_000 }]);
  });

  test("tells all reasons in the order in which they would have to go away", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    await bench.put("q", "running");
    await bench.pop("q", "w");
    await bench.put("q", "before");
    await bench.put("q", "a");
    await bench.call("pause", "q");
    bench.later(100);
    const names = (await reasons(bench)).map(({ reason }: { reason: string }) => reason);
    expect(names).toEqual(["paused", "concurrency", "behind", "not-asked"]);
  });

  test("tells why it failed", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", 'mess"age\n');
    expect(await bench.json("explain", "a")).toMatchObject({
      state: "failed",
      reasons: [{ reason: "failed", group: "group", message: 'mess"age\n' }],
    });
  });

  test("tells that it is complete", async () => {
    const bench = await open();
    await jobIn(bench, "complete");
    expect(await bench.json("explain", "a")).toMatchObject({
      state: "complete",
      reasons: [{ reason: "complete" }],
    });
  });

  test("writes nothing", async () => {
    const bench = await open();
    await jobIn(bench, "running");
    bench.later(100);
    await unchanged(bench, () => bench.call("explain", "a"));
  });

  test("is refused for a job that does not exist, a recurring one included", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    for (const jid of ["none", "r"]) {
      await refused(bench.call("explain", jid), "NO_SUCH_JOB", `Job ${jid} does not exist`);
    }
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "explain", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["a\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["a", "b"], /^Odd number of additional args/],
    ]);
  });
});
