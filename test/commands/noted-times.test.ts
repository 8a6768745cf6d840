import { expect, test } from "vitest";
import { everyHand } from "../damage.ts";
import type { Bench } from "../engines.ts";

const DAY = 86_400;
const MIDNIGHT = 12 * DAY;
const YESTERDAY = `${MIDNIGHT - DAY}:q`;

const statsOf = async (bench: Bench, date: number) => {
  const { wait, run } = await bench.json("stats", "q", date);
  return { waits: wait.count, runs: run.count };
};

/** Jobs that wait for a second and run for two. */
async function runs(bench: Bench, jids: string[]): Promise<void> {
  for (const jid of jids) {
    await bench.put("q", jid);
    await bench.later(1).pop("q", "w");
    await bench.later(2).call("complete", jid, "w", "q", "{}");
  }
}

everyHand("times", (open) => {
  test("are noted first, runs as they are and waits below zero", async () => {
    const { bench, hands } = await open();
    await runs(bench.at(MIDNIGHT - 100), ["a", "b"]);
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe("-1001,2000,-1001,2000,");
    expect(await hands.keys()).not.toContain(`s:wait:${YESTERDAY}`);
    expect(await statsOf(bench, bench.now)).toEqual({ waits: 2, runs: 2 });
  });

  test("that one call both ends and begins are written at once", async () => {
    const { bench, hands } = await open();
    await bench.at(MIDNIGHT - 100).put("q", "a");
    const [job] = await bench.later(1).pop("q", "w");
    await bench.put("q", "b");
    await bench.later(3).call("finish", "w", 1, '["q"]', "complete", "a", job!.lease, 0);
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe("-1001,3000,-3001,");
  });

  test("that are alike are noted each, in the order in which they come", async () => {
    const { bench, hands } = await open();
    bench.at(MIDNIGHT - 100);
    for (const jids of ["a", "bcd", "e"]) {
      for (const jid of jids) await bench.put("q", jid);
      bench.later(1);
    }
    const jobs = await bench.pop("q", "w", 5);
    const outcomes = jobs.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
    await bench.later(4).call("finish", "w", 0, "[]", ...outcomes);
    const waits = "-3001,-2001,-2001,-2001,-1001,";
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe(`${waits}${"4000,".repeat(5)}`);
    const { wait, run } = await bench.json("stats", "q", bench.now);
    expect([wait.count, wait.mean, run.count, run.mean]).toEqual([5, 2, 5, 4]);
    expect(wait.variance).toBe(0.5);
    expect(wait.histogram.slice(0, 5)).toEqual([0, 1, 3, 1, 0]);
  });

  test("of one call that come and go between queues are all written", async () => {
    const { bench, hands } = await open();
    bench.at(MIDNIGHT - 100);
    for (const [queue, jid] of ["q", "r", "q"].map((queue, i) => [queue, `j${i}`] as const)) {
      await bench.put(queue, jid);
    }
    const [first, third] = await bench.pop("q", "w", 2);
    const [second] = await bench.pop("r", "w");
    const ended = [first!, second!, third!];
    const outcomes = ended.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
    await bench.later(2).call("finish", "w", 0, "[]", ...outcomes);
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe("-1,-1,2000,2000,");
    expect(await hands.noted(`s:noted:${MIDNIGHT - DAY}:r`)).toBe("-1,2000,");
  });

  test("of several queues are noted with their queues", async () => {
    const { bench, hands } = await open();
    bench.at(MIDNIGHT - 100);
    for (const queue of ["q", "r", "s"]) await bench.put(queue, queue);
    await bench.later(1).call("pop", "q", "w", 10, "also", '["r","s"]');
    for (const queue of ["q", "r", "s"]) {
      expect(await hands.noted(`s:noted:${MIDNIGHT - DAY}:${queue}`)).toBe("-1001,");
    }
  });

  test("go to the statistics when they are many, and none is lost", async () => {
    const { bench, hands } = await open();
    bench.at(MIDNIGHT - 3000);
    const jids = Array.from({ length: 200 }, (_, i) => `j${i}`);
    for (const jid of jids) {
      await runs(bench, [jid]);
      const noted = (await hands.noted(`s:noted:${YESTERDAY}`)) ?? "";
      expect(noted.length).toBeLessThanOrEqual(1200);
    }
    expect(await hands.field(`s:run:${YESTERDAY}`, "total")).toBe("110");
    expect(await statsOf(bench, bench.now)).toEqual({ waits: 200, runs: 200 });
    const { wait, run } = await bench.json("stats", "q", bench.now);
    expect([wait.mean, run.mean, wait.std, run.std]).toEqual([1, 2, 0, 0]);
  });

  test("that are many are the occasion to remove what is kept no longer", async () => {
    const { bench } = await open();
    await runs(bench.at(MIDNIGHT), ["old"]);
    bench.at(MIDNIGHT + 8 * DAY);
    await runs(bench, ["a"]);
    expect(await bench.json("get", "old")).toMatchObject({ state: "complete" });
    await runs(
      bench,
      Array.from({ length: 120 }, (_, i) => `j${i}`),
    );
    expect(await bench.json("get", "old")).toBeNull();
    expect(await bench.json("get", "a")).toMatchObject({ state: "complete" });
  });

  test("that a clock set back would make less than none are none", async () => {
    const { bench, hands } = await open();
    await bench.at(MIDNIGHT - 100).put("q", "a");
    await bench.later(-1).pop("q", "w");
    await bench.later(-1).call("complete", "a", "w", "q", "{}");
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe("-1,0,");
    const { wait, run } = await bench.json("stats", "q", bench.now);
    expect([wait.mean, run.mean]).toEqual([0, 0]);
  });

  test("that somebody else has written are passed over, and the job ends", async () => {
    for (const strange of ["soon,", '"1",', "[1],", "null,", "1"]) {
      const { bench, hands } = await open();
      await runs(bench.at(MIDNIGHT - 100), ["a"]);
      await hands.note(`s:noted:${YESTERDAY}`, strange.repeat(Math.ceil(1201 / strange.length)));
      await runs(bench, ["b"]);
      expect(await bench.json("get", "b")).toMatchObject({ state: "complete" });
      await runs(bench, ["c"]);
      expect(await statsOf(bench, bench.now)).toEqual({ waits: 1, runs: 1 });
    }
  });

  test("are counted in the bin of their length", async () => {
    const { bench } = await open();
    const lengths = [0, 0.999, 1, 59, 60, 3599, 3600, 86_399, 86_400, 6 * DAY, 40 * DAY, 1, 0];
    for (const [i, length] of lengths.entries()) {
      await bench.at(MIDNIGHT + 50 * DAY - length).put("q", `j${i}`);
      await bench.at(MIDNIGHT + 50 * DAY).call("pop", "q", "w", 1);
    }
    const { wait } = await bench.json("stats", "q", bench.now);
    const counted = Object.entries(wait.histogram as number[]).filter(([, count]) => count > 0);
    const bins = { 0: 3, 1: 2, 59: 1, 60: 1, 118: 1, 119: 1, 141: 1, 142: 1, 147: 2 };
    expect(Object.fromEntries(counted)).toEqual(bins);
  });

  test("go to the statistics though no job ever ends", async () => {
    const { bench, hands } = await open();
    bench.at(MIDNIGHT - 3000);
    for (let i = 0; i < 600; i++) {
      await bench.put("q", "a");
      await bench.later(1).call("pop", "q", "w", 1);
    }
    expect((await hands.noted(`s:noted:${YESTERDAY}`))?.length).toBeLessThanOrEqual(2400);
    expect(await statsOf(bench, bench.now)).toEqual({ waits: 600, runs: 0 });
  });

  test("of a day that is over go to its statistics when a worker asks again", async () => {
    const { bench, hands } = await open();
    await runs(bench.at(MIDNIGHT - 100), ["a", "b"]);
    await bench.at(MIDNIGHT + 10).pop("q", "w");
    expect((await hands.keys()).filter((key) => key.startsWith("s:noted"))).toEqual([]);
    expect(await hands.field(`s:run:${YESTERDAY}`, "total")).toBe("2");
    expect(await statsOf(bench, MIDNIGHT - 1)).toEqual({ waits: 2, runs: 2 });
    expect(await statsOf(bench, MIDNIGHT)).toEqual({ waits: 0, runs: 0 });
    expect(await bench.problems()).toEqual([]);
  });

  test("of a queue that nobody asks for go when its statistics do", async () => {
    const { bench, hands } = await open();
    await runs(bench.at(MIDNIGHT - 100), ["a"]);
    expect(await hands.noted(`s:noted:${YESTERDAY}`)).toBe("-1001,2000,");
    await bench.at(MIDNIGHT + 40 * DAY).call("tick");
    expect((await hands.keys()).filter((key) => key.startsWith("s:"))).toEqual([]);
  });
});
