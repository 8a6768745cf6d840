import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { badName, LONG, refusesEach, unchanged } from "../told.ts";

everyEngine("workers", (open) => {
  async function run(bench: Bench, worker: string, jids: string[]) {
    for (const jid of jids) {
      await bench.put("q", jid);
      await bench.pop("q", worker);
    }
  }

  test("counts the jobs of all workers, the last seen first", async () => {
    const bench = await open();
    expect(await bench.json("workers")).toEqual([]);
    await run(bench, "one", ["a"]);
    bench.later(1);
    await run(bench, "two", ["b", "c"]);
    await bench.later(1).pop("empty", "idle");
    expect(await bench.json("workers")).toEqual([
      { name: "idle", jobs: 0, stalled: 0 },
      { name: "two", jobs: 2, stalled: 0 },
      { name: "one", jobs: 1, stalled: 0 },
    ]);
    expect(await bench.json("workers", "")).toHaveLength(3);
  });

  test("lists the jobs of a worker, the last to expire first", async () => {
    const bench = await open();
    await run(bench, "w", ["a"]);
    bench.later(1);
    await run(bench, "w", ["b"]);
    bench.later(1);
    await run(bench, "other", ["c"]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["b", "a"], stalled: [] });
    await bench.later(1).call("heartbeat", "a", "w");
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a", "b"], stalled: [] });
  });

  test("tells of nothing for a worker that does not exist", async () => {
    const bench = await open();
    expect(await bench.json("workers", "none")).toEqual({ jobs: [], stalled: [] });
  });

  test("sees a worker when it asks, in vain as well, and when it renews a lock", async () => {
    const bench = await open();
    await bench.pop("empty", "w");
    expect(await bench.json("workers")).toMatchObject([{ name: "w" }]);
    await run(bench, "beats", ["a"]);
    await bench.later(5).pop("q", "w");
    await bench.later(5).call("heartbeat", "a", "beats");
    expect(await bench.json("workers")).toMatchObject([{ name: "beats" }, { name: "w" }]);
    await bench.later(5).pop("q", "w", 0);
    expect(await bench.json("workers")).toMatchObject([{ name: "w" }, { name: "beats" }]);
  });

  test("counts a lock that expires now as stalled, and not as running", async () => {
    const bench = await open();
    await run(bench, "w", ["a"]);
    bench.later(59.999);
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a"], stalled: [] });
    bench.later(0.001);
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 1 }]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: ["a"] });
  });

  test("keeps a job with its worker during the grace period, and no longer", async () => {
    const bench = await open();
    await run(bench, "w", ["a"]);
    await bench.later(60).call("tick");
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a"], stalled: [] });
    await bench.later(10).call("tick");
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
  });

  test("forgets a job however its run ends", async () => {
    const bench = await open();
    const jids = ["a", "b", "c", "d", "e", "f", "g"];
    await run(bench, "w", jids);
    await bench.call("complete", "a", "w", "q", "{}");
    await bench.call("complete", "b", "w", "q", "{}", "next", "r");
    await bench.call("fail", "c", "w", "g", "m");
    await bench.call("retry", "d", "q", "w");
    await bench.call("timeout", "e");
    await bench.call("cancel", "f");
    await bench.put("r", "g");
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("lists a timed-out job with the worker that has it now, alone", async () => {
    const bench = await open();
    await run(bench, "w", ["a"]);
    await bench.call("timeout", "a");
    await bench.pop("q", "other");
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("workers", "other")).toEqual({ jobs: ["a"], stalled: [] });
  });

  test("leaves out workers silent for a day, unless they hold jobs", async () => {
    const bench = await open();
    await bench.pop("empty", "silent");
    await run(bench, "holds", ["a"]);
    bench.later(86_399.999);
    expect(await bench.json("workers")).toHaveLength(2);
    bench.later(0.001);
    expect(await bench.json("workers")).toEqual([{ name: "holds", jobs: 0, stalled: 1 }]);
  });

  test("keeps a worker that asks again and again, several times in a second", async () => {
    const bench = await open();
    await bench.call("config.set", "max-worker-age", 10);
    await bench.put("q", "a", { delay: 1000 });
    for (let i = 0; i < 4; i++) {
      bench.later(5);
      for (let j = 0; j < 3; j++) await bench.pop("q", "w");
    }
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("leaves out workers after as long as max-worker-age says", async () => {
    const bench = await open();
    await bench.pop("empty", "w");
    await bench.call("config.set", "max-worker-age", 10);
    bench.later(9);
    expect(await bench.json("workers")).toHaveLength(1);
    bench.later(1);
    expect(await bench.json("workers")).toEqual([]);
  });

  test("writes nothing", async () => {
    const bench = await open();
    await run(bench, "w", ["a"]);
    bench.later(100_000);
    await unchanged(bench, async () => {
      await bench.call("workers");
      await bench.call("workers", "w");
    });
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "workers", [
      [["a\nb"], badName("worker")],
      [[LONG], badName("worker")],
      [["w", "x"], /^Odd number of additional args/],
      [["w", "state", "running"], "Unknown option state: it takes none"],
    ]);
  });
});
