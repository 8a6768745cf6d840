import { expect, test } from "vitest";
import { everyEngine, jidsOf, refused } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  contents,
  refusesEach,
  resent,
  STATES,
  told,
} from "./behaviour.ts";

everyEngine("move", (open) => {
  test.each(STATES)("puts a job that is %s into another queue", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const after = state === "depends" ? "depends" : "waiting";
    expect(await bench.later(5).call("move", "r", "a")).toEqual([after]);
    const job = await bench.json("get", "a");
    expect(job).toMatchObject({ state: after, queue: "r", worker: "", remaining: 5 });
    expect(job.history.at(-1)).toEqual({ what: "put", when: bench.now, q: "r" });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, running: 0, scheduled: 0 });
  });

  test.each(STATES)("without a queue leaves a job that is %s in its own", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const after = state === "depends" ? "depends" : "waiting";
    expect(await bench.call("move", "", "a")).toEqual([after]);
    expect(await bench.json("get", "a")).toMatchObject({ state: after, queue: "q" });
  });

  test("keeps everything that was said of the job", async () => {
    const bench = await open();
    const said = {
      priority: 3,
      retries: 1,
      tags: ["x", "y"],
      source: "s",
      cutoff: 100,
      unique: "u",
    };
    await bench.put("q", "a", {
      ...said,
      klass: "k",
      data: '{"n":1}',
      backoff: "fixed 5",
      context: '{"a":1}',
    });
    const before = await bench.json("get", "a");
    await bench.call("move", "r", "a");
    const { history: _, ...after } = await bench.json("get", "a");
    const { history: __, ...kept } = before;
    expect(after).toEqual({ ...kept, queue: "r" });
    expect((await bench.json("tag", "get", "x")).jobs).toEqual(["a"]);
  });

  test("gives back the retries and takes the job out of its group", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 2 });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", "message");
    expect(await bench.json("get", "a")).toMatchObject({ remaining: 1 });
    expect(await bench.call("move", "", "a")).toEqual(["waiting"]);
    expect(await bench.json("get", "a")).toMatchObject({ remaining: 2, retries: 2 });
    expect(await bench.json("failed")).toEqual({});
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 0, failures: 1 });
  });

  test("gives a job without retries of its own those of the queue", async () => {
    const bench = await open();
    await bench.call("config.set", "r-retries", 1);
    await bench.put("q", "a");
    await bench.call("move", "r", "a");
    expect(await bench.json("get", "a")).toMatchObject({ retries: 1, remaining: 1 });
    await bench.call("move", "q", "a");
    expect(await bench.json("get", "a")).toMatchObject({ retries: 5, remaining: 5 });
  });

  test("drops the delay of a job, also while it waits for others", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.put("q", "a", { delay: 100 });
    await bench.put("q", "b", { delay: 100, depends: ["before"] });
    expect(await bench.call("move", "", "a", "b")).toEqual(["waiting", "depends"]);
    expect(await bench.json("get", "a")).toMatchObject({ scheduled: null });
    expect(await bench.json("get", "b")).toMatchObject({
      scheduled: null,
      dependencies: ["before"],
    });
  });

  test("judges each job on its own, and answers in their order", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    expect(await bench.call("move", "other", "b", "none", "a", "r")).toEqual([
      "waiting",
      "NO_SUCH_JOB Job none does not exist",
      "waiting",
      "NO_SUCH_JOB Job r does not exist",
    ]);
    expect(jidsOf(await bench.pop("other", "w", 5))).toEqual(["b", "a"]);
  });

  test("moves a job once that is named twice", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("move", "q", "a", "a")).toEqual(["waiting", "waiting"]);
    expect((await bench.json("get", "a")).history).toHaveLength(2);
    expect(await bench.call("length", "q")).toBe(1);
  });

  test("does not bring back what is left of a tracked job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    expect(await bench.call("move", "q", "a")).toEqual(["NO_SUCH_JOB Job a does not exist"]);
    expect(await bench.call("length", "q")).toBe(0);
  });

  test("keeps the order of the call, behind those that are there", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.call("move", "", "b", "a");
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["c", "b", "a"]);
  });

  test("makes the queue known", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("move", "new", "a");
    expect((await bench.json("queues")).map(({ name }: { name: string }) => name)).toContain("new");
  });

  test("announces the puts together, then the locks that are lost, then tracked jobs", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.pop("q", "w");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(() => bench.call("move", "r", "a", "none", "b"));
    const lost = { event: "lock_lost", jid: "a", worker: "w", moved: "r" };
    expect(told(heard)).toEqual([
      ["log", { event: "put", jids: ["a", "b"], queue: "r" }],
      ["w:w", lost],
      ["log", lost],
      ["put", "a"],
    ]);
  });

  test("refuses the worker whose job it took", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    await bench.call("move", "", "a");
    await refused(bench.call("complete", "a", "w", "q", "{}", "lease", lease), "NOT_RUNNING");
  });

  test("changes nothing when none of the jobs exists", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const before = await contents(bench);
    expect(await bench.call("move", "new", "x")).toEqual(["NO_SUCH_JOB Job x does not exist"]);
    expect(await contents(bench)).toEqual(before);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "failed");
    expect(await resent(bench, "move", "r", "a", "x")).toEqual([
      "waiting",
      "NO_SUCH_JOB Job x does not exist",
    ]);
  });

  const many = Array.from({ length: 1001 }, (_, i) => `j${i}`);
  const BAD: BadCall[] = [
    ...badCalls(["q", "a"], [["queue", "name?"]]),
    ["no jids", ["q"], 'Arg "jids" missing'],
    ["an empty jid", ["q", "a", ""], /^Arg "jids" must be/],
    ["a jid that cannot be", ["q", "a\n"], /^Arg "jids" must be/],
    ["too many jids", ["q", ...many], "More than 1000 jobs in one call"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "move", BAD);
  });
});
