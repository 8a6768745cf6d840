import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf, type PutOptions } from "../engines.ts";
import { refusedInVain, told, type Words } from "./behaviour.ts";

/** Puts the job and pops it at 1,000,000, by worker `w`. */
async function started(bench: Bench, options: PutOptions): Promise<void> {
  await bench.put("q", "a", options);
  await bench.pop("q", "w");
}

everyEngine("cutoff", (open) => {
  test("ends the lock before the heartbeat would", async () => {
    const bench = await open();
    await bench.put("q", "a", { cutoff: 20.5 });
    const [job] = await bench.pop("q", "w");
    expect(job).toMatchObject({ expires: 1_000_020.5, cutoff: 20.5 });
    expect(await bench.json("get", "a")).toMatchObject({ expires: 1_000_020.5, cutoff: 20.5 });
  });

  test("lets no heartbeat renew the lock beyond it", async () => {
    const bench = await open();
    await started(bench, { cutoff: 100 });
    expect(await bench.at(1_000_030).call("heartbeat", "a", "w")).toBe(1_000_090);
    expect(await bench.at(1_000_080).call("heartbeat", "a", "w")).toBe(1_000_100);
    expect(await bench.at(1_000_099.999).call("heartbeat", "a", "w")).toBe(1_000_100);
  });

  test("refuses a heartbeat past it", async () => {
    const bench = await open();
    await started(bench, { cutoff: 100 });
    await bench.at(1_000_050).call("heartbeat", "a", "w");
    const reason = "Job a has run longer than it may in queue q";
    const beat: Words = ["a", "w", "[1]"];
    await refusedInVain(bench.at(1_000_100), ["heartbeat", ...beat], "PAST_CUTOFF", reason);
    await refusedInVain(bench.at(1_000_500), ["heartbeat", ...beat], "PAST_CUTOFF", reason);
  });

  test("lets a worker complete past it while nobody took the job", async () => {
    const bench = await open();
    await started(bench, { cutoff: 10 });
    expect(await bench.later(1000).call("complete", "a", "w", "q", "{}")).toBe("complete");
  });

  test("lets its worker end the run within the grace period", async () => {
    const bench = await open();
    await started(bench, { cutoff: 20 });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    const heard = await bench.hearing(async () => {
      expect(await bench.at(1_000_020).pop("q", "w")).toEqual([]);
      expect(await bench.at(1_000_025).pop("q", "v")).toEqual([]);
    });
    expect(told(heard)).toEqual([
      ["w:w", lost],
      ["log", lost],
    ]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", expires: 1_000_030 });
    await refusedInVain(bench, ["heartbeat", "a", "w"], "PAST_CUTOFF");
    const complete = bench.at(1_000_029).call("complete", "a", "w", "q", '{"part":1}');
    expect(await complete).toBe("complete");
  });

  test("takes the job away when the grace period is over, and hands it out anew", async () => {
    const bench = await open();
    await started(bench, { cutoff: 20 });
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      expect(await bench.at(1_000_020).pop("q", "v")).toEqual([]);
      const [job] = await bench.at(1_000_030).pop("q", "v");
      expect(job).toMatchObject({ jid: "a", remaining: 4, expires: 1_000_050 });
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    expect(told(heard)).toEqual([
      ["stalled", "a"],
      ["w:w", lost],
      ["log", lost],
      ["popped", "a"],
    ]);
    const { history } = await bench.json("get", "a");
    const whats = history.map(({ what }: { what: string }) => what);
    expect(whats).toEqual(["put", "popped", "timed-out", "popped"]);
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 1 });
  });

  test("counts from the start of each run", async () => {
    const bench = await open();
    await started(bench, { cutoff: 100 });
    await bench.later(90).call("retry", "a", "q", "w");
    await bench.pop("q", "w");
    expect(await bench.later(50).call("heartbeat", "a", "w")).toBe(1_000_190);
  });

  test("gives the whole grace period to a lock that expires just before it", async () => {
    const bench = await open();
    await started(bench, { cutoff: 65 });
    expect(await bench.at(1_000_060).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", expires: 1_000_070 });
    expect(jidsOf(await bench.at(1_000_070).pop("q", "v"))).toEqual(["a"]);
  });

  test("takes the job away at once where there is no grace period", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await started(bench, { cutoff: 20 });
    expect(await bench.at(1_000_019).pop("q", "v")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_020).pop("q", "v"))).toEqual(["a"]);
  });

  test("fails the job past it when no retry is left", async () => {
    const bench = await open();
    await started(bench, { cutoff: 20, retries: 0 });
    expect(await bench.at(1_000_020).pop("q", "v")).toEqual([]);
    expect(await bench.at(1_000_030).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "failed",
      failure: { group: "failed-retries-q" },
    });
  });

  test("is that of the queue for jobs that have none of their own", async () => {
    const bench = await open();
    await bench.call("config.set", "q-cutoff", 30);
    await bench.put("q", "a");
    await bench.put("q", "b", { cutoff: 10 });
    await bench.put("r", "c");
    const jobs = await bench.pop("q", "w", 2);
    jobs.push(...(await bench.pop("r", "w")));
    expect(jobs.map(({ expires }) => expires)).toEqual([1_000_030, 1_000_010, 1_000_060]);
    bench.at(1_000_030);
    await refusedInVain(bench, ["heartbeat", "a", "w"], "PAST_CUTOFF");
  });

  test("of the queue holds for jobs that run already, and no longer when it is unset", async () => {
    const bench = await open();
    await started(bench, {});
    await bench.call("config.set", "q-cutoff", 50);
    expect(await bench.at(1_000_010).call("heartbeat", "a", "w")).toBe(1_000_050);
    await bench.call("config.unset", "q-cutoff");
    expect(await bench.at(1_000_040).call("heartbeat", "a", "w")).toBe(1_000_100);
  });

  test.each([0, -5])("of %d means none, whatever the queue says", async (cutoff) => {
    const bench = await open();
    await bench.call("config.set", "q-cutoff", 30);
    await bench.put("q", "a", { cutoff });
    expect(await bench.pop("q", "w")).toMatchObject([{ expires: 1_000_060 }]);
    expect(await bench.later(50).call("heartbeat", "a", "w")).toBe(1_000_110);
  });
});

