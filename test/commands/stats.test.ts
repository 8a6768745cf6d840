import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { failedJobs } from "../states.ts";
import { badName, LONG, missing, refusesEach } from "../told.ts";

const DAY = 86_400;

/** Where in the histogram a number of seconds is counted. */
const BINS: [seconds: number, bin: number][] = [
  [0, 0],
  [0.999, 0],
  [1, 1],
  [59.999, 59],
  [60, 60],
  [119.999, 60],
  [120, 61],
  [3599.999, 118],
  [3600, 119],
  [DAY - 0.001, 141],
  [DAY, 142],
  [6 * DAY, 147],
  [7 * DAY, 147],
  [100 * DAY, 147],
];

everyEngine("stats", (open) => {
  /** Lets a job wait, and be popped on the day that the bench is then in. */
  async function wait(bench: Bench, jid: string, seconds: number) {
    await bench.put("q", jid);
    await bench.later(seconds).pop("q", "w");
  }

  test("is all zeros where nothing happened", async () => {
    const bench = await open();
    const nothing = { count: 0, total: 0, mean: 0, std: 0, variance: 0, p50: 0, p95: 0, p99: 0 };
    const { wait, run, ...counters } = await bench.json("stats", "q", bench.now);
    expect(counters).toEqual({ retries: 0, failed: 0, failures: 0 });
    for (const { histogram, ...times } of [wait, run]) {
      expect(times).toEqual(nothing);
      expect(histogram).toEqual(Array(148).fill(0));
    }
  });

  test("tells how long jobs waited, from put to pop", async () => {
    const bench = await open();
    for (const [jid, seconds] of [
      ["a", 2],
      ["b", 4],
      ["c", 9],
    ] as const) {
      await wait(bench, jid, seconds);
    }
    const { wait: waited, run } = await bench.json("stats", "q", bench.now);
    expect(waited).toMatchObject({ count: 3, total: 3, mean: 5 });
    expect(waited.variance).toBeCloseTo(13, 6);
    expect(waited.std).toBeCloseTo(Math.sqrt(13), 6);
    expect(run.count).toBe(0);
  });

  test("tells how long jobs ran, from pop to complete, in the queue they ran in", async () => {
    const bench = await open();
    for (const [jid, seconds] of [
      ["a", 1.5],
      ["b", 2.5],
    ] as const) {
      await wait(bench, jid, 0);
      await bench.later(seconds).call("complete", jid, "w", "q", "{}", "next", "r");
    }
    const { run } = await bench.json("stats", "q", bench.now);
    expect(run).toMatchObject({ count: 2, mean: 2, variance: 0.5 });
    expect((await bench.json("stats", "r", bench.now)).run.count).toBe(0);
  });

  test("has no deviation for a single job", async () => {
    const bench = await open();
    await wait(bench, "a", 30);
    const { wait: waited } = await bench.json("stats", "q", bench.now);
    expect(waited).toMatchObject({ count: 1, mean: 30, std: 0, variance: 0 });
  });

  test("says the same for a batch as for single pops", async () => {
    const bench = await open();
    for (let i = 0; i < 20; i++) {
      await bench.later(i).put("q", `j${i}`);
      await bench.put("r", `k${i}`);
    }
    bench.later(1);
    await bench.pop("q", "w", 20);
    for (let i = 0; i < 20; i++) await bench.pop("r", "w");
    const batch = (await bench.json("stats", "q", bench.now)).wait;
    const single = (await bench.json("stats", "r", bench.now)).wait;
    expect(batch.histogram).toEqual(single.histogram);
    expect(batch.mean).toBeCloseTo(single.mean, 6);
    expect(batch.std).toBeCloseTo(single.std, 6);
  });

  for (const [seconds, bin] of BINS) {
    test(`counts a wait of ${seconds} s in bin ${bin}`, async () => {
      const bench = await open();
      await wait(bench, "a", seconds);
      const { histogram } = (await bench.json("stats", "q", bench.now)).wait;
      const expected = Array(148).fill(0);
      expected[bin] = 1;
      expect(histogram).toEqual(expected);
    });
  }

  test("counts a run that seems to end before it began as one of no time", async () => {
    const bench = await open();
    await wait(bench, "a", 0);
    await bench.later(-5).call("complete", "a", "w", "q", "{}");
    const { run } = await bench.json("stats", "q", bench.now);
    expect(run.histogram[0]).toBe(1);
  });

  test("reads percentiles off the histogram", async () => {
    const bench = await open();
    for (let i = 1; i <= 100; i++) {
      await bench.put("q", `j${i}`);
      await bench.later(i <= 94 ? 1 : i <= 98 ? 50 : 600).pop("q", "w");
      await bench.call("complete", `j${i}`, "w", "q", "{}");
    }
    const { wait: waited } = await bench.json("stats", "q", bench.now);
    expect(waited).toMatchObject({ count: 100, p50: 1, p95: 50, p99: 600 });
  });

  test("keeps days and queues apart, each day from midnight to midnight", async () => {
    const bench = await open();
    const midnight = 12 * DAY;
    await bench.at(midnight - 10).put("q", "a");
    await bench.put("r", "b");
    await bench.at(midnight - 0.001).pop("r", "w");
    await bench.at(midnight).pop("q", "w");
    const count = async (queue: string, date: number) =>
      (await bench.json("stats", queue, date)).wait.count;
    expect(await count("r", midnight - DAY)).toBe(1);
    expect(await count("r", midnight - 1)).toBe(1);
    expect(await count("r", midnight)).toBe(0);
    expect(await count("q", midnight - 1)).toBe(0);
    expect(await count("q", midnight)).toBe(1);
    expect(await count("q", midnight + DAY - 0.001)).toBe(1);
    expect(await count("q", midnight + DAY)).toBe(0);
  });

  test("counts failures for good, and failed jobs until they are put again or canceled", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b", "c", "d"]);
    const day = bench.now;
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 4, failures: 4 });
    bench.later(DAY);
    await bench.put("elsewhere", "a");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 3, failures: 4 });
    await bench.call("cancel", "b");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 2, failures: 4 });
    await bench.call("unfail", "elsewhere", "group");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 0, failures: 4 });
    const there = await bench.json("stats", "elsewhere", bench.now);
    expect(there).toMatchObject({ failed: 0, failures: 0 });
  });

  test("counts warned locks, timeouts and retries as retries", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.pop("q", "w", 3);
    await bench.call("timeout", "a");
    await bench.call("retry", "b", "q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 2 });
    await bench.later(60).call("tick");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 3 });
    await bench.later(10).call("tick");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 3 });
  });

  test("counts jobs that ran out of retries as failed", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 0 });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 1 });
  });

  test("lets a taken job wait from the last time it was handed out", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await wait(bench, "a", 10);
    await bench.later(60).pop("q", "other");
    const { wait: waited } = await bench.json("stats", "q", bench.now);
    expect(waited).toMatchObject({ count: 2, mean: 35 });
  });

  test("includes delay and dependencies in the wait, and begins anew with a retry", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    await bench.later(15).pop("q", "w");
    expect((await bench.json("stats", "q", bench.now)).wait).toMatchObject({ count: 1, mean: 15 });
    await bench.put("r", "b", { depends: ["a"] });
    await bench.later(20).call("complete", "a", "w", "q", "{}");
    await bench.later(5).pop("r", "w");
    expect((await bench.json("stats", "r", bench.now)).wait).toMatchObject({ count: 1, mean: 25 });
    await bench.later(30).call("retry", "b", "r", "w");
    await bench.later(35).pop("r", "w");
    expect((await bench.json("stats", "r", bench.now)).wait).toMatchObject({ count: 2, mean: 30 });
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "stats", [
      [[], missing("queue")],
      [["q"], missing("date")],
      [["", 0], badName("queue")],
      [["q\n", 0], badName("queue")],
      [[LONG, 0], badName("queue")],
      [["q", ""], 'Arg "date" not a number: '],
      [["q", "today"], 'Arg "date" not a number: today'],
      [["q", "0x10"], 'Arg "date" not a number: 0x10'],
      [["q", "inf"], 'Arg "date" not a number: inf'],
      [["q", -1], /"date" must be from 0 to/],
      [["q", 1e12], /"date" must be from 0 to/],
      [["q", 0, "x"], /^Odd number of additional args/],
    ]);
  });
});
