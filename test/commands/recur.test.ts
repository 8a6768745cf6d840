import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach } from "../told.ts";

everyEngine("recur", (open) => {
  async function opened() {
    const bench = await open();
    const recur = (
      interval: number | string,
      offset: number | string,
      ...rest: (string | number)[]
    ) => bench.call("recur", "q", "r", "klass", '{"n":1}', "interval", interval, offset, ...rest);
    return { bench, recur };
  }
  const children = async (bench: Bench) => jidsOf(await bench.pop("q", "w", 1000));

  test("defines a job that is put again at every interval", async () => {
    const { bench, recur } = await opened();
    expect(await recur(60, 10)).toBe("r");
    expect(await bench.later(9.999).call("length", "q")).toBe(0);
    expect(await children(bench)).toEqual([]);
    expect(await children(bench.later(0.001))).toEqual(["r-1"]);
    expect(await children(bench.later(59.999))).toEqual([]);
    expect(await children(bench.later(0.001))).toEqual(["r-2"]);
    expect((await bench.json("recur.get", "r")).count).toBe(2);
  });

  test("makes children that are ordinary jobs and say where they come from", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0, "priority", 3, "tags", '["x","y","x"]', "retries", 2);
    await bench.later(5).call("tick");
    expect(await bench.json("get", "r-1")).toMatchObject({
      jid: "r-1",
      klass: "klass",
      queue: "q",
      state: "waiting",
      data: '{"n":1}',
      priority: 3,
      tags: ["x", "y"],
      retries: 2,
      remaining: 2,
      spawned_from_jid: "r",
      history: [{ what: "put", q: "q", when: 1_000_000 }],
    });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["r-1"] });
    const [job] = await bench.pop("q", "w");
    expect(job).toMatchObject({ jid: "r-1", spawned_from_jid: "r", priority: 3, retries: 2 });
    expect(await bench.call("complete", "r-1", "w", "q", "{}")).toBe("complete");
  });

  test("gives children no retries unless told otherwise", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0);
    await bench.call("tick");
    expect(await bench.json("get", "r-1")).toMatchObject({ priority: 0, tags: [], retries: 0 });
  });

  test("makes up for missed children one by one", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0);
    expect(await children(bench.later(150))).toEqual(["r-1", "r-2", "r-3"]);
    const when = (await bench.json("multiget", "r-1", "r-2", "r-3")).map(
      ({ history }: { history: { when: number }[] }) => history[0]!.when,
    );
    expect(when).toEqual([1_000_000, 1_000_060, 1_000_120]);
  });

  for (const late of [0, 59, 60, 61]) {
    test(`makes up for as many missed children as the backlog says, ${late} s on`, async () => {
      const { bench, recur } = await opened();
      await recur(60, 0, "backlog", 3);
      expect(await children(bench.later(600 + late))).toHaveLength(3);
      const next = 1_000_660 + (late >= 60 ? 60 : 0);
      expect((await bench.json("recur.get", "r")).next).toBe(next);
    });
  }

  test("makes up for fewer when fewer were missed", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0, "backlog", 3);
    expect(await children(bench.later(60))).toHaveLength(2);
  });

  test("lets a child stand where it would stand had it been put in time", async () => {
    const { bench, recur } = await opened();
    await recur(60, 10);
    await bench.put("q", "before");
    await bench.later(20).put("q", "after");
    expect(await children(bench)).toEqual(["before", "r-1", "after"]);
    expect((await bench.json("stats", "q", bench.now)).wait.histogram[10]).toBe(1);
  });

  test("keeps fractions of a second in offsets and intervals", async () => {
    const { bench, recur } = await opened();
    await recur(0.25, 0.1);
    expect(await children(bench.later(0.099))).toEqual([]);
    expect(await children(bench.later(0.001))).toEqual(["r-1"]);
    expect(await children(bench.later(0.249))).toEqual([]);
    expect(await children(bench.later(0.001))).toEqual(["r-2"]);
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_000.6);
  });

  test("takes a time in the past as the first child's", async () => {
    const { bench, recur } = await opened();
    await recur(60, -90);
    expect(await children(bench)).toEqual(["r-1", "r-2"]);
  });

  test("is not lost when its first child would be older than time", async () => {
    const { bench, recur } = await opened();
    bench.at(1000);
    await recur(600, -2000);
    await bench.call("tick");
    expect(await bench.call("length", "q")).toBeGreaterThan(0);
  });

  test("redefined, keeps counting and forgets the options of before", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0, "priority", 3, "tags", '["x"]', "retries", 2, "backlog", 7);
    await bench.call("tick");
    await bench.call("recur", "other", "r", "new", "[]", "interval", 30, 5);
    expect(await bench.json("recur.get", "r")).toEqual({
      jid: "r",
      klass: "new",
      state: "recur",
      queue: "other",
      priority: 0,
      interval: 30,
      retries: 0,
      count: 1,
      data: "[]",
      tags: [],
      backlog: 0,
      next: 1_000_005,
    });
    expect(await bench.call("jobs", "recurring", "q")).toEqual([]);
    expect(await bench.call("jobs", "recurring", "other")).toEqual(["r"]);
    expect(jidsOf(await bench.later(5).pop("other", "w", 10))).toEqual(["r-2"]);
  });

  test("after unrecur, overwrites no child that is still there", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0);
    await bench.later(120).pop("q", "w");
    await bench.call("unrecur", "r");
    await recur(60, 0);
    await bench.call("tick");
    expect(await bench.json("get", "r-1")).toMatchObject({ state: "running", worker: "w" });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 3, running: 1 });
    const left = await children(bench);
    expect(new Set(["r-1", ...left]).size).toBe(4);
  });

  test("makes no child that is listed as tracked without being it", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0);
    await bench.call("tick");
    await bench.call("track", "track", "r-1");
    await bench.call("cancel", "r-1");
    await bench.call("unrecur", "r");
    await recur(60, 0);
    await bench.call("tick");
    const [child] = await bench.json("peek", "q", 1);
    const { jobs } = await bench.json("track");
    expect(child.tracked).toBe(jobs.length === 1);
  });

  test("has nothing to do with a job of the same jid", async () => {
    const { bench, recur } = await opened();
    await bench.put("q", "r", { data: "1" });
    await recur(60, 60);
    expect(await bench.json("get", "r")).toMatchObject({ data: "1", state: "waiting" });
    await bench.call("cancel", "r");
    expect(await bench.json("recur.get", "r")).toMatchObject({ data: '{"n":1}' });
  });

  test("makes its queue known, and counts there as recurring", async () => {
    const { bench, recur } = await opened();
    await recur(60, 60);
    expect(await bench.json("queues")).toMatchObject([{ name: "q", recurring: 1, waiting: 0 }]);
  });

  test("lets pop make children of its own queue only, and tick of all, paused ones too", async () => {
    const { bench, recur } = await opened();
    await recur(60, 0);
    await bench.call("recur", "other", "s", "klass", "{}", "interval", 60, 0);
    await bench.call("pause", "other");
    expect(await children(bench)).toEqual(["r-1"]);
    expect(await bench.call("length", "other")).toBe(0);
    expect(await bench.json("tick")).toMatchObject({ moved: 1 });
    expect(await bench.call("length", "other")).toBe(1);
  });

  test("makes at most a hundred children at once, and the rest with the next look", async () => {
    const { bench, recur } = await opened();
    await recur(1, 0);
    bench.later(249);
    expect(await children(bench)).toHaveLength(100);
    expect(await children(bench)).toHaveLength(100);
    expect(await children(bench)).toHaveLength(50);
    expect((await bench.json("recur.get", "r")).count).toBe(250);
  });

  test("announces each child as put, and its own definition not at all", async () => {
    const { bench, recur } = await opened();
    expect(await heard(bench, () => recur(60, 0))).toEqual([]);
    const events = await heard(bench, () => bench.later(60).call("tick"));
    expect(events).toEqual([
      ["log", { event: "put", jid: "r-1", queue: "q" }],
      ["log", { event: "put", jid: "r-2", queue: "q" }],
    ]);
  });

  test("refuses bad arguments", async () => {
    const { bench } = await opened();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0, "priority", 7);
    const r = (...args: (string | number)[]) => ["q", "r", "k", "{}", "interval", 5, 0, ...args];
    const greater = 'Arg "interval" must be greater than 0';
    await refusesEach(bench, "recur", [
      [[], missing("queue")],
      [["q"], missing("jid")],
      [["q", "r"], missing("klass")],
      [["q", "r", "k"], missing("data")],
      [["q", "r", "k", "{}"], missing("spec")],
      [["q", "r", "k", "{}", "interval"], missing("interval")],
      [["q", "r", "k", "{}", "interval", 5], missing("offset")],
      [["", "r", "k", "{}", "interval", 5, 0], badName("queue")],
      [["q", "", "k", "{}", "interval", 5, 0], badName("jid")],
      [["q", LONG, "k", "{}", "interval", 5, 0], badName("jid")],
      [["q", "r", "k\n", "{}", "interval", 5, 0], badName("klass")],
      [["q", "r", "k", "{}", "cron", 5, 0], "schedule type unknown: must be interval"],
      [["q", "r", "k", "{}", "interval", "often", 0], 'Arg "interval" not a number: often'],
      [["q", "r", "k", "{}", "interval", 0, 0], greater],
      [["q", "r", "k", "{}", "interval", -1, 0], greater],
      [["q", "r", "k", "{}", "interval", 0.0004, 0], greater],
      [["q", "r", "k", "{}", "interval", 1e10, 0], /"interval" must be from/],
      [["q", "r", "k", "{}", "interval", 5, "soon"], 'Arg "offset" not a number: soon'],
      [["q", "r", "k", "{}", "interval", 5, "nan"], 'Arg "offset" not a number: nan'],
      [["q", "r", "k", "{}", "interval", 5, 1e10], /"offset" must be from/],
      [r("tags"), /^Odd number of additional args/],
      [r("depends", "[]"), /^Unknown option depends: it takes priority, tags, retries, backlog$/],
      [r("tags", "x"), 'Arg "tags" not JSON array of texts: x'],
      [r("tags", '{"x":1}'), /^Arg "tags" not JSON array of texts/],
      [r("tags", "[1]"), 'Arg "tags" not JSON array of texts: [1]'],
      [r("tags", '["a\\nb"]'), badName("tags")],
      [r("priority", "high"), 'Arg "priority" not a number: high'],
      [r("retries", "few"), 'Arg "retries" not a number: few'],
      [r("retries", -1), 'Arg "retries" must not be negative: -1'],
      [r("retries", 1.5), 'Arg "retries" not a whole number: 1.5'],
      [r("backlog", "few"), 'Arg "backlog" not a number: few'],
      [r("backlog", -1), 'Arg "backlog" must not be negative: -1'],
    ]);
  });
});
