import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { told, type Words } from "./behaviour.ts";

everyEngine("pop of scheduled jobs", (open) => {
  test("hands out a job from the moment it is due", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    expect(await bench.at(1_000_009.999).pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_010).pop("q", "w"))).toEqual(["a"]);
  });

  test("hands out due jobs in the order of their due times, however late it looks", async () => {
    const bench = await open();
    const delays = { d: 40, a: 10, c: 30, b: 20 };
    for (const [jid, delay] of Object.entries(delays)) await bench.put("q", jid, { delay });
    expect(jidsOf(await bench.later(1000).pop("q", "w", 9))).toEqual(["a", "b", "c", "d"]);
  });

  test("hands out jobs that are due at the same time in the order of put", async () => {
    const bench = await open();
    for (const jid of ["z", "m", "a", "y"]) await bench.put("q", jid, { delay: 10 });
    expect(jidsOf(await bench.later(10).pop("q", "w", 9))).toEqual(["z", "m", "a", "y"]);
  });

  test("gives a due job its place by its due time among those that wait", async () => {
    const bench = await open();
    await bench.put("q", "due-15", { delay: 15 });
    await bench.put("q", "due-5", { delay: 5 });
    await bench.at(1_000_010).put("q", "put-10");
    await bench.at(1_000_020).put("q", "put-20");
    const jids = jidsOf(await bench.at(1_000_030).pop("q", "w", 9));
    expect(jids).toEqual(["due-5", "put-10", "due-15", "put-20"]);
  });

  test("considers an urgent job that is due behind others", async () => {
    const bench = await open();
    for (let i = 0; i < 20; i++) await bench.put("q", `j${i}`, { delay: 10 + i });
    await bench.put("q", "urgent", { delay: 50, priority: -1 });
    expect(jidsOf(await bench.later(100).pop("q", "w"))).toEqual(["urgent"]);
  });

  test("promotes a hundred at a time, and loses none", async () => {
    const bench = await open();
    const words = Array.from({ length: 250 }, (_, i) => [
      "q",
      `j${i}`,
      "klass",
      "{}",
      10,
      0,
    ]).flat();
    await bench.call("put.many", "w", ...words);
    bench.later(10);
    const jids: string[] = [];
    for (let i = 0; i < 3; i++) jids.push(...jidsOf(await bench.pop("q", "w", 1000)));
    expect(jids).toEqual(Array.from({ length: 250 }, (_, i) => `j${i}`));
  });

  test("counts the delay as waiting", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    await bench.later(15).pop("q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      wait: { count: 1, mean: 15 },
    });
  });

  test("is silent about a job that becomes due", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    const heard = await bench.hearing(async () => {
      await bench.later(10).pop("q", "w");
    });
    expect(heard).toEqual([]);
  });
});

const recur = (bench: Bench, interval: number, offset: number, ...options: Words) =>
  bench.call("recur", "q", "r", "klass", '{"n":1}', "interval", interval, offset, ...options);

