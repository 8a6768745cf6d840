import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();

async function completed(now: number, ...all: string[]): Promise<void> {
  for (const jid of all) {
    await legacy.put(now, "q", jid, "tags", '["x"]');
    await legacy.pop(now, "q", "w");
    await legacy.complete(now, jid, "w", "q");
  }
}

async function left(now: number, all: string[]): Promise<string[]> {
  const jobs = await legacy.json<{ jid: string }[]>("multiget", now, ...all);
  return jobs.map(({ jid }) => jid);
}

describe("jobs-history", () => {
  test("removes completed jobs that are older", async () => {
    await legacy.call("config.set", 0, "jobs-history", 100);
    await completed(0, "a");
    await completed(99.9, "b");
    expect(await left(99.9, ["a", "b"])).toEqual(["a", "b"]);
    await completed(100, "c");
    expect(await left(100, ["a", "b", "c"])).toEqual(["b", "c"]);
    expect(await legacy.call("jobs", 100, "complete")).toEqual(["c", "b"]);
    expect(await legacy.json("tag", 100, "get", "x")).toEqual({ total: 2, jobs: ["b", "c"] });
  });

  test("is a week unless it is set", async () => {
    await completed(0, "a");
    await completed(604_799, "b");
    expect(await left(604_799, ["a", "b"])).toEqual(["a", "b"]);
    await completed(604_800, "c");
    expect(await left(604_800, ["a", "b", "c"])).toEqual(["b", "c"]);
  });

  test("of zero or less removes a job as soon as it completes", async () => {
    for (const history of [0, -1]) {
      await legacy.redis.flushall();
      await legacy.call("config.set", 0, "jobs-history", history);
      await completed(1, ...jids(20));
      expect(await left(1, jids(20))).toEqual([]);
      expect(await legacy.redis.zcard("ql:completed")).toBe(0);
      expect(await legacy.redis.keys("ql:j:*")).toEqual([]);
      expect(await legacy.json("tag", 1, "get", "x")).toEqual({ total: 0, jobs: [] });
      expect(await legacy.redis.zrange("ql:tags", "0", "-1")).toEqual([]);
    }
  });

  test("that is lowered removes twenty older jobs with the next completion", async () => {
    await completed(0, ...jids(20));
    await legacy.call("config.set", 1, "jobs-history", 0);
    await completed(1, "last");
    expect(await left(1, [...jids(20), "last"])).toEqual([]);
  });

  test("does not concern jobs that are not complete", async () => {
    await legacy.call("config.set", 0, "jobs-history", 0);
    await legacy.put(0, "p", "failed");
    await legacy.pop(0, "p", "w");
    await legacy.fail(0, "failed", "w");
    await legacy.put(0, "p", "waits");
    await completed(1000, "a");
    expect(await left(1000, ["failed", "waits", "a"])).toEqual(["failed", "waits"]);
  });
});

describe("jobs-history-count", () => {
  test("keeps the newest so many", async () => {
    await legacy.call("config.set", 0, "jobs-history-count", 5);
    const all = jids(10);
    for (const [i, jid] of all.entries()) await completed(i, jid);
    expect(await left(10, all)).toEqual(all.slice(5));
    expect(await legacy.redis.zcard("ql:completed")).toBe(5);
    expect(await legacy.json("tag", 10, "get", "x")).toMatchObject({ total: 5 });
  });

  test("keeps so many of jobs that were completed in one moment", async () => {
    await legacy.call("config.set", 0, "jobs-history-count", 5);
    await completed(2, ...jids(10));
    expect(await left(2, jids(10))).toHaveLength(5);
  });

  test("of zero or less keeps none", async () => {
    for (const count of [0, -1]) {
      await legacy.redis.flushall();
      await legacy.call("config.set", 0, "jobs-history-count", count);
      await completed(0, "a", "b");
      expect(await left(0, ["a", "b"])).toEqual([]);
    }
  });
});

test("a job that goes as it completes answers complete, and lets its dependents go", async () => {
  await legacy.call("config.set", 0, "jobs-history-count", 0);
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", "depends", '["a"]');
  await legacy.pop(0, "q", "w");
  expect(await legacy.complete(1, "a", "w", "q")).toBe("complete");
  expect(await legacy.call("get", 1, "a")).toBeNull();
  expect(await legacy.job(1, "b")).toMatchObject({ state: "waiting", dependencies: [] });
});

test("a job that has gone can no longer be tagged, logged to or prioritised", async () => {
  await legacy.call("config.set", 0, "jobs-history-count", 0);
  await completed(0, "a");
  await legacy.refused(legacy.call("tag", 1, "add", "a", "y"), /^Tag\(\): Job a does not exist/);
  await legacy.refused(legacy.call("log", 1, "a", "message"), /^Log\(\): Job a does not exist/);
  await legacy.refused(legacy.call("priority", 1, "a", 1), /^Priority\(\): Job a does not exist/);
  expect(await legacy.json("tag", 1, "get", "y")).toEqual({ total: 0, jobs: [] });
});

test("a tracked job that has gone is listed as expired until it is untracked", async () => {
  await legacy.call("config.set", 0, "jobs-history", 0);
  await legacy.put(0, "q", "a");
  await legacy.call("track", 0, "track", "a");
  await legacy.pop(0, "q", "w");
  await legacy.complete(1, "a", "w", "q");
  expect(await legacy.json("track", 1)).toEqual({ jobs: [], expired: ["a"] });
  expect(await legacy.json("track", 1, "untrack", "a")).toBe(1);
  expect(await legacy.json("track", 1)).toEqual({ jobs: [], expired: [] });
});
