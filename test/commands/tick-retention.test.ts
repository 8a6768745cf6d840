import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";

const DAY = 86_400;

everyEngine("tick", (open) => {
  async function completed(bench: Bench, jids: string[]) {
    for (const jid of jids) await bench.put("q", jid, { tags: ["x"], source: "s" });
    for (const { jid } of await bench.pop("q", "w", jids.length)) {
      await bench.call("complete", jid, "w", "q", "{}");
    }
  }
  const some = (count: number, prefix = "j") =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`);

  test("removes completed jobs that are older than jobs-history", async () => {
    const bench = await open();
    await completed(bench, ["a"]);
    bench.later(100);
    await completed(bench, ["b"]);
    await bench.at(1_000_000 + 7 * DAY - 0.001).call("tick");
    expect(await bench.call("jobs", "complete")).toEqual(["b", "a"]);
    expect(await bench.later(0.001).json("tick")).toMatchObject({ removed: 1, more: false });
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.call("jobs", "complete")).toEqual(["b"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["b"] });
    await bench.call("config.set", "jobs-history", 10);
    await bench.call("tick");
    expect(await bench.call("jobs", "complete")).toEqual([]);
  });

  test("removes completed jobs that are too many, the oldest first", async () => {
    const bench = await open();
    await completed(bench, some(10));
    await bench.call("config.set", "jobs-history-count", 3);
    expect(await bench.json("tick")).toMatchObject({ removed: 7 });
    expect(await bench.call("jobs", "complete")).toEqual(["j9", "j8", "j7"]);
    expect(await bench.json("tick")).toMatchObject({ removed: 0 });
  });

  test("removes a hundred jobs at once, and says that there is more", async () => {
    const bench = await open();
    await completed(bench, some(250));
    await bench.call("config.set", "jobs-history-count", 0);
    expect(await bench.json("tick")).toMatchObject({ removed: 100, more: true });
    expect(await bench.json("tick")).toMatchObject({ removed: 100, more: true });
    expect(await bench.json("tick")).toMatchObject({ removed: 50, more: false });
  });

  test("removes no job that is not complete, however old", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b");
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "g", "m");
    await bench.later(1000 * DAY).call("tick");
    expect(await bench.json("multiget", "a", "b")).toMatchObject([
      { state: "failed" },
      { state: "waiting" },
    ]);
  });

  test("forgets workers that were silent for a day, unless they hold jobs", async () => {
    const bench = await open();
    await bench.pop("q", "silent");
    await bench.put("q", "a");
    await bench.pop("q", "holds");
    await bench.call("config.set", "heartbeat", 10 * DAY);
    await bench.call("heartbeat", "a", "holds");
    expect(await bench.later(DAY - 0.001).json("tick")).toMatchObject({ removed: 0 });
    expect(await bench.later(0.001).json("tick")).toMatchObject({ removed: 1 });
    await bench.call("config.set", "max-worker-age", 10 * DAY);
    expect(await bench.json("workers")).toEqual([{ name: "holds", jobs: 1, stalled: 0 }]);
    expect(await bench.json("workers", "holds")).toEqual({ jobs: ["a"], stalled: [] });
  });

  test("forgets a dead worker once its jobs are taken away", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "dead");
    await bench.call("config.set", "max-worker-age", 30);
    await bench.later(60).call("tick");
    expect(await bench.json("workers")).toEqual([{ name: "dead", jobs: 1, stalled: 0 }]);
    expect(await bench.later(10).json("tick")).toMatchObject({ moved: 1, removed: 1 });
    expect(await bench.json("workers")).toEqual([]);
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  test("forgets a hundred workers at once, and says that there is more", async () => {
    const bench = await open();
    for (let i = 0; i < 150; i++) await bench.pop("q", `w${i}`);
    bench.later(DAY);
    expect(await bench.json("tick")).toMatchObject({ removed: 100, more: true });
    expect(await bench.json("tick")).toMatchObject({ removed: 50, more: false });
  });

  test("drops the statistics of days longer ago than stats-history", async () => {
    const bench = await open();
    await completed(bench, ["a"]);
    await bench.put("q", "b");
    await bench.pop("q", "w");
    await bench.call("fail", "b", "w", "g", "m");
    const day = bench.now;
    const there = { failures: 1, wait: { count: 2 }, run: { count: 1 } };
    const midnight = Math.floor(day / DAY) * DAY;
    await bench.at(midnight + 30 * DAY - 1).call("tick");
    expect(await bench.json("stats", "q", day)).toMatchObject(there);
    await bench.at(midnight + 30 * DAY).call("tick");
    const gone = { failures: 0, failed: 0, wait: { count: 0 }, run: { count: 0 } };
    expect(await bench.json("stats", "q", day)).toMatchObject(gone);
    await bench.call("cancel", "b");
    expect(await bench.json("stats", "q", day)).toMatchObject(gone);
  });

  test("drops histograms of days longer ago than histogram-history, and keeps the means", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.later(5).pop("q", "w");
    await bench.later(6).call("complete", "a", "w", "q", "{}");
    const day = bench.now;
    const midnight = Math.floor(day / DAY) * DAY;
    await bench.at(midnight + 7 * DAY - 1).call("tick");
    expect((await bench.json("stats", "q", day)).wait.histogram[5]).toBe(1);
    await bench.at(midnight + 7 * DAY).call("tick");
    const { wait, run } = await bench.json("stats", "q", day);
    expect(wait).toMatchObject({ count: 1, mean: 5, histogram: Array(148).fill(0) });
    expect(run).toMatchObject({ count: 1, mean: 6, histogram: Array(148).fill(0) });
  });

  test("keeps statistics for as many days as the settings say", async () => {
    const bench = await open();
    await bench.call("config.set", "stats-history", 2);
    await bench.call("config.set", "histogram-history", 1);
    await completed(bench, ["a"]);
    const day = bench.now;
    const midnight = Math.floor(day / DAY) * DAY;
    await bench.at(midnight + DAY).call("tick");
    expect((await bench.json("stats", "q", day)).run).toMatchObject({ count: 1, p50: 0 });
    await bench.at(midnight + 2 * DAY).call("tick");
    expect((await bench.json("stats", "q", day)).run).toMatchObject({ count: 0 });
  });

  test("drops a hundred days of queues at once, and says that there is more", async () => {
    const bench = await open();
    for (let i = 0; i < 150; i++) await bench.put(`q${i}`, `j${i}`);
    for (let i = 0; i < 150; i++) await bench.pop(`q${i}`, "w");
    for (let i = 0; i < 150; i++) await bench.call("cancel", `j${i}`);
    await bench.call("worker.deregister", "w");
    const day = bench.now;
    bench.later(100 * DAY);
    let removed = 0;
    let ticks = 0;
    for (let more = true; more; ticks++) {
      const told = await bench.json("tick");
      expect(told.removed).toBeLessThanOrEqual(200);
      removed += told.removed;
      more = told.more;
    }
    expect(removed).toBeGreaterThanOrEqual(150);
    for (const queue of ["q0", "q75", "q149"]) {
      expect((await bench.json("stats", queue, day)).wait.count).toBe(0);
    }
    expect(ticks).toBeLessThan(50);
  });

  test("forgets request ids after ten minutes", async () => {
    const bench = await open();
    const put = () => bench.request("id", "put", "w", "q", "a", "klass", "{}", 0);
    await put();
    await bench.call("cancel", "a");
    await bench.later(599.999).call("tick");
    await put();
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.later(0.001).json("tick")).toMatchObject({ removed: 1 });
    await put();
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting" });
  });

  test("forgets a hundred request ids at once, and says that there is more", async () => {
    const bench = await open();
    for (let i = 0; i < 150; i++) await bench.request(`id${i}`, "unpause", "q");
    bench.later(600);
    expect(await bench.json("tick")).toMatchObject({ removed: 100, more: true });
    expect(await bench.json("tick")).toMatchObject({ removed: 50, more: false });
  });

  test("removes every kind of old thing in one go", async () => {
    const bench = await open();
    await completed(bench, ["a"]);
    await bench.request("id", "unpause", "q");
    const told = await bench.later(1000 * DAY).json("tick");
    expect(told).toMatchObject({ more: false, released: 0 });
    expect(told.removed).toBeGreaterThanOrEqual(4);
    expect(await bench.json("tick")).toMatchObject({ more: false, removed: 0 });
  });
});
