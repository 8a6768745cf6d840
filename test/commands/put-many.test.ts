import { expect, test } from "vitest";
import {
  type Bench,
  everyEngine,
  jidsOf,
  optionWords,
  type PutOptions,
  refused,
} from "../engines.ts";
import {
  type BadCall,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  STATES,
  told,
  type Words,
} from "./behaviour.ts";

/** One job of the batch as words. */
function job(queue: string, jid: string, options: PutOptions = {}): Words {
  const { delay = 0, data = "{}", klass = "klass", ...rest } = options;
  const words = optionWords(rest);
  return [queue, jid, klass, data, delay, words.length, ...words];
}

/** One that is as the job before it, but for jid and data. */
const like = (jid: string, data = "{}"): Words => ["\t", jid, data];

const putMany = (bench: Bench, ...jobs: Words[]) => bench.call("put.many", "w", ...jobs.flat());

everyEngine("put.many", (open) => {
  test("puts several jobs, and tells their jids in the order given", async () => {
    const bench = await open();
    expect(await putMany(bench, job("q", "b"), job("r", "a"), job("q", "c"))).toEqual([
      "b",
      "a",
      "c",
    ]);
    expect(await bench.json("multiget", "b", "a", "c")).toMatchObject([
      { queue: "q", state: "waiting" },
      { queue: "r", state: "waiting" },
      { queue: "q", state: "waiting" },
    ]);
  });

  test("puts one job as put does", async () => {
    const [one, many] = [await open(), await open()];
    const options = {
      delay: 5,
      priority: -1,
      tags: ["x", "y"],
      retries: 2,
      source: "s",
      backoff: "fixed 3",
      cutoff: 9,
    };
    await one.put("q", "a", options);
    await putMany(many, job("q", "a", options));
    expect(await many.json("get", "a")).toEqual(await one.json("get", "a"));
  });

  test("gives each job its own options", async () => {
    const bench = await open();
    await putMany(
      bench,
      job("q", "a", { priority: 1, tags: ["x"] }),
      job("q", "b", { retries: 0, data: "[1]", klass: "other" }),
      job("q", "c", { delay: 10, source: "s" }),
    );
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { priority: 1, tags: ["x"], retries: 5, data: "{}", klass: "klass", state: "waiting" },
      { priority: 0, tags: [], retries: 0, data: "[1]", klass: "other", state: "waiting" },
      { priority: 0, source: "s", state: "scheduled", scheduled: 1_000_010 },
    ]);
  });

  test("puts a job as the one before it with a tab, a jid and data", async () => {
    const bench = await open();
    const options = { delay: 10, priority: 2, tags: ["x"], retries: 1, klass: "other" };
    const words = [
      job("q", "a"),
      like("b", "[1]"),
      job("r", "c", options),
      like("d"),
      like("e"),
      job("q", "f"),
    ];
    expect(await putMany(bench, ...words)).toEqual(["a", "b", "c", "d", "e", "f"]);
    const plain = { queue: "q", klass: "klass", state: "waiting", priority: 0, tags: [] };
    const other = { queue: "r", klass: "other", state: "scheduled", scheduled: 1_000_010 };
    const more = { priority: 2, tags: ["x"], retries: 1, data: "{}" };
    expect(await bench.json("multiget", "a", "b", "c", "d", "e", "f")).toMatchObject([
      { ...plain, data: "{}" },
      { ...plain, data: "[1]" },
      { ...other, ...more },
      { ...other, ...more },
      { ...other, ...more },
      plain,
    ]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["a", "b", "f"]);
  });

  test.each(STATES)("puts a job that is %s as the one before it", async (state) => {
    const bench = await open();
    await bring(bench, state);
    await putMany(bench, job("r", "b"), like("a"));
    const jids = jidsOf(await bench.pop("r", "w", 5));
    expect(jids).toEqual(state === "depends" ? ["b"] : ["b", "a"]);
  });

  test("keeps the order of the batch within a priority", async () => {
    const bench = await open();
    const jids = Array.from({ length: 1_000 }, (_, i) => `j${(i * 7919) % 1000}`);
    await putMany(bench, ...jids.map((jid) => job("q", jid)));
    expect(jidsOf(await bench.pop("q", "w", 1_000))).toEqual(jids);
  });

  test("keeps the order between batches of the same millisecond", async () => {
    const bench = await open();
    await putMany(bench, job("q", "z"), job("q", "y"));
    await bench.put("q", "x");
    await putMany(bench, job("q", "b"), job("q", "a"));
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["z", "y", "x", "b", "a"]);
  });

  test.each(STATES)("moves a job that is %s and puts a new one beside it", async (state) => {
    const bench = await open();
    await bring(bench, state);
    await putMany(bench, job("r", "b"), job("r", "a", { priority: -1 }));
    const jids = jidsOf(await bench.pop("r", "w", 5));
    expect(jids).toEqual(state === "depends" ? ["b"] : ["a", "b"]);
    expect(await bench.json("failed")).toEqual({});
  });

  test("gives jobs the retries of their queue", async () => {
    const bench = await open();
    await bench.call("config.set", "q-retries", 1);
    await putMany(bench, job("q", "a"), job("q", "b", { retries: 3 }), job("r", "c"));
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { retries: 1 },
      { retries: 3 },
      { retries: 5 },
    ]);
  });

  test("lets jobs depend on others of the batch, before or behind them", async () => {
    const bench = await open();
    await putMany(
      bench,
      job("q", "last", { depends: ["middle", "first"] }),
      job("q", "first"),
      job("q", "middle", { depends: ["first"] }),
    );
    expect(await bench.json("multiget", "last", "first", "middle")).toMatchObject([
      { state: "depends", dependencies: ["first", "middle"] },
      { state: "waiting", dependents: ["last", "middle"] },
      { state: "depends", dependencies: ["first"], dependents: ["last"] },
    ]);
    for (const jid of ["first", "middle", "last"]) {
      expect(jidsOf(await bench.pop("q", "w", 9))).toEqual([jid]);
      await bench.call("complete", jid, "w", "q", "{}");
    }
  });

  test("waits for a completed job that the same batch puts again", async () => {
    const bench = await open();
    await bring(bench, "complete", "b");
    await putMany(bench, job("q", "a", { depends: ["b"] }), job("q", "b"));
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["b"] });
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["b"]);
    await bench.call("complete", "b", "w", "q", "{}");
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["a"]);
  });

  test("turns a dependency round", async () => {
    const bench = await open();
    await putMany(bench, job("q", "a", { depends: ["b"] }), job("q", "b"), job("q", "c"));
    await putMany(bench, job("q", "a", { depends: ["c"] }), job("q", "b", { depends: ["a"] }));
    expect(await bench.json("multiget", "a", "b")).toMatchObject([
      { dependencies: ["c"], dependents: ["b"] },
      { dependencies: ["a"], dependents: [] },
    ]);
  });

  test("refuses a cycle within the batch, and puts none of it", async () => {
    const bench = await open();
    await bench.put("q", "other");
    const jobs = [
      job("q", "fine"),
      job("q", "a", { depends: ["b"] }),
      job("q", "b", { depends: ["c"] }),
      job("q", "c", { depends: ["a"] }),
    ];
    const words = jobs.flat();
    await refusedInVain(bench, ["put.many", "w", ...words], "CYCLE", /would depend on itself$/);
    expect(await bench.json("multiget", "fine", "a", "b", "c")).toEqual([]);
  });

  test("refuses a cycle through what a job keeps that names no dependencies anew", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    const words = [job("q", "b", { depends: [] }), job("q", "a", { depends: ["b"] })].flat();
    await refusedInVain(bench, ["put.many", "w", ...words], "CYCLE");
  });

  test("refuses a cycle through a job that was there before", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    const words = [job("q", "c", { depends: ["b"] }), job("q", "a", { depends: ["c"] })].flat();
    await refusedInVain(bench, ["put.many", "w", ...words], "CYCLE");
  });

  test("announces the puts in the order of the batch, those of one queue at once", async () => {
    const bench = await open();
    const words = [job("q", "a"), job("q", 'b"/é'), job("r", "c"), job("q", "d")].flat();
    const heard = await bench.hearing(() => bench.call("put.many", "w", ...words));
    expect(told(heard)).toEqual([
      ["log", { event: "put", jids: ["a", 'b"/é'], queue: "q" }],
      ["log", { event: "put", jid: "c", queue: "r" }],
      ["log", { event: "put", jid: "d", queue: "q" }],
    ]);
  });

  test("tells of a hundred jobs at once, and of more in pieces", async () => {
    const bench = await open();
    const jids = Array.from({ length: 201 }, (_, i) => `j${i}`);
    const words = jids.flatMap((jid) => job("q", jid));
    const heard = await bench.hearing(() => bench.call("put.many", "w", ...words));
    expect(told(heard)).toEqual([
      ["log", { event: "put", jids: jids.slice(0, 100), queue: "q" }],
      ["log", { event: "put", jids: jids.slice(100, 200), queue: "q" }],
      ["log", { event: "put", jid: "j200", queue: "q" }],
    ]);
  });

  test("announces all puts before what they do to others", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("put.many", "other", ...job("r", "b"), ...job("r", "a"), ...job("r", "c"));
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w", moved: "r" };
    expect(told(heard)).toEqual([
      ["log", { event: "put", jids: ["b", "a", "c"], queue: "r" }],
      ["w:w", lost],
      ["log", lost],
      ["put", "a"],
    ]);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    const words = [job("q", "a"), job("q", "b", { delay: 5 })].flat();
    expect(await resent(bench, "put.many", "w", ...words)).toEqual(["a", "b"]);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1, scheduled: 1 });
  });

  test("takes a thousand jobs, and refuses one more", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 1_001 }, (_, i) => job("q", `j${i}`));
    const reason = "More than 1000 jobs in one call";
    await refused(putMany(bench, ...jobs), "BAD_ARGUMENT", reason);
    expect(await bench.json("queues")).toEqual([]);
    expect(await putMany(bench, ...jobs.slice(1))).toHaveLength(1_000);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1_000 });
  });

  const CUT = "The last job is cut short: queue, jid, klass, data, delay, options";
  const good = job("q", "good", { tags: ["x"] });
  const BAD: BadCall[] = [
    ["no worker", [], 'Arg "worker" missing'],
    ["no jobs", ["w"], 'Arg "jobs" missing'],
    ["a bad worker", ["a\nb", ...good], /^Arg "worker" must be 1 to 255 bytes/],
    ["a job without options' number", ["w", ...good, "q", "a", "klass", "{}", 0], CUT],
    ["a job of one word", ["w", ...good, "q"], CUT],
    ["fewer options than said", ["w", ...good, "q", "a", "klass", "{}", 0, 2, "priority"], CUT],
    ["options half", ["w", "q", "a", "klass", "{}", 0, "1.5"], /^Arg "options" not a whole/],
    ["options negative", ["w", "q", "a", "klass", "{}", 0, -2], /^Arg "options" must not be neg/],
    ["options a word", ["w", "q", "a", "klass", "{}", 0, "x"], 'Arg "options" not a number: x'],
    ["odd options", ["w", "q", "a", "klass", "{}", 0, 1, "priority"], /^Odd number of additional/],
    ["an unknown option", ["w", ...good, "q", "a", "k", "{}", 0, 2, "x", 1], /^Unknown option x/],
    [
      "a bad tag list",
      ["w", ...good, "q", "a", "k", "{}", 0, 2, "tags", 1],
      /^Arg "tags" not JSON/,
    ],
    ["a bad queue", ["w", ...good, ...job("", "a")], /^Arg "queue" must be 1 to 255 bytes/],
    ["a bad jid", ["w", ...good, ...job("q", "a\nb")], /^Arg "jid" must be 1 to 255 bytes/],
    ["a bad klass", ["w", ...good, ...job("q", "a", { klass: "" })], /^Arg "klass" must be 1 to/],
    [
      "a bad delay",
      ["w", ...good, "q", "a", "k", "{}", "soon", 0],
      'Arg "delay" not a number: soon',
    ],
    ["an empty delay", ["w", ...good, "q", "a", "k", "{}", "", 0], 'Arg "delay" not a number: '],
    ["a bad backoff", ["w", ...good, ...job("q", "a", { backoff: "x" })], /^Arg "backoff" must be/],
    ["a first job as the one before", ["w", ...like("a")], CUT],
    ["a first job as before, others", ["w", ...like("a"), ...good, ...good], /^Arg "options" not/],
    ["a job as before without data", ["w", ...good, "\t", "a"], CUT],
    ["a bad jid as before", ["w", ...good, ...like("a\nb")], /^Arg "jid" must be 1 to 255 bytes/],
    ["no jid as before", ["w", ...good, ...like("")], /^Arg "jid" must be 1 to 255 bytes/],
    [
      "a jid twice as before",
      ["w", ...good, ...like("good")],
      'Job good is in the call twice: give the second one "exists"',
    ],
    [
      "a jid twice",
      ["w", ...good, ...job("r", "good")],
      'Job good is in the call twice: give the second one "exists"',
    ],
  ];

  test("refuses arguments that cannot be, and puts none of the batch", async () => {
    const bench = await open();
    await bring(bench, "running", "running");
    await refusesEach(bench, "put.many", BAD);
    expect(await bench.json("get", "good")).toBeNull();
  });
});
