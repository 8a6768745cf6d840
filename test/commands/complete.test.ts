import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  statesBut,
  told,
  type Words,
} from "./behaviour.ts";

everyEngine("complete", (open) => {
  test("ends a run well, and says so", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(5).call("complete", "a", "w", "q", '{"done":1}')).toBe("complete");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "complete",
      queue: "",
      worker: "",
      expires: 0,
      lease: null,
      data: '{"done":1}',
      remaining: 5,
      failure: {},
    });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      what: "done",
      when: 1_000_005,
    });
    expect(await bench.call("jobs", "complete")).toEqual(["a"]);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, running: 0 });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
  });

  test.each(['{"n":123456789012345678}', "[]", "{}", ' {"a":[],"p":"a/b"} ', "null", "false"])(
    "keeps the data %s byte for byte",
    async (data) => {
      const bench = await open();
      await bring(bench, "running");
      await bench.call("complete", "a", "w", "q", data);
      expect((await bench.json("get", "a")).data).toBe(data);
    },
  );

  test("lists completed jobs, the newest first", async () => {
    const bench = await open();
    for (const jid of ["b", "c", "a"]) {
      await bring(bench.later(1), "complete", jid);
    }
    expect(await bench.call("jobs", "complete")).toEqual(["a", "c", "b"]);
  });

  test("gives back the retries that were spent, and forgets the failure", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w", 0, "group", "message");
    await bench.pop("q", "w");
    expect(await bench.json("get", "a")).toMatchObject({
      remaining: 4,
      failure: { group: "group" },
    });
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ remaining: 5, failure: {} });
  });

  test("counts how long the job ran, on the day and in the queue it completed in", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bring(bench.later(10), "running", "b");
    await bench.later(10.5).call("complete", "a", "w", "q", "{}");
    await bench.call("complete", "b", "w", "q", "{}");
    const { run, retries, failed, failures } = await bench.json("stats", "q", bench.now);
    expect(run).toMatchObject({ count: 2, mean: 15.5 });
    expect(run.std).toBeCloseTo(Math.sqrt(50), 9);
    expect(run.histogram[10]).toBe(1);
    expect(run.histogram[20]).toBe(1);
    expect([retries, failed, failures]).toEqual([0, 0, 0]);
    const tomorrow = await bench.json("stats", "q", bench.now + 86_400);
    expect(tomorrow.run.count).toBe(0);
  });

  test("tells those who track the job, then all", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bring(bench, "running", "b");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("complete", "a", "w", "q", "{}");
      await bench.call("complete", "b", "w", "q", "{}");
    });
    expect(told(heard)).toEqual([
      ["completed", "a"],
      ["log", { event: "completed", jid: "a", queue: "q" }],
      ["log", { event: "completed", jid: "b", queue: "q" }],
    ]);
  });

  test("accepts the lease that pop gave, and refuses any other", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const late: Words = ["a", "w", "q", "[1]", "lease", lease + 1];
    const reason = "Job a has been handed out again, under lease 1";
    await refusedInVain(bench, ["complete", ...late], "LOCK_LOST", reason);
    expect(await bench.call("complete", "a", "w", "q", "{}", "lease", lease)).toBe("complete");
  });

  test("refuses the old lease of a worker that was handed the job again", async () => {
    const bench = await open();
    const old = await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "w");
    const late: Words = ["a", "w", "q", "{}", "lease", old];
    await refusedInVain(bench, ["complete", ...late], "LOCK_LOST");
  });

  test("accepts work that is done after the lock expired, while nobody took the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(1000).call("complete", "a", "w", "q", "{}")).toBe("complete");
    expect(await bench.pop("q", "v")).toEqual([]);
  });

  test("completes a job of a paused queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("pause", "q");
    expect(await bench.call("complete", "a", "w", "q", "{}")).toBe("complete");
  });

  test("is refused once another worker has the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "v");
    const reason = "Job a has been handed out to another worker: v";
    await refusedInVain(bench, ["complete", "a", "w", "q", "[1]"], "LOCK_LOST", reason);
  });

  test("is refused in another queue than the job runs in", async () => {
    const bench = await open();
    await bring(bench, "running");
    const reason = "Job a running in another queue: q";
    await refusedInVain(bench, ["complete", "a", "w", "r", "[1]"], "WRONG_QUEUE", reason);
  });

  test.each(statesBut("running"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const reason = `Job a is not currently running: ${state}`;
    await refusedInVain(bench, ["complete", "a", "w", "q", "[1]"], "NOT_RUNNING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    const reason = "Job a does not exist";
    await refusedInVain(bench, ["complete", "a", "w", "q", "{}"], "NO_SUCH_JOB", reason);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const words: Words = ["a", "w", "q", "{}", "lease", lease];
    expect(await resent(bench, "complete", ...words)).toBe("complete");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ run: { count: 1 } });
  });

  test("removes completed jobs that are older than the history", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history", 100);
    await bench.put("q", "a", { tags: ["x"], source: "s" });
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    await bring(bench.at(1_000_099.999), "complete", "b");
    expect(await bench.json("get", "a")).not.toBeNull();
    await bring(bench.at(1_000_100), "running", "c");
    await bench.call("complete", "c", "w", "q", "{}");
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.call("jobs", "complete")).toEqual(["c", "b"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
  });

  test("removes the oldest completed jobs when there are too many", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history-count", 2);
    for (const jid of ["a", "b", "c", "d"]) await bring(bench.later(1), "complete", jid);
    expect(await bench.call("jobs", "complete")).toEqual(["d", "c"]);
    expect(await bench.json("multiget", "a", "b")).toEqual([]);
  });

  test.each([
    ["jobs-history", 0],
    ["jobs-history", -1],
    ["jobs-history-count", 0],
  ])("keeps no completed job with %s %d", async (setting, value) => {
    const bench = await open();
    await bench.call("config.set", setting, value);
    await bring(bench, "running", "b");
    await bench.put("r", "after", { depends: ["b"] });
    expect(await bench.call("complete", "b", "w", "q", "{}")).toBe("complete");
    expect(await bench.json("get", "b")).toBeNull();
    expect(await bench.call("jobs", "complete")).toEqual([]);
    expect((await bench.json("get", "after")).state).toBe("waiting");
  });

  test("removes old jobs a slice at a time", async () => {
    const bench = await open();
    const jids = Array.from({ length: 160 }, (_, i) => `j${i}`);
    await bench.call("put.many", "w", ...jids.flatMap((jid) => ["q", jid, "k", "{}", 0, 0]));
    await bench.pop("q", "w", 160);
    const outcomes = jids.flatMap((jid) => ["complete", jid, "", 0]);
    await bench.call("finish", "w", 0, "[]", ...outcomes);
    await bench.call("config.set", "jobs-history", 10);
    bench.later(10);
    const left: number[] = [];
    for (let i = 0; i < 6; i++) {
      await bring(bench, "complete", "last");
      left.push(((await bench.call("jobs", "complete", 0, -1)) as string[]).length - 1);
    }
    expect(left[0]).toBeGreaterThan(0);
    expect(left[0]).toBeLessThan(160);
    expect(left.at(-1)).toBe(0);
  });

  const GOOD: Words = ["a", "w", "q", "[1]"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["worker", "name"],
      ["queue", "name"],
      ["data", "anything"],
    ]),
    ["next without value", [...GOOD, "next"], /^Odd number of additional args/],
    [
      "an unknown option",
      [...GOOD, "nxt", "r"],
      /^Unknown option nxt: it takes next, delay, depend/,
    ],
    ["an empty next", [...GOOD, "next", ""], /^Arg "next" must be 1 to 255 bytes/],
    ["a delay without next", [...GOOD, "delay", 5], '"delay" cannot be used without a "next".'],
    [
      "depends without next",
      [...GOOD, "depends", "[]"],
      '"depends" cannot be used without a "next".',
    ],
    ["a delay that is a word", [...GOOD, "next", "r", "delay", "x"], 'Arg "delay" not a number: x'],
    ["a delay too long", [...GOOD, "next", "r", "delay", 2e9], /^Arg "delay" must be from /],
    [
      "depends that is a word",
      [...GOOD, "next", "r", "depends", "x"],
      /^Arg "depends" not JSON array/,
    ],
    ["a lease that is a word", [...GOOD, "lease", "x"], 'Arg "lease" not a whole number: x'],
    ["half a lease", [...GOOD, "lease", 1.5], 'Arg "lease" not a whole number: 1.5'],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench, "complete", BAD);
  });
});