everyEngine("backoff", (open) => {
  /** The rests before each retry that is left, in seconds. */
  async function rests(bench: Bench, retries: number, ...options: Words): Promise<number[]> {
    const found: number[] = [];
    for (let i = 0; i < retries; i++) {
      await bench.pop("q", "w");
      await bench.call("retry", "a", "q", "w", "", "", "", ...options);
      const { scheduled } = await bench.json("get", "a");
      const rest = scheduled === null ? 0 : scheduled - bench.now;
      found.push(Math.round(rest * 1000) / 1000);
      bench.later(rest);
    }
    return found;
  }

  test.each([
    ["fixed 30", [30, 30, 30, 30, 30]],
    ["fixed 0", [0, 0, 0, 0, 0]],
    ["fixed 0.5", [0.5, 0.5, 0.5, 0.5, 0.5]],
    ["fixed 30 cap 10", [10, 10, 10, 10, 10]],
    ["linear 30", [30, 60, 90, 120, 150]],
    ["linear 30 cap 100", [30, 60, 90, 100, 100]],
    ["exponential 5", [5, 10, 20, 40, 80]],
    ["exponential 5 cap 30", [5, 10, 20, 30, 30]],
    ["exponential 0.25 cap 1", [0.25, 0.5, 1, 1, 1]],
    ["linear 10 jitter 0.5", [10, 20, 30, 40, 50]],
    ["exponential 10 jitter 0 cap 25", [10, 20, 25, 25, 25]],
  ])("%s rests before each retry", async (backoff, expected) => {
    const bench = await open();
    await bench.put("q", "a", { backoff });
    expect(await rests(bench, 5)).toEqual(expected);
  });

  test.each([
    [0, [8, 16]],
    [0.25, [9, 18]],
    [0.5, [10, 20]],
    [1, [12, 24]],
  ])("with jitter is shifted by a lot of %d", async (lot, expected) => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "linear 10 jitter 0.2" });
    expect(await rests(bench, 2, "lot", lot)).toEqual(expected);
  });

  test("without jitter cares for no lot", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "fixed 10" });
    expect(await rests(bench, 2, "lot", 1)).toEqual([10, 10]);
  });

  test("with full jitter may rest not at all", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "fixed 10 jitter 1" });
    expect(await rests(bench, 1, "lot", 0)).toEqual([0]);
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("reaches its cap after very many attempts", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "exponential 1 cap 5000", retries: 60 });
    const found = await rests(bench, 40);
    expect(found.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(found.slice(13)).toEqual(Array.from({ length: 27 }, () => 5000));
  });

  test("of the queue serves jobs that have none of their own", async () => {
    const bench = await open();
    await bench.call("config.set", "q-backoff", "linear 7 cap 20");
    await bench.put("q", "a");
    expect(await rests(bench, 4)).toEqual([7, 14, 20, 20]);
  });

  test("of the job wins over that of the queue", async () => {
    const bench = await open();
    await bench.call("config.set", "q-backoff", "linear 7");
    await bench.put("q", "a", { backoff: "fixed 1" });
    expect(await rests(bench, 2)).toEqual([1, 1]);
  });

  test("is none when nobody says anything", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await rests(bench, 2)).toEqual([0, 0]);
  });

  test("gives way to a delay that is given", async () => {
    const bench = await open();
    await started(bench, { backoff: "fixed 30" });
    await bench.call("retry", "a", "q", "w", 3);
    expect((await bench.json("get", "a")).scheduled).toBe(1_000_003);
  });

  test("begins anew when the job is put again or goes on to the next queue", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "linear 10" });
    expect(await rests(bench, 2)).toEqual([10, 20]);
    await bench.put("q", "a");
    expect(await rests(bench, 1)).toEqual([10]);
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}", "next", "q");
    expect(await rests(bench, 1)).toEqual([10]);
  });

  test("rests at least as long as the first time before a retry that does not count", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "linear 10" });
    expect(await rests(bench, 1, "spend", 0)).toEqual([10]);
  });

  test("does not hold up a job that was taken from a dead worker", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    await started(bench, { backoff: "fixed 1000" });
    expect(jidsOf(await bench.later(60).pop("q", "v"))).toEqual(["a"]);
  });

  test("does not hold up a job that has failed", async () => {
    const bench = await open();
    await started(bench, { backoff: "fixed 1000", retries: 0 });
    expect(await bench.call("retry", "a", "q", "w")).toBe(-1);
    expect(await bench.json("get", "a")).toMatchObject({ state: "failed", scheduled: null });
  });
});
