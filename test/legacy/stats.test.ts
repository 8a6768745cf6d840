import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();

interface Times {
  count: number;
  mean: number;
  std: number;
  histogram: number[];
}

interface Stats {
  retries: number;
  failed: number;
  failures: number;
  wait: Times;
  run: Times;
}

const stats = (date: number, queue = "q", now = date) =>
  legacy.json<Stats>("stats", now, queue, date);

const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);

/** A histogram of 148 bins with these. */
function bins(some: { [bin: number]: number }): number[] {
  return Array.from({ length: 148 }, (_, bin) => some[bin] ?? 0);
}

async function waited(seconds: number, jid: string): Promise<void> {
  await legacy.put(0, "q", jid);
  await legacy.pop(seconds, "q", jid, 1);
}

describe("stats", () => {
  test("are zeros for a queue that never was", async () => {
    const none = { count: 0, mean: 0, std: 0, histogram: bins({}) };
    expect(await stats(0)).toEqual({ retries: 0, failed: 0, failures: 0, wait: none, run: none });
  });

  test("tell how long jobs waited", async () => {
    const all = jids(20);
    for (const jid of all) await legacy.put(0, "q", jid);
    for (let now = 0; now < 20; now++) await legacy.pop(now, "q", "w", 1);
    const { wait, run } = await stats(0);
    expect(wait.count).toBe(20);
    expect(wait.mean).toBeCloseTo(9.5, 7);
    expect(wait.std).toBeCloseTo(5.916079783099, 7);
    expect(wait.histogram).toEqual(bins(Object.fromEntries(all.map((_, i) => [i, 1]))));
    expect(sum(run.histogram)).toBe(0);
  });

  test("tell how long jobs ran", async () => {
    const all = jids(20);
    for (const jid of all) await legacy.put(0, "q", jid);
    await legacy.pop(0, "q", "w", 20);
    for (const [now, jid] of all.entries()) await legacy.complete(now, jid, "w", "q");
    const { run, wait } = await stats(0);
    expect(run.count).toBe(20);
    expect(run.mean).toBeCloseTo(9.5, 7);
    expect(run.std).toBeCloseTo(5.916079783099, 7);
    expect(run.histogram.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 1));
    expect([sum(run.histogram), sum(wait.histogram)]).toEqual([20, 20]);
  });

  test("keep fractions of seconds, and are exact to seven places", async () => {
    await legacy.call("config.set", 0, "heartbeat", 100_000);
    const times = [0.1, 0.25, 1.5, 2.75, 100.125, 3599.9, 7200.333];
    for (const [i, seconds] of times.entries()) await waited(seconds, `j${i}`);
    const { wait } = await stats(0);
    const mean = sum(times) / times.length;
    const variance = sum(times.map((t) => (t - mean) ** 2)) / (times.length - 1);
    expect(wait.count).toBe(times.length);
    expect(wait.mean).toBeCloseTo(mean, 7);
    expect(wait.std).toBeCloseTo(Math.sqrt(variance), 7);
  });

  test("are exact to seven places for long waits that differ little", async () => {
    const all = jids(20);
    for (const jid of all) await legacy.put(0, "q", jid);
    for (let i = 0; i < 20; i++) await legacy.pop(500_000 + i, "q", "w", 1);
    const { wait } = await stats(500_000);
    expect(wait.count).toBe(20);
    expect(wait.mean).toBeCloseTo(500_009.5, 7);
    expect(wait.std).toBeCloseTo(5.916079783099, 7);
  });

  test("have no deviation of equal values", async () => {
    await legacy.call("config.set", 0, "heartbeat", 100_000);
    for (const jid of jids(10)) await legacy.put(0, "q", jid);
    for (let i = 0; i < 10; i++) await legacy.pop(123_456.789, "q", "w", 1);
    const { wait } = await stats(123_456);
    expect(wait.mean).toBeCloseTo(123_456.789, 7);
    expect(wait.std).toBeCloseTo(0, 7);
  });

  test("have no deviation of a single value", async () => {
    await waited(5, "a");
    expect((await stats(0)).wait).toMatchObject({ count: 1, mean: 5, std: 0 });
  });

  test("count by seconds, then minutes, then hours, then days", async () => {
    const values: [seconds: number, bin: number][] = [
      [0, 0],
      [0.99, 0],
      [59, 59],
      [59.9, 59],
      [60, 60],
      [119, 60],
      [120, 61],
      [3599, 118],
      [3600, 119],
      [7199, 119],
      [86_399, 141],
    ];
    for (const [seconds, bin] of values) {
      await legacy.redis.flushall();
      await waited(seconds, "a");
      expect((await stats(0)).wait.histogram).toEqual(bins({ [bin]: 1 }));
    }
  });

  test("count days in the last bins, the longest in the very last", async () => {
    for (const [days, bin] of [
      [1, 142],
      [2, 143],
      [6, 147],
      [7, 147],
      [30, 147],
    ] as const) {
      await legacy.redis.flushall();
      await waited(days * 86_400, "a");
      expect((await stats(days * 86_400)).wait.histogram).toEqual(bins({ [bin]: 1 }));
    }
  });

  test("belong to the day and the queue of the pop and the completion", async () => {
    await legacy.put(86_000, "q", "a");
    await legacy.pop(86_390, "q", "w");
    await legacy.complete(86_410, "a", "w", "q");
    expect((await stats(0)).wait).toMatchObject({ count: 1, mean: 390 });
    expect((await stats(86_399)).wait).toMatchObject({ count: 1 });
    expect((await stats(86_400)).wait).toMatchObject({ count: 0 });
    expect((await stats(0)).run).toMatchObject({ count: 0 });
    expect((await stats(100_000)).run).toMatchObject({ count: 1, mean: 20 });
    expect((await stats(100_000, "p")).run).toMatchObject({ count: 0 });
  });

  test("count a run of a job that advances in the queue it ran in", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(10, "q", "w");
    await legacy.complete(15, "a", "w", "q", "next", "p");
    await legacy.pop(22, "p", "w");
    await legacy.complete(23, "a", "w", "p");
    expect((await stats(0)).run).toMatchObject({ count: 1, mean: 5 });
    expect((await stats(0, "p")).wait).toMatchObject({ count: 1, mean: 7 });
    expect((await stats(0, "p")).run).toMatchObject({ count: 1, mean: 1 });
  });

  test("count waiting for a delay and for other jobs as waiting", async () => {
    await legacy.schedule(0, "q", "a", 100);
    await legacy.pop(130, "q", "w");
    expect((await stats(0)).wait.mean).toBe(130);
  });

  test("count a child's wait from the time it was meant for", async () => {
    await legacy.recur(0, "q", "r", 60, 10);
    await legacy.pop(25, "q", "w");
    expect((await stats(0)).wait).toMatchObject({ count: 1, mean: 15 });
  });

  test("count the wait of a job that was lost from the pop before", async () => {
    await legacy.call("config.set", 0, "grace-period", 0);
    await legacy.put(0, "q", "a");
    await legacy.pop(1, "q", "w");
    await legacy.pop(71, "q", "other");
    const { wait } = await stats(0);
    expect(wait).toMatchObject({ count: 2, mean: 35.5 });
    expect(wait.histogram).toEqual(bins({ 1: 1, 60: 1 }));
  });

  test("are refused without a date, or with what is none", async () => {
    await legacy.refused(legacy.call("stats", 0), /\(\): .*queue/);
    await legacy.refused(legacy.call("stats", 0, "q"), /^Stats\(\): Arg "date" missing/);
    await legacy.refused(legacy.call("stats", 0, "q", "foo"), /^Stats\(\): Arg "date".*: foo$/);
  });
});

