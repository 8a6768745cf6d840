import { describe, expect, test } from "vitest";
import { jidsOf, type LegacyJob, useLegacy } from "./client.ts";

const legacy = useLegacy();

describe("recur", () => {
  test("spawns a child at once and then at every interval", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.popped(0, "q", "w", ["r-1"]);
    await legacy.popped(59.9, "q", "w", []);
    await legacy.call("heartbeat", 59.9, "r-1", "w");
    await legacy.popped(60, "q", "w", ["r-2"]);
    await legacy.popped(61, "q", "w", []);
  });

  test("spawns the first child after the offset", async () => {
    await legacy.recur(0, "q", "r", 60, 10);
    await legacy.popped(9.9, "q", "w", []);
    await legacy.popped(10, "q", "w", ["r-1"]);
    await legacy.popped(69, "q", "w", []);
    await legacy.call("heartbeat", 69, "r-1", "w");
    await legacy.popped(70, "q", "w", ["r-2"]);
  });

  test("takes an offset into the past", async () => {
    await legacy.recur(100, "q", "r", 60, -1);
    const [job] = await legacy.pop(100, "q", "w", 1);
    expect(job).toMatchObject({ jid: "r-1", spawned_from_jid: "r" });
    expect(job?.history[0]).toEqual({ what: "put", q: "q", when: 99 });
  });

  test("makes up for missed intervals one by one, at the times they were meant for", async () => {
    await legacy.recur(0, "q", "r", 60);
    const jobs = await legacy.pop(599, "q", "w", 100);
    expect(jidsOf(jobs)).toEqual(Array.from({ length: 10 }, (_, i) => `r-${i + 1}`));
    expect(jobs.map(({ history }) => history[0])).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ what: "put", q: "q", when: i * 60 })),
    );
  });

  test("spawns no more children than are asked for", async () => {
    await legacy.recur(0, "q", "r", 100);
    await legacy.popped(0, "q", "w", ["r-1"]);
    await legacy.complete(0, "r-1", "w", "q");
    await legacy.popped(850, "q", "w", ["r-2", "r-3", "r-4", "r-5", "r-6"], 5);
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 5, scheduled: 0, depends: 0 });
    expect(await legacy.json("recur.get", 850, "r")).toMatchObject({ count: 6 });
    await legacy.popped(850, "q", "w", ["r-7", "r-8", "r-9"], 5);
  });

  test("spawns no more children of several than are asked for", async () => {
    await legacy.recur(0, "q", "r", 10);
    await legacy.recur(0, "q", "s", 10);
    expect(await legacy.pop(500, "q", "w", 5)).toHaveLength(5);
    expect(await legacy.call("length", 500, "q")).toBe(5);
  });

  test("spawns as many children as are asked for, be it hundreds", async () => {
    await legacy.recur(0, "q", "r", 1);
    expect(await legacy.pop(1000, "q", "w", 300)).toHaveLength(300);
  });

  test("gives its children what it was given", async () => {
    const options = ["priority", -10, "tags", '["x","y"]', "retries", 2, "backlog", 0];
    const args = ["q", "r", "klass", '{"n":1}', "interval", 60, 0, ...options];
    await legacy.call("recur", 0, ...args);
    const [job] = await legacy.pop(0, "q", "w");
    expect(job).toEqual({
      jid: "r-1",
      klass: "klass",
      state: "running",
      queue: "q",
      worker: "w",
      tracked: false,
      priority: -10,
      expires: 60,
      retries: 2,
      remaining: 2,
      data: '{"n":1}',
      tags: ["x", "y"],
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "popped", worker: "w", when: 0 },
      ],
      failure: {},
      spawned_from_jid: "r",
      dependents: [],
      dependencies: [],
    });
    expect(await legacy.json("tag", 0, "get", "x")).toEqual({ total: 1, jobs: ["r-1"] });
  });

  test("without options has priority 0, no tags, no retries and no backlog limit", async () => {
    await legacy.recur(0, "q", "r", 60);
    expect(await legacy.json("recur.get", 0, "r")).toMatchObject({
      priority: 0,
      tags: [],
      retries: 0,
      backlog: 0,
    });
  });

  test("orders children among the other jobs", async () => {
    await legacy.put(0, "q", "late", "priority", 5);
    await legacy.recur(0, "q", "r", 60, 0, "priority", 1);
    await legacy.put(0, "q", "early", "priority", -5);
    await legacy.popped(0, "q", "w", ["early", "r-1", "late"]);
  });

  test("again replaces the definition and keeps the counter", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "priority", 10, "tags", '["x"]', "retries", 2);
    await legacy.popped(0, "q", "w", ["r-1"]);
    const args = ["q", "r", "other", '{"n":1}', "interval", 10, 0, "priority", 5];
    await legacy.call("recur", 30, ...args);
    expect(await legacy.json("recur.get", 30, "r")).toMatchObject({
      klass: "other",
      data: '{"n":1}',
      interval: 10,
      priority: 5,
      tags: [],
      retries: 0,
      count: 1,
    });
    await legacy.popped(30, "q", "w", ["r-2"]);
  });

  test("again into another queue moves the recurring job", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.recur(0, "p", "r", 60);
    expect(await legacy.call("jobs", 0, "recurring", "q")).toEqual([]);
    expect(await legacy.call("jobs", 0, "recurring", "p")).toEqual(["r"]);
    await legacy.popped(0, "q", "w", []);
    await legacy.popped(0, "p", "w", ["r-1"]);
  });

  test("is refused with arguments missing or malformed", async () => {
    const good = ["q", "r", "klass", "{}", "interval", 60, 0];
    for (let i = 0; i < good.length; i++) {
      await legacy.refusedWhole(() => legacy.call("recur", 0, ...good.slice(0, i)), /\(\): /);
    }
    const bad: (string | number)[][] = [
      ["q", "r", "klass", "[}", "interval", 60, 0],
      ["q", "r", "klass", "{}", "cron", 60, 0],
      ["q", "r", "klass", "{}", "interval", "foo", 0],
      ["q", "r", "klass", "{}", "interval", 60, "foo"],
      ["q", "r", "klass", "{}", "interval", 0, 0],
      ["q", "r", "klass", "{}", "interval", -60, 0],
      [...good, "tags"],
      [...good, "tags", "[}"],
      [...good, "priority"],
      [...good, "priority", "foo"],
      [...good, "retries"],
      [...good, "retries", "foo"],
      [...good, "backlog"],
      [...good, "backlog", "foo"],
      [...good, "backlog", -1],
      [...good, "nonsense", 1],
    ];
    for (const args of bad) {
      await legacy.refusedWhole(() => legacy.call("recur", 0, ...args), /^Recur\w*\(?\)?.*: /);
    }
  });
});