everyEngine("pop of recurring jobs", (open) => {
  test("puts a child when its time has come, and hands it out", async () => {
    const bench = await open();
    await recur(bench, 60, 10, "priority", 2, "tags", '["x"]', "retries", 3);
    expect(await bench.at(1_000_009.999).pop("q", "w")).toEqual([]);
    expect(await bench.at(1_000_010).pop("q", "w")).toMatchObject([
      {
        jid: "r-1",
        klass: "klass",
        data: '{"n":1}',
        priority: 2,
        tags: ["x"],
        retries: 3,
        remaining: 3,
        spawned_from_jid: "r",
      },
    ]);
    expect(await bench.pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_070).pop("q", "w"))).toEqual(["r-2"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["r-1", "r-2"] });
    expect(await bench.json("get", "r-2")).toMatchObject({ spawned_from_jid: "r" });
  });

  test("tries a child once when nothing was said of retries", async () => {
    const bench = await open();
    await recur(bench, 60, 0);
    expect(await bench.pop("q", "w")).toMatchObject([{ jid: "r-1", retries: 0, remaining: 0 }]);
  });

  test("makes up for every interval it missed, each at its own time", async () => {
    const bench = await open();
    await recur(bench, 60, 0);
    await bench.at(1_000_090).put("q", "between");
    const jids = jidsOf(await bench.at(1_000_185).pop("q", "w", 10));
    expect(jids).toEqual(["r-1", "r-2", "between", "r-3", "r-4"]);
    expect((await bench.json("get", "r-3")).history[0]).toEqual({
      what: "put",
      q: "q",
      when: 1_000_120,
    });
  });

  test("hands out no more children than asked for", async () => {
    const bench = await open();
    await recur(bench, 60, 0);
    bench.at(1_000_185);
    const jids: string[] = [];
    for (let i = 0; i < 6; i++) jids.push(...jidsOf(await bench.pop("q", "w")));
    expect(jids).toEqual(["r-1", "r-2", "r-3", "r-4"]);
  });

  test.each([1_000_600, 1_000_630])(
    "makes up for exactly the backlog at %d, on an interval or between two",
    async (now) => {
      const bench = await open();
      await recur(bench, 60, 0, "backlog", 3);
      expect(jidsOf(await bench.at(now).pop("q", "w", 20))).toEqual(["r-1", "r-2", "r-3"]);
      expect((await bench.json("get", "r-3")).history[0].when).toBe(1_000_600);
      expect((await bench.json("get", "r-1")).history[0].when).toBe(1_000_480);
    },
  );

  test("keeps the fractions of offset and interval", async () => {
    const bench = await open();
    await recur(bench, 0.25, 0.5);
    await bench.at(1_000_001.1).pop("q", "w", 20);
    const jobs: { history: { when: number }[] }[] = await bench.json(
      "multiget",
      "r-1",
      "r-2",
      "r-3",
    );
    expect(jobs.map(({ history }) => history[0]!.when)).toEqual([
      1_000_000.5, 1_000_000.75, 1_000_001,
    ]);
  });

  test("spawns a hundred children at a time, and the rest next time", async () => {
    const bench = await open();
    await recur(bench, 1, 0);
    bench.at(1_000_149);
    expect(await bench.pop("q", "w", 1000)).toHaveLength(100);
    expect(await bench.pop("q", "w", 1000)).toHaveLength(50);
    expect(await bench.pop("q", "w", 1000)).toHaveLength(0);
  });

  test("steps over the jids of jobs that exist", async () => {
    const bench = await open();
    await bench.put("other", "r-1", { data: "[1]" });
    await recur(bench, 60, 0);
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["r-2"]);
    expect(await bench.json("get", "r-1")).toMatchObject({ queue: "other", data: "[1]" });
  });

  test("leaves living children alone when the same jid recurs anew", async () => {
    const bench = await open();
    await recur(bench, 60, 0);
    await bench.pop("q", "w");
    await bench.call("unrecur", "r");
    await recur(bench, 60, 0);
    const jids = jidsOf(await bench.pop("q", "v"));
    expect(jids).toHaveLength(1);
    expect(jids).not.toContain("r-1");
    expect(await bench.json("get", "r-1")).toMatchObject({ state: "running", worker: "w" });
  });

  test("announces the put of a child", async () => {
    const bench = await open();
    await recur(bench, 60, 10);
    const heard = await bench.hearing(async () => {
      await bench.later(10).pop("q", "w");
    });
    expect(told(heard)).toEqual([["log", { event: "put", jid: "r-1", queue: "q" }]]);
  });

  test("counts the wait of a child from its own time", async () => {
    const bench = await open();
    await recur(bench, 60, 10);
    await bench.later(25).pop("q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      wait: { count: 1, mean: 15 },
    });
  });
});
