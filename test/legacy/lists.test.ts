import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const listed = (now: number, ...args: (string | number)[]) => legacy.call("jobs", now, ...args);

describe("jobs complete", () => {
  test("lists the newest completion first, in pages of twenty-five", async () => {
    const all = jids(60);
    for (const [i, jid] of all.entries()) {
      await legacy.put(i, "q", jid);
      await legacy.pop(i, "q", "w");
      await legacy.complete(i, jid, "w", "q");
    }
    const newest = all.toReversed();
    expect(await listed(60, "complete")).toEqual(newest.slice(0, 25));
    expect(await listed(60, "complete", 25)).toEqual(newest.slice(25, 50));
    expect(await listed(60, "complete", 0, 50)).toEqual(newest.slice(0, 50));
    expect(await listed(60, "complete", 50, 50)).toEqual(newest.slice(50));
    expect(await listed(60, "complete", 60, 50)).toEqual([]);
    expect(await listed(60, "complete", 0, -1)).toEqual(newest);
    expect(await listed(60, "complete", 25_000, 25)).toEqual([]);
  });

  test("no longer lists a job that was put again", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.complete(0, "a", "w", "q");
    expect(await listed(0, "complete")).toEqual(["a"]);
    await legacy.put(0, "q", "a");
    expect(await listed(0, "complete")).toEqual([]);
  });
});

describe("jobs running", () => {
  test("lists locks by expiry, the earliest first", async () => {
    await legacy.call("config.set", 0, "heartbeat", 1000);
    const all = jids(60);
    for (const [i, jid] of all.entries()) {
      await legacy.put(i, "q", jid);
      await legacy.pop(i, "q", "w");
    }
    expect(await listed(60, "running", "q")).toEqual(all.slice(0, 25));
    expect(await listed(60, "running", "q", 0, 50)).toEqual(all.slice(0, 50));
    expect(await listed(60, "running", "q", 50, 50)).toEqual(all.slice(50));
    expect(await listed(60, "running", "q", 0, -1)).toEqual(all);
    expect(await listed(60, "running", "p", 0, -1)).toEqual([]);
    await legacy.call("heartbeat", 60, all[0]!, "w");
    expect(await listed(60, "running", "q", 0, -1)).toEqual([...all.slice(1), all[0]]);
  });

  test("lists all with a count of -1, however many there are", async () => {
    const all = jids(300);
    await Promise.all(all.map((jid) => legacy.put(0, "q", jid)));
    await legacy.pop(0, "q", "w", 300);
    expect(await listed(0, "running", "q", 0, -1)).toHaveLength(300);
  });

  test("leaves out what has expired, and lists a job in its grace period", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    expect(await listed(59.9, "running", "q")).toEqual(["a"]);
    expect(await listed(60, "running", "q")).toEqual([]);
    await legacy.pop(60, "q", "other");
    expect(await listed(60, "running", "q")).toEqual(["a"]);
  });
});

describe("jobs stalled", () => {
  test("lists expired locks, the earliest first, as often as it is asked", async () => {
    await legacy.call("config.set", 0, "heartbeat", 10);
    const all = jids(30);
    for (const jid of all) await legacy.put(0, "q", jid);
    for (let i = 0; i < 30; i++) await legacy.pop(i / 10, "q", "w", 1);
    expect(await listed(9.9, "stalled", "q")).toEqual([]);
    expect(await listed(11, "stalled", "q")).toEqual(all.slice(0, 11));
    for (let i = 0; i < 2; i++) {
      expect(await listed(60, "stalled", "q")).toEqual(all.slice(0, 25));
      expect(await listed(60, "stalled", "q", 25, 25)).toEqual(all.slice(25));
      expect(await listed(60, "stalled", "q", 0, -1)).toEqual(all);
    }
  });

  test("lists a lock that was taken with a negative heartbeat", async () => {
    await legacy.call("config.set", 0, "heartbeat", -60);
    await legacy.put(100, "q", "a");
    await legacy.pop(100, "q", "w");
    expect(await listed(100, "stalled", "q", 0, 10)).toEqual(["a"]);
    expect(await listed(100, "running", "q", 0, 10)).toEqual([]);
  });

  test("does not list jobs that were timed out", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.call("timeout", 1, "a");
    expect(await listed(100, "stalled", "q")).toEqual([]);
  });
});

