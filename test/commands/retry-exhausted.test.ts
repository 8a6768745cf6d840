import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { told } from "./behaviour.ts";

/** A running job that has no retry left. */
async function lastTry(bench: Bench): Promise<void> {
  await bench.put("q", "a", { retries: 0 });
  await bench.pop("q", "w");
}

everyEngine("retry without retries left", (open) => {
  test("spends every retry there is, then fails the job", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 2 });
    for (const left of [1, 0, -1]) {
      await bench.pop("q", "w");
      expect(await bench.call("retry", "a", "q", "w")).toBe(left);
    }
    expect(await bench.json("get", "a")).toMatchObject({
      state: "failed",
      queue: "q",
      worker: "",
      expires: 0,
      remaining: -1,
      failure: {
        group: "failed-retries-q",
        message: 'Job exhausted retries in queue "q"',
        when: 1_000_000,
        worker: "w",
      },
    });
    expect((await bench.json("get", "a")).history.at(-1)).toMatchObject({
      what: "failed",
      group: "failed-retries-q",
    });
    expect(await bench.json("failed", "failed-retries-q")).toEqual({ total: 1, jobs: ["a"] });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 1 });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
  });

  test("fails the job in the group and with the message given when no retry is left", async () => {
    const bench = await open();
    await lastTry(bench);
    expect(await bench.call("retry", "a", "q", "w", 100, "group", "It broke")).toBe(-1);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "failed",
      scheduled: null,
      failure: { group: "group", message: "It broke", worker: "w" },
    });
    expect(await bench.json("failed")).toEqual({ group: 1 });
  });

  test("fails the job in the group given, with a message of its own, if there is no other", async () => {
    const bench = await open();
    await lastTry(bench);
    await bench.call("retry", "a", "q", "w", 0, "group");
    expect((await bench.json("get", "a")).failure).toMatchObject({
      group: "group",
      message: 'Job exhausted retries in queue "q"',
    });
  });

  test("tells all, and those who track, that the job failed for want of a retry", async () => {
    const bench = await open();
    await lastTry(bench);
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("retry", "a", "q", "w", 0, "group", "message");
    });
    const failed = { event: "failed", jid: "a", worker: "w", group: "group", message: "message" };
    expect(told(heard)).toHaveLength(2);
    expect(told(heard)).toContainEqual(["failed", "a"]);
    expect(told(heard)).toContainEqual(["log", failed]);
  });

  test("spends nothing when told not to", async () => {
    const bench = await open();
    await lastTry(bench);
    expect(await bench.call("retry", "a", "q", "w", "", "", "", "spend", 0)).toBe(0);
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", remaining: 0 });
    await bench.pop("q", "w");
    expect(await bench.call("retry", "a", "q", "w", "", "", "", "spend", 1)).toBe(-1);
  });
});
