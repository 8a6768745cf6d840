import { expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const on = (...dependencies: string[]) => ["depends", JSON.stringify(dependencies)];

test("cancel removes a job in any state but complete", async () => {
  await legacy.put(0, "q", "dependency");
  await legacy.put(0, "q", "waiting");
  await legacy.schedule(0, "q", "scheduled", 10);
  await legacy.put(0, "q", "depends", ...on("dependency"));
  for (const jid of ["running", "failed", "stalled"]) await legacy.put(0, "p", jid);
  await legacy.pop(0, "p", "w");
  await legacy.fail(0, "failed", "w");
  await legacy.call("timeout", 0, "stalled");
  for (const jid of ["waiting", "scheduled", "depends", "running", "failed", "stalled"]) {
    expect(await legacy.state(1, jid)).toBe(jid);
    expect(await legacy.call("cancel", 1, jid)).toEqual([jid]);
    expect(await legacy.call("get", 1, jid)).toBeNull();
  }
  expect(await legacy.sizes("q")).toEqual({ work: 1, locks: 0, scheduled: 0, depends: 0 });
  expect(await legacy.sizes("p")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 0 });
  expect(await legacy.json("failed", 1)).toEqual({});
  expect(await legacy.json("workers", 1, "w")).toEqual({ jobs: [], stalled: [] });
  await legacy.popped(100, "p", "w", []);
});

test("cancel leaves nothing of a job behind", async () => {
  await legacy.put(0, "q", "a", "tags", '["x"]');
  await legacy.call("log", 0, "a", "message");
  await legacy.call("cancel", 0, "a");
  expect((await legacy.redis.keys("*a*")).filter((key) => /^ql:\w+:a/.test(key))).toEqual([]);
  expect(await legacy.json("tag", 0, "get", "x")).toEqual({ total: 0, jobs: [] });
});

test("cancel ends what the worker could do", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.call("cancel", 1, "a");
  await legacy.refused(legacy.call("heartbeat", 2, "a", "w", "{}"), /Job a does not exist$/);
  await legacy.refused(legacy.complete(2, "a", "w", "q"), /Job a does not exist$/);
  await legacy.refused(legacy.fail(2, "a", "w"), /Job a does not exist$/);
  await legacy.refused(legacy.call("retry", 2, "a", "q", "w", 0), /Job a does not exist$/);
});

test("cancel passes over completed jobs, and over jobs that do not exist", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.complete(0, "a", "w", "q");
  await legacy.put(1, "q", "b");
  expect(await legacy.call("cancel", 1, "a", "missing", "b")).toEqual(["b"]);
  expect(await legacy.state(1, "a")).toBe("complete");
  expect(await legacy.call("cancel", 1, "a")).toEqual([]);
  expect(await legacy.call("cancel", 1, "missing")).toEqual([]);
  expect(await legacy.call("jobs", 1, "complete")).toEqual(["a"]);
});

test("cancel of a failed job after its retries were exhausted works", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await legacy.put(0, "q", "a", "retries", 0);
  await legacy.put(0, "q", "b", "retries", 0);
  await legacy.pop(0, "q", "w");
  await legacy.call("retry", 1, "a", "q", "w");
  await legacy.pop(100, "q", "w");
  expect(await legacy.json("failed", 100)).toEqual({ "failed-retries-q": 2 });
  expect(await legacy.call("cancel", 100, "a", "b")).toEqual(["a", "b"]);
  expect(await legacy.json("failed", 100)).toEqual({});
});

test("cancel of a failed job works after its statistics are gone", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.fail(0, "a", "w");
  await legacy.redis.del("ql:s:stats:0:q");
  expect(await legacy.call("cancel", 1, "a")).toEqual(["a"]);
  expect(await legacy.json("failed", 1)).toEqual({});
});

test("cancel of a job that others depend on is refused", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", ...on("a"));
  await legacy.refusedWhole(
    () => legacy.call("cancel", 1, "a"),
    "Cancel(): a is a dependency of b but is not mentioned to be canceled",
  );
});

test("cancel takes a whole clique of dependencies, in any order", async () => {
  for (const order of [
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["b", "missing", "c", "a"],
  ]) {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    await legacy.put(0, "q", "c", ...on("a", "b"));
    expect(await legacy.call("cancel", 1, ...order)).toEqual(order.filter((j) => j.length === 1));
    for (const jid of ["a", "b", "c"]) expect(await legacy.call("get", 1, jid)).toBeNull();
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 0 });
  }
});

test("cancel of a part of a clique is refused and changes nothing", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", ...on("a"));
  await legacy.put(0, "q", "c", ...on("b"));
  await legacy.put(0, "q", "d");
  await legacy.refusedWhole(
    () => legacy.call("cancel", 1, "d", "a", "b"),
    "Cancel(): b is a dependency of c but is not mentioned to be canceled",
  );
});

test("cancel of a dependent frees the job it waited for", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", ...on("a"));
  expect(await legacy.call("cancel", 1, "b")).toEqual(["b"]);
  expect((await legacy.job(1, "a")).dependents).toEqual([]);
  expect(await legacy.call("cancel", 1, "a")).toEqual(["a"]);
});

test("cancel takes many jobs at once, each once", async () => {
  const all = jids(500);
  await Promise.all(all.map((jid) => legacy.put(0, "q", jid)));
  expect(await legacy.call("cancel", 1, ...all, ...all)).toEqual(all);
  expect(await legacy.call("length", 1, "q")).toBe(0);
});
