import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf, popped, refused } from "./engines.ts";

const MANY = 10_000;
const name = (i: number) => `j${String(i).padStart(5, "0")}`;
const some = (count: number) => Array.from({ length: count }, (_, i) => name(i));
const SLOW = { timeout: 120_000 };
/** Scripts are the program that functions are, and take as long. */
const HOMES_OF_LONG_LISTS = ["sqlite", "functions"] as const;

everyEngine(
  "a long list",
  (open) => {
    async function put(bench: Bench, count: number, options: (string | number)[] = []) {
      const jids = some(count);
      for (let i = 0; i < count; i += 1000) {
        const jobs = jids.slice(i, i + 1000).map((jid) => {
          return ["q", jid, "klass", "{}", 0, options.length, ...options];
        });
        expect(await bench.call("put.many", "w", ...jobs.flat())).toHaveLength(jobs.length);
      }
      return jids;
    }

    test("of 10,000 jids is read and canceled in one call", SLOW, async () => {
      const bench = await open();
      const jids = await put(bench, MANY, ["tags", '["x"]']);
      const jobs: { jid: string }[] = await bench.json("multiget", ...jids);
      expect(jobs.map(({ jid }) => jid)).toEqual(jids);
      expect(await bench.json("tag", "get", "x", 0, MANY)).toEqual({ total: MANY, jobs: jids });
      expect(await bench.call("cancel", ...jids)).toEqual(jids);
      expect(await bench.call("length", "q")).toBe(0);
      expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
    });

    test("of 10,000 waiting jobs is peeked at, listed, popped and timed out", SLOW, async () => {
      const bench = await open();
      const jids = await put(bench, MANY);
      expect(await bench.call("jobs", "waiting", "q", 0, -1)).toEqual(jids);
      const peeked: { jid: string }[] = await bench.json("peek", "q", MANY);
      expect(peeked.map(({ jid }) => jid)).toEqual(jids);
      const jobs = popped(await bench.call("pop", "q", "w", 9000, "history", 1));
      expect(jidsOf(jobs)).toEqual(jids.slice(0, 9000));
      expect(new Set(jobs.map(({ lease }) => lease)).size).toBe(9000);
      expect(jobs[8999]!.history).toMatchObject([{ what: "put" }, { what: "popped" }]);
      expect(await bench.json("queues", "q")).toMatchObject({ running: 9000, waiting: 1000 });
      expect((await bench.json("workers", "w")).jobs).toHaveLength(9000);
      expect(await bench.pop("q", "w", MANY)).toHaveLength(1000);
      await bench.call("timeout", ...jids);
      expect(await bench.json("queues", "q")).toMatchObject({ running: 0, waiting: MANY });
      expect(jidsOf(await bench.pop("q", "w", MANY))).toEqual(jids);
    });

    test("of 10,000 tags may be a job's", SLOW, async () => {
      const bench = await open();
      const tags = some(MANY);
      await bench.put("q", "a", { tags });
      expect((await bench.json("get", "a")).tags).toEqual(tags);
      await bench.put("q", "b");
      expect(await bench.json("tag", "add", "b", ...tags.slice(1))).toEqual(tags.slice(1));
      expect(await bench.json("tag", "top", 0, MANY)).toHaveLength(MANY - 1);
      expect(await bench.json("tag", "remove", "a", ...tags.slice(0, MANY - 1))).toEqual([
        name(MANY - 1),
      ]);
      await bench.call("cancel", "a", "b");
      expect(await bench.json("tag", "get", name(5))).toEqual({ total: 0, jobs: [] });
    });

    test("of 10,000 tags is the most that a job may have", SLOW, async () => {
      const bench = await open();
      const tags = some(MANY);
      await refused(
        bench.put("q", "a", { tags: [...tags, "more"] }),
        "BAD_ARGUMENT",
        /more than 10000/,
      );
      expect(await bench.json("get", "a")).toBeNull();
      await bench.put("q", "a", { tags });
      await refused(bench.call("tag", "add", "a", "more"), "BAD_ARGUMENT", /more than 10000/);
      expect(await bench.json("tag", "get", "more")).toEqual({ total: 0, jobs: [] });
      expect(await bench.json("tag", "add", "a", name(3))).toHaveLength(MANY);
      await bench.call("cancel", "a");
    });

    test("of 10,000 tags may be those of a recurring job", SLOW, async () => {
      const bench = await open();
      const tags = some(MANY - 1);
      await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
      expect(await bench.json("recur.tag", "r", ...tags)).toEqual(tags);
      await bench.call("tick");
      expect((await bench.json("get", "r-1")).tags).toEqual(tags);
      expect(await bench.json("recur.untag", "r", ...tags)).toEqual([]);
      await bench.call("cancel", "r-1");
    });

    test("of 10,000 dependencies may be put, and dropped", SLOW, async () => {
      const bench = await open();
      const depends = await put(bench, MANY);
      await bench.put("r", "a", { depends });
      expect((await bench.json("get", "a")).dependencies).toHaveLength(MANY);
      expect((await bench.json("explain", "a")).reasons[0]).toMatchObject({ count: MANY });
      expect(await bench.call("depends", "a", "off", ...depends.slice(1))).toBe(1);
      expect((await bench.json("get", "a")).dependencies).toEqual([name(0)]);
      expect(await bench.call("depends", "a", "on", ...depends.slice(0, MANY - 1))).toBe(1);
      expect(await bench.call("depends", "a", "off", "all")).toBe(1);
      expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
    });

    test("of 10,000 dependencies is the most that a job may have", SLOW, async () => {
      const bench = await open();
      const depends = await put(bench, MANY);
      await bench.put("r", "a", { depends });
      await bench.put("r", "one");
      expect(await bench.call("depends", "a", "on", ...depends)).toBe(1);
      await refused(bench.call("depends", "a", "on", "one"), "BAD_ARGUMENT");
      expect(await bench.call("depends", "a", "off", depends[0]!)).toBe(1);
      expect(await bench.call("depends", "a", "on", "one")).toBe(1);
      await bench.call("depends", "a", "off", "all");
    });

    test("of 1,000 jobs may wait for each other in a row, but not in a ring", SLOW, async () => {
      const bench = await open();
      const jids = Array.from({ length: 1000 }, (_, i) => name(i));
      const words = (last: string) =>
        jids.flatMap((jid, i) => {
          const on = jids[i + 1] ?? last;
          return ["q", jid, "k", "{}", 0, 2, "depends", JSON.stringify([on])];
        });
      await refused(bench.call("put.many", "w", ...words(name(0))), "CYCLE");
      expect(await bench.call("jobs", "depends", "q")).toEqual([]);
      expect(await bench.call("put.many", "w", ...words("nobody"))).toEqual(jids);
      expect(jidsOf(await bench.pop("q", "w", 10))).toEqual([name(999)]);
      await refused(bench.put("q", name(998), { depends: [name(0)] }), "CYCLE");
    });

    test("of more dependencies than can be followed is refused", SLOW, async () => {
      const bench = await open();
      const depends = await put(bench, MANY);
      for (const jid of ["a", "b", "c"]) await bench.put("r", jid, { depends });
      await refused(bench.put("r", "d", { depends: ["a", "b", "c"] }), "CYCLE");
      expect(await bench.json("get", "d")).toBeNull();
    });

    test("of 10,000 dependents is released in slices", SLOW, async () => {
      const bench = await open();
      await bench.put("first", "before");
      const jids = await put(bench, MANY, ["depends", '["before"]']);
      await refused(bench.call("cancel", "before"), "HAS_DEPENDENTS");
      await bench.pop("first", "w");
      await bench.call("complete", "before", "w", "first", "{}");
      for (let more = true; more; ) {
        const tick = await bench.json("tick");
        expect(tick.released).toBeLessThanOrEqual(500);
        more = tick.more;
      }
      expect(jidsOf(await bench.pop("q", "w", MANY))).toEqual(jids);
    });

    test("of 10,000 queues is paused, forgotten and popped from", SLOW, async () => {
      const bench = await open();
      const queues = some(MANY);
      await bench.call("pause", ...queues);
      expect(await bench.json("queues", name(MANY - 1))).toMatchObject({ paused: true });
      await bench.call("unpause", ...queues);
      await bench.put(name(MANY - 1), "a");
      const also = JSON.stringify(queues.slice(1));
      expect(await bench.call("pop", queues[0]!, "w", 1, "also", also)).toHaveLength(1);
      await bench.call("queue.forget", ...queues);
      await bench.call("worker.deregister", ...queues);
      expect(await bench.json("queues")).toEqual([]);
    });

    test("of 10,000 failed jobs is unfailed in one call, in its order", SLOW, async () => {
      const bench = await open();
      const jids = await put(bench, MANY);
      await bench.pop("q", "w", MANY);
      for (let i = 0; i < MANY; i += 1000) {
        const outcomes = jids.slice(i, i + 1000).flatMap((jid) => {
          return ["fail", jid, "", 4, "group", "g", "message", "m"];
        });
        await bench.call("finish", "w", 0, "[]", ...outcomes);
      }
      expect(await bench.json("failed")).toEqual({ g: MANY });
      expect((await bench.json("failed", "g", 0, MANY)).jobs).toEqual([...jids].reverse());
      expect(await bench.call("unfail", "q", "g", MANY)).toBe(MANY);
      expect(jidsOf(await bench.pop("q", "w", MANY))).toEqual(jids);
    });

    for (const command of ["multiget", "cancel", "timeout", "pause", "queue.forget"] as const) {
      test(`of 10,001 names is refused by ${command}`, async () => {
        const bench = await open();
        await bench.put("q", name(0));
        const names = some(MANY + 1);
        await refused(bench.call(command, ...names), "BAD_ARGUMENT", /more than 10000/);
        expect(await bench.json("get", name(0))).toMatchObject({ state: "waiting" });
      });
    }

    test("of 10,001 dependencies or queues is refused", async () => {
      const bench = await open();
      const names = some(MANY + 1);
      await refused(bench.put("q", "a", { depends: names }), "BAD_ARGUMENT", /more than 10000/);
      const pop = bench.call("pop", "q", "w", 1, "also", JSON.stringify(names));
      await refused(pop, "BAD_ARGUMENT", /more than 10000/);
      expect(await bench.json("queues")).toEqual([]);
    });
  },
  HOMES_OF_LONG_LISTS,
);

