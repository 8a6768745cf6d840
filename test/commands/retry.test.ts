import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  statesBut,
  type Words,
} from "./behaviour.ts";

everyEngine("retry", (open) => {
  test("puts the job back to be tried again, and tells how many retries are left", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(5).call("retry", "a", "q", "w")).toBe(4);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "waiting",
      queue: "q",
      worker: "",
      expires: 0,
      lease: null,
      retries: 5,
      remaining: 4,
      failure: {},
    });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      what: "retried",
      worker: "w",
      when: 1_000_005,
    });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1, running: 0 });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.pop("q", "v")).toMatchObject([{ jid: "a", remaining: 4 }]);
  });

  test("puts the job behind those that wait", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b");
    await bench.call("retry", "a", "q", "w");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["b", "a"]);
  });

  test("schedules the job after a delay", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.call("retry", "a", "q", "w", 10.5)).toBe(4);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "scheduled",
      scheduled: 1_000_010.5,
    });
    expect(await bench.at(1_000_010).pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_010.5).pop("q", "w"))).toEqual(["a"]);
  });

  test.each([0, -1])("takes a delay of %d for none, whatever the backoff says", async (delay) => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "fixed 30" });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w", delay);
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", scheduled: null });
  });

  test("goes by the job's backoff, then the queue's, then the one that comes with it", async () => {
    const bench = await open();
    await bench.put("q", "own", { backoff: "fixed 30" });
    await bench.put("q", "queue");
    await bench.put("r", "given");
    await bench.call("config.set", "q-backoff", "fixed 20");
    await bench.pop("q", "w", 2);
    await bench.pop("r", "w");
    for (const [jid, queue] of [
      ["own", "q"],
      ["queue", "q"],
      ["given", "r"],
    ] as const) {
      await bench.call("retry", jid, queue, "w", "", "", "", "backoff", "linear 10");
    }
    const jobs = await bench.json("multiget", "own", "queue", "given");
    const due = jobs.map(({ scheduled }: { scheduled: number }) => scheduled);
    expect(due).toEqual([1_000_030, 1_000_020, 1_000_010]);
    await bench.later(10).pop("r", "w");
    const words = ["retry", "given", "", 2, "backoff", "linear 10"] as const;
    await bench.call("finish", "w", 0, "[]", ...words);
    expect(await bench.json("get", "given")).toMatchObject({ scheduled: 1_000_030 });
    const bad = ["given", "r", "w", "", "", "", "backoff", "never"];
    await refusedInVain(bench, ["retry", ...bad], "BAD_ARGUMENT", /^Arg "backoff" must be/);
  });

  test("notes the failure when group and message are given", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w", 0, "group", "message");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "waiting",
      failure: { group: "group", message: "message", when: 1_000_000, worker: "w" },
    });
    expect(await bench.json("failed")).toEqual({});
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 0, failures: 0 });
  });

  test("notes no failure of which only the group is given", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w", 0, "group");
    expect((await bench.json("get", "a")).failure).toEqual({});
  });

  test("counts as a retry of the day and the queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 1 });
  });

  test("counts the next wait from the retry, and no run", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(100).call("retry", "a", "q", "w");
    await bench.later(10).pop("q", "w");
    const { wait, run } = await bench.json("stats", "q", bench.now);
    expect(wait).toMatchObject({ count: 2, mean: 5 });
    expect(run.count).toBe(0);
  });

  test("is silent while a retry is left", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("retry", "a", "q", "w", 0, "group", "message");
    });
    expect(heard).toEqual([]);
  });

  test("keeps priority, tags, data and those who wait for the job", async () => {
    const bench = await open();
    await bench.put("q", "a", { priority: -2, tags: ["x"], data: "[1]" });
    await bench.put("r", "after", { depends: ["a"] });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    expect(await bench.json("get", "a")).toMatchObject({
      priority: -2,
      tags: ["x"],
      data: "[1]",
      dependents: ["after"],
    });
    await bench.put("q", "b");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["a", "b"]);
  });

  test("warns of the next lost lock even if the last one was warned of", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(60).pop("q", "v");
    await bench.call("retry", "a", "q", "w");
    await bench.pop("q", "w");
    expect(await bench.later(60).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", remaining: 4 });
  });

  test("accepts the lease that pop gave, and refuses any other", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const late: Words = ["a", "q", "w", "", "", "", "lease", lease + 1];
    const reason = "Job a has been handed out again, under lease 1";
    await refusedInVain(bench, ["retry", ...late], "LOCK_LOST", reason);
    expect(await bench.call("retry", "a", "q", "w", "", "", "", "lease", lease)).toBe(4);
  });

  test("is accepted after the lock expired, while nobody took the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(1000).call("retry", "a", "q", "w")).toBe(4);
  });

  test("is refused into another queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    const reason = "Job a running in another queue: q";
    await refusedInVain(bench, ["retry", "a", "r", "w"], "WRONG_QUEUE", reason);
  });

  test("is refused once another worker has the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "v");
    const reason = "Job a has been handed out to another worker: v";
    await refusedInVain(bench, ["retry", "a", "q", "w"], "LOCK_LOST", reason);
  });

  test.each(statesBut("running"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const reason = `Job a is not currently running: ${state}`;
    await refusedInVain(bench, ["retry", "a", "q", "w"], "NOT_RUNNING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await refusedInVain(bench, ["retry", "a", "q", "w"], "NO_SUCH_JOB", "Job a does not exist");
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await resent(bench, "retry", "a", "q", "w")).toBe(4);
    expect((await bench.json("get", "a")).remaining).toBe(4);
  });

  const GOOD: Words = ["a", "q", "w", 0, "group", "message"];

  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["queue", "name"],
      ["worker", "name"],
      ["delay", "number?"],
      ["group", "name?"],
    ]),
    ["a delay too long", ["a", "q", "w", 2e9], /^Arg "delay" must be from /],
    ["an odd option", [...GOOD, "lease"], /^Odd number of additional args/],
    ["an unknown option", [...GOOD, "luck", 1], /^Unknown option luck: it takes lease, lot, spend/],
    ["a lease that is a word", [...GOOD, "lease", "x"], 'Arg "lease" not a whole number: x'],
    ["a lot above one", [...GOOD, "lot", 1.01], /^Arg "lot" /],
    ["a negative lot", [...GOOD, "lot", -0.01], /^Arg "lot" /],
    ["a lot that is a word", [...GOOD, "lot", "x"], 'Arg "lot" not a number: x'],
    ["spend 2", [...GOOD, "spend", 2], /^Arg "spend" /],
    ["spend -1", [...GOOD, "spend", -1], /^Arg "spend" /],
    ["spend half", [...GOOD, "spend", 0.5], /^Arg "spend" /],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench, "retry", BAD);
  });
});