describe("recur.get", () => {
  test("is the recurring job as text, and nil when there is none", async () => {
    await legacy.recur(0, "q", "r", 60.5, 10, "priority", 3, "tags", '["x"]', "retries", 2);
    expect(await legacy.json("recur.get", 0, "r")).toEqual({
      jid: "r",
      klass: "klass",
      state: "recur",
      queue: "q",
      priority: 3,
      interval: 60.5,
      retries: 2,
      count: 0,
      data: "{}",
      tags: ["x"],
      backlog: 0,
    });
    expect(await legacy.call("get", 0, "r")).toBeNull();
    expect(await legacy.call("recur.get", 0, "missing")).toBeNull();
  });

  test("counts the children", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.pop(120, "q", "w", 10);
    expect(await legacy.json("recur.get", 120, "r")).toMatchObject({ count: 3 });
  });
});

test("the ranking of recurring jobs holds the time of the next child in seconds", async () => {
  const next = async () => Number(await legacy.redis.zscore("ql:q:q-recur", "r"));
  await legacy.recur(1000, "q", "r", 60, 10);
  expect(await next()).toBe(1010);
  await legacy.pop(1010, "q", "w");
  expect(await next()).toBe(1070);
  await legacy.recur(1389383022.5, "q", "r", 60);
  expect(await next()).toBeCloseTo(1389383022.5, 3);
});

test("fractions of seconds in offset and interval do not drift", async () => {
  await legacy.recur(0, "q", "r", 0.5, 0.25);
  await legacy.popped(0.24, "q", "w", []);
  const times: number[] = [];
  for (let now = 0.25; now < 5; now += 0.5) {
    times.push((await legacy.pop(now, "q", "w")).length);
  }
  expect(times).toEqual(Array.from({ length: 10 }, () => 1));
});

describe("unrecur", () => {
  test("ends the children to come and leaves those there are", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.peek(0, "q");
    expect(await legacy.call("unrecur", 1, "r")).toBe(1);
    expect(await legacy.call("recur.get", 1, "r")).toBeNull();
    expect(await legacy.counts(1, "q")).toMatchObject({ recurring: 0, waiting: 1 });
    await legacy.popped(600, "q", "w", ["r-1"]);
  });

  test("and recur again leaves the children of before alone", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.popped(0, "q", "w", ["r-1"]);
    await legacy.call("unrecur", 1, "r");
    await legacy.recur(2, "q", "r", 60);
    const [job] = await legacy.pop(2, "q", "other");
    expect(job?.jid).not.toBe("r-1");
    expect(await legacy.job(2, "r-1")).toMatchObject({ state: "running", worker: "w" });
  });
});

test("a child is a job like any other", async () => {
  await legacy.recur(0, "q", "r", 60, 0, "retries", 1);
  await legacy.popped(0, "q", "w", ["r-1"]);
  expect(await legacy.call("retry", 0, "r-1", "q", "w", 0)).toBe(0);
  await legacy.popped(0, "q", "w", ["r-1"]);
  await legacy.call("log", 0, "r-1", "message");
  await legacy.call("tag", 0, "add", "r-1", "x");
  expect(await legacy.complete(0, "r-1", "w", "q", "next", "p")).toBe("waiting");
  const [job] = await legacy.json<LegacyJob[]>("peek", 0, "p", 1);
  expect(job).toMatchObject({ jid: "r-1", spawned_from_jid: "r", tags: ["x"] });
  await legacy.call("cancel", 0, "r-1");
  await legacy.popped(60, "q", "w", ["r-2"]);
});