test("jobs scheduled lists what is not due yet, the earliest due first", async () => {
  await legacy.schedule(0, "q", "c", 30);
  await legacy.schedule(0, "q", "a", 10);
  await legacy.schedule(0, "q", "b", 20);
  expect(await listed(0, "scheduled", "q")).toEqual(["a", "b", "c"]);
  expect(await listed(0, "scheduled", "q", 1, 1)).toEqual(["b"]);
  expect(await listed(0, "scheduled", "q", 0, -1)).toEqual(["a", "b", "c"]);
  expect(await listed(10, "scheduled", "q")).toEqual(["b", "c"]);
  expect(await legacy.state(10, "a")).toBe("waiting");
  expect(await listed(100, "scheduled", "q")).toEqual([]);
});

test("jobs depends lists jobs that wait for others, the first put first", async () => {
  await legacy.put(0, "q", "x");
  const all = jids(30);
  for (const [i, jid] of all.entries()) await legacy.put(i, "q", jid, "depends", '["x"]');
  expect(await listed(0, "depends", "q")).toEqual(all.slice(0, 25));
  expect(await listed(0, "depends", "q", 20, 20)).toEqual(all.slice(20));
  expect(await listed(0, "depends", "q", 0, -1)).toEqual(all);
});

test("jobs recurring lists recurring jobs by their next child, future ones included", async () => {
  await legacy.recur(0, "q", "c", 60, 30);
  await legacy.recur(0, "q", "a", 60, 0);
  await legacy.recur(0, "q", "b", 60, 10);
  expect(await listed(0, "recurring", "q")).toEqual(["a", "b", "c"]);
  expect(await listed(0, "recurring", "q", 1, 10)).toEqual(["b", "c"]);
  expect(await listed(1000, "recurring", "q", 0, -1)).toEqual(["a", "b", "c"]);
  expect(await legacy.json("recur.get", 1000, "a")).toMatchObject({ count: 0 });
});

test("jobs is refused without a state or a queue, and for states there are not", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  const bad: [args: (string | number)[], sentence: RegExp][] = [
    [[], /^Jobs\(\): Arg "state" missing/],
    [["running"], /^Jobs\(\): Arg "queue" missing/],
    [["stalled"], /^Jobs\(\): Arg "queue" missing/],
    [["scheduled"], /^Jobs\(\): Arg "queue" missing/],
    [["depends"], /^Jobs\(\): Arg "queue" missing/],
    [["recurring"], /^Jobs\(\): Arg "queue" missing/],
    [["foo"], /^Jobs\(\): Arg "queue" missing/],
    [["foo", "q"], /^Jobs\(\): Unknown type/],
    [["foo", "q", 0, 25], /^Jobs\(\): Unknown type/],
    [["complete", "foo"], /^Jobs\(\): Arg "offset" not a number: foo/],
    [["complete", 0, "foo"], /^Jobs\(\): Arg "count" not a number: foo/],
    [["running", "q", "foo"], /^Jobs\(\): Arg "offset" not a number: foo/],
    [["running", "q", 0, "foo"], /^Jobs\(\): Arg "count" not a number: foo/],
    [["depends", "q", "foo"], /^Jobs\(\): Arg "offset" not a number: foo/],
    [["recurring", "q", 0, "foo"], /^Jobs\(\): Arg "count" not a number: foo/],
  ];
  for (const [args, sentence] of bad) {
    await legacy.refusedWhole(() => listed(1000, ...args), sentence);
  }
});

test("offsets beyond the end and large counts are no mistake", async () => {
  await legacy.put(0, "q", "a", "tags", '["x"]');
  await legacy.pop(0, "q", "w");
  await legacy.fail(0, "a", "w");
  expect(await listed(0, "running", "q", 100_000, 25)).toEqual([]);
  expect(await legacy.json("failed", 0, "group", 100_000, 25)).toEqual({ total: 1, jobs: [] });
  expect(await legacy.json("tag", 0, "get", "x", 100_000, 25)).toEqual({ total: 1, jobs: [] });
  expect(await legacy.call("tag", 0, "top", 100_000, 25)).toBe("[]");
  expect(await listed(0, "complete", 0, 1_000_000)).toEqual([]);
  expect(await legacy.json("failed", 0, "group", 0, 1_000_000)).toEqual({ total: 1, jobs: ["a"] });
  expect(await legacy.json("tag", 0, "get", "x", 0, 1_000_000)).toEqual({ total: 1, jobs: ["a"] });
  expect(await legacy.call("unfail", 0, "q", "group", 1_000_000)).toBe(1);
  expect(await legacy.peek(0, "q", 1_000_000)).toEqual(["a"]);
  await legacy.popped(0, "q", "w", ["a"], 1_000_000);
});
