import { describe, expect, test } from "vitest";
import { jidsOf, useLegacy } from "./client.ts";

const legacy = useLegacy();

describe("backlog", () => {
  test("leaves only so many of the missed children", async () => {
    await legacy.recur(0, "q", "r", 10, 0, "backlog", 1);
    for (let round = 1; round <= 5; round++) {
      const jobs = await legacy.pop(round * 105, "q", "w", 100);
      expect(jobs).toHaveLength(1);
      await legacy.complete(round * 105, jobs[0]!.jid, "w", "q");
    }
  });

  test("leaves exactly so many when the time is on an interval", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "backlog", 1);
    const jobs = await legacy.pop(600, "q", "w", 10);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.history[0]).toEqual({ what: "put", q: "q", when: 600 });
  });

  test("takes the newest of the missed ones", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "backlog", 3);
    const jobs = await legacy.pop(599, "q", "w", 10);
    expect(jobs.map(({ history }) => history[0]?.when)).toEqual([420, 480, 540]);
    expect(jidsOf(jobs)).toEqual(["r-1", "r-2", "r-3"]);
  });

  test("can be raised and taken off", async () => {
    await legacy.recur(0, "q", "r", 10, 0, "backlog", 1);
    expect(await legacy.pop(105, "q", "w", 100)).toHaveLength(1);
    await legacy.call("recur.update", 105, "r", "backlog", 5);
    expect(jidsOf(await legacy.pop(210, "q", "w", 100)).filter((j) => j !== "r-1")).toHaveLength(5);
    await legacy.call("recur.update", 210, "r", "backlog", 0);
    await legacy.call("config.set", 210, "grace-period", 10_000);
    expect(await legacy.pop(310, "q", "w", 100)).toHaveLength(10);
  });

  test("does not touch a recurring job that is in time", async () => {
    await legacy.recur(0, "q", "r", 10, 0, "backlog", 5);
    for (let now = 0; now < 50; now += 10) {
      expect(await legacy.pop(now, "q", "w", 100)).toHaveLength(1);
    }
  });
});