everyEngine("a count above 10,000", (open) => {
  test("is read as 10,000", SLOW, async () => {
    const bench = await open();
    const jids = some(MANY + 5);
    for (let i = 0; i < jids.length; i += 1000) {
      const jobs = jids.slice(i, i + 1000).flatMap((jid) => ["q", jid, "k", "{}", 0, 0]);
      await bench.call("put.many", "w", ...jobs);
    }
    expect(await bench.call("jobs", "waiting", "q", 0, 1e6)).toHaveLength(MANY);
    expect(await bench.call("jobs", "waiting", "q", MANY, 1e6)).toHaveLength(5);
    expect(await bench.json("peek", "q", 1e6)).toHaveLength(MANY);
    expect(await bench.pop("q", "w", 1e6)).toHaveLength(MANY);
    expect(await bench.json("queues", "q")).toMatchObject({ running: MANY, waiting: 5 });
    expect(await bench.json("queues", "", 0, 1e6)).toHaveLength(1);
    expect(await bench.json("failed", "none", 1e6, 1e6)).toEqual({ total: 0, jobs: [] });
    expect(await bench.json("tag", "get", "none", 1e6, 1e6)).toEqual({ total: 0, jobs: [] });
    expect(await bench.call("unfail", "q", "none", 1e6)).toBe(0);
  });
});

