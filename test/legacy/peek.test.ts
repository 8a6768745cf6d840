import { expect, test } from "vitest";
import { type LegacyJob, useLegacy } from "./client.ts";

const legacy = useLegacy();

test("peek shows the jobs that a pop would hand out, in that order, and takes none", async () => {
  for (const [jid, priority] of [
    ["a", 2],
    ["b", 0],
    ["c", -3],
    ["d", 0],
  ] as const) {
    await legacy.put(0, "q", jid, "priority", priority);
  }
  expect(await legacy.peek(1, "q")).toEqual(["c", "b", "d", "a"]);
  expect(await legacy.peek(1, "q", 2)).toEqual(["c", "b"]);
  expect(await legacy.counts(1, "q")).toMatchObject({ waiting: 4, running: 0 });
  await legacy.popped(1, "q", "w", ["c", "b", "d", "a"]);
  expect(await legacy.peek(1, "q")).toEqual([]);
});

test("peek of no jobs shows none", async () => {
  await legacy.put(0, "q", "a");
  expect(await legacy.peek(0, "q", 0)).toEqual([]);
});

test("peek shows a job where it was moved to, and not where it was", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "p", "a");
  expect(await legacy.peek(1, "q")).toEqual([]);
  expect(await legacy.peek(1, "p")).toEqual(["a"]);
});

test("peek moves a job that is due to the waiting ones, and get says so", async () => {
  await legacy.schedule(0, "q", "a", 10);
  expect(await legacy.peek(9.9, "q")).toEqual([]);
  expect(await legacy.state(9.9, "a")).toBe("scheduled");
  const [job] = await legacy.json<LegacyJob[]>("peek", 10, "q", 1);
  expect(job).toMatchObject({ jid: "a", state: "waiting" });
  expect(await legacy.state(10, "a")).toBe("waiting");
  expect(await legacy.sizes("q")).toMatchObject({ work: 1, scheduled: 0 });
});

test("peek spawns the children of recurring jobs that are due", async () => {
  await legacy.recur(0, "q", "r", 10);
  expect(await legacy.peek(99, "q", 100)).toHaveLength(10);
  expect(await legacy.counts(99, "q")).toMatchObject({ waiting: 10, recurring: 1 });
});

test("peek spawns no more children than it shows", async () => {
  await legacy.recur(0, "q", "r", 60);
  expect(await legacy.peek(121, "q", 2)).toEqual(["r-1", "r-2"]);
  expect(await legacy.json("recur.get", 121, "r")).toMatchObject({ count: 2 });
  expect(await legacy.sizes("q")).toMatchObject({ work: 2 });
  expect(await legacy.peek(121, "q", 10)).toEqual(["r-1", "r-2", "r-3"]);
});

test("peek shows expired locks first, and does not touch them", async () => {
  await legacy.put(0, "q", "a", "priority", 9);
  await legacy.pop(0, "q", "w");
  await legacy.put(1, "q", "b");
  const before = await legacy.contents();
  const heard = await legacy.hearing(async () => {
    const jobs = await legacy.json<LegacyJob[]>("peek", 100, "q", 10);
    expect(jobs.map(({ jid, state }) => [jid, state])).toEqual([
      ["a", "running"],
      ["b", "waiting"],
    ]);
  });
  expect(heard).toEqual([]);
  expect(await legacy.contents()).toEqual(before);
  expect(await legacy.json("workers", 100, "w")).toEqual({ jobs: [], stalled: ["a"] });
});

test("peek leaves expired locks to the pop that comes after it", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  expect(await legacy.peek(100, "q")).toEqual(["a"]);
  expect((await legacy.job(100, "a")).remaining).toBe(5);
  const [job] = await legacy.pop(100, "q", "other");
  expect(job?.remaining).toBe(4);
  expect(await legacy.peek(100, "q")).toEqual([]);
});

test("peek shows jobs that were timed out before all others", async () => {
  await legacy.put(0, "q", "a", "priority", 9);
  await legacy.pop(0, "q", "w");
  await legacy.put(1, "q", "b", "priority", -9);
  await legacy.call("timeout", 2, "a");
  expect(await legacy.peek(2, "q")).toEqual(["a", "b"]);
});

test("peek minds neither a pause nor a limit of concurrency", async () => {
  await legacy.call("config.set", 0, "q-max-concurrency", 1);
  for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
  await legacy.popped(0, "q", "w", ["a"]);
  await legacy.call("pause", 0, "q");
  expect(await legacy.peek(0, "q")).toEqual(["b", "c"]);
});

test("peek shows many jobs at once", async () => {
  for (let i = 0; i < 150; i++) await legacy.schedule(i, "q", `j${i}`, 1);
  expect(await legacy.peek(1000, "q", 1000)).toEqual(
    Array.from({ length: 150 }, (_, i) => `j${i}`),
  );
  expect(await legacy.counts(1000, "q")).toMatchObject({ waiting: 150, scheduled: 0 });
});