describe("counters", () => {
  const counters = async (date = 0, queue = "q") => {
    const { failed, failures, retries } = await stats(date, queue);
    return { failed, failures, retries };
  };

  async function failed(): Promise<void> {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w");
  }

  test("tell failures, and how many of the jobs are still failed", async () => {
    await failed();
    expect(await counters()).toEqual({ failed: 1, failures: 1, retries: 0 });
    await legacy.put(1, "q", "a");
    expect(await counters()).toEqual({ failed: 0, failures: 1, retries: 0 });
  });

  test("count a canceled job as failed no more", async () => {
    await failed();
    await legacy.call("cancel", 1, "a");
    expect(await counters()).toEqual({ failed: 0, failures: 1, retries: 0 });
  });

  test("count an unfailed job as failed no more", async () => {
    await failed();
    await legacy.call("unfail", 1, "q", "group", 10);
    expect(await counters()).toEqual({ failed: 0, failures: 1, retries: 0 });
  });

  test("take a job off the day and the queue it failed on", async () => {
    await failed();
    await legacy.put(129_600, "p", "a");
    expect(await counters(0)).toMatchObject({ failed: 0, failures: 1 });
    expect(await counters(129_600)).toMatchObject({ failed: 0, failures: 0 });
    expect(await counters(129_600, "p")).toMatchObject({ failed: 0, failures: 0 });
  });

  test("count exhausted retries as failures, by retry and by lost locks", async () => {
    await legacy.put(0, "q", "a", "retries", 0);
    await legacy.pop(1, "q", "w");
    await legacy.call("retry", 3, "a", "q", "w");
    expect(await counters()).toMatchObject({ failed: 1, failures: 1 });
    await legacy.redis.flushall();
    await legacy.call("config.set", 0, "heartbeat", -10);
    await legacy.call("config.set", 0, "grace-period", 0);
    await legacy.put(0, "q", "a", "retries", 0);
    await legacy.pop(1, "q", "w");
    await legacy.pop(2, "q", "w");
    expect(await counters()).toMatchObject({ failed: 1, failures: 1 });
  });

  test("count lost locks as retries, when they are warned about", async () => {
    await legacy.call("config.set", 0, "heartbeat", -10);
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w", 1);
    expect(await counters()).toMatchObject({ retries: 0 });
    await legacy.pop(0, "q", "w", 1);
    expect(await counters()).toMatchObject({ retries: 1 });
    await legacy.pop(30, "q", "w", 1);
    expect(await counters()).toMatchObject({ retries: 1 });
  });
});