everyEngine("a batch", (open) => {
  const putMany = (count: number) => some(count).flatMap((jid) => ["q", jid, "k", "{}", 0, 0]);

  test("of a thousand jobs is put, renewed and finished, each with an answer", async () => {
    const bench = await open();
    expect(await bench.call("put.many", "w", ...putMany(1000))).toEqual(some(1000));
    const popped = await bench.pop("q", "w", 1000);
    const beats = popped.flatMap(({ jid, lease }) => [jid, lease, ""]);
    const renewed = (await bench.call("heartbeat.many", "w", ...beats)) as string[][];
    expect(renewed).toEqual(Array(1000).fill("1000060"));
    const outcomes = popped.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
    const answers = await bench.call("finish", "w", 0, "[]", ...outcomes);
    expect(answers).toEqual(Array(1000).fill("complete"));
    expect(await bench.call("jobs", "complete", 0, -1)).toHaveLength(1000);
  });

  test("of a thousand and one jobs is refused whole", async () => {
    const bench = await open();
    const most = "More than 1000 jobs in one call";
    await refused(bench.call("put.many", "w", ...putMany(1001)), "BAD_ARGUMENT", most);
    expect(await bench.json("queues")).toEqual([]);
    await bench.put("q", name(0));
    await bench.pop("q", "w");
    const outcomes = some(1001).flatMap((jid) => ["complete", jid, "", 0]);
    await refused(bench.call("finish", "w", 0, "[]", ...outcomes), "BAD_ARGUMENT", most);
    const beats = some(1001).flatMap((jid) => [jid, "", ""]);
    await refused(bench.call("heartbeat.many", "w", ...beats), "BAD_ARGUMENT", most);
    expect(await bench.json("get", name(0))).toMatchObject({ state: "running" });
  });
});
