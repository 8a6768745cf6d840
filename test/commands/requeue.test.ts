import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  STATES,
  told,
  type Words,
} from "./behaviour.ts";

const GOOD: Words = ["w", "r", "a", "klass", "{}", 0];

everyEngine("requeue", (open) => {
  test.each(STATES)("moves a job that is %s, as put does", async (state) => {
    const [asPut, asRequeue] = [await open(), await open()];
    const words: Words = ["w", "r", "a", "other", "[1]", 0, "priority", 2, "tags", '["x"]'];
    const jobs = [];
    for (const [bench, command] of [
      [asPut, "put"],
      [asRequeue, "requeue"],
    ] as const) {
      await bring(bench, state);
      expect(await bench.later(1).call(command, ...words)).toBe("a");
      jobs.push(await bench.json("get", "a"));
    }
    expect(jobs[1]).toEqual(jobs[0]);
    expect(jobs[1]).toMatchObject({ queue: "r", klass: "other", priority: 2, tags: ["x"] });
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    const reason = "Job a does not exist";
    await refusedInVain(bench, ["requeue", ...GOOD], "NO_SUCH_JOB", reason);
    expect(await bench.json("get", "a")).toBeNull();
  });

  test("is refused for a job that was canceled", async () => {
    const bench = await open();
    await bring(bench, "waiting");
    await bench.call("cancel", "a");
    await refusedInVain(bench, ["requeue", ...GOOD], "NO_SUCH_JOB", "Job a does not exist");
  });

  test("is refused for a recurring job", async () => {
    const bench = await open();
    await bench.call("recur", "q", "a", "klass", "{}", "interval", 60, 10);
    await refusedInVain(bench, ["requeue", ...GOOD], "NO_SUCH_JOB", "Job a does not exist");
  });

  test("takes a delay and every option that put takes", async () => {
    const bench = await open();
    await bring(bench, "failed");
    await bench.put("q", "b");
    const options: Words = ["priority", -1, "tags", '["x"]', "retries", 2, "depends", '["b"]'];
    options.push("source", "s", "backoff", "fixed 5", "cutoff", 30);
    await bench.call("requeue", "w", "r", "a", "klass", "{}", 20, ...options);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "depends",
      priority: -1,
      tags: ["x"],
      retries: 2,
      dependencies: ["b"],
      scheduled: 1_000_020,
      source: "s",
      backoff: "fixed 5",
      cutoff: 30,
    });
  });

  test("puts the job behind those that wait", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.call("requeue", "w", "q", "a", "klass", "{}", 0);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["b", "c", "a"]);
  });

  test("announces a put, and a lost lock to the worker that held the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("requeue", "other", "r", "a", "klass", "{}", 0);
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w", moved: "r" };
    expect(told(heard)).toEqual([
      ["log", { event: "put", jid: "a", queue: "r" }],
      ["w:w", lost],
      ["log", lost],
      ["put", "a"],
    ]);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "complete");
    expect(await resent(bench, "requeue", ...GOOD)).toBe("a");
    expect(await bench.json("queues", "r")).toMatchObject({ waiting: 1 });
  });

  test("refuses dependencies that lead back to the job", async () => {
    const bench = await open();
    await bring(bench, "waiting");
    await bench.put("q", "b", { depends: ["a"] });
    const call: Words = [...GOOD, "depends", '["b"]'];
    const reason = "Job a would depend on itself";
    await refusedInVain(bench, ["requeue", ...call], "CYCLE", reason);
  });

  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["worker", "name"],
      ["queue", "name"],
      ["jid", "name"],
      ["klass", "name"],
      ["data", "anything"],
      ["delay", "number"],
    ]),
    ["an unknown option", [...GOOD, "prority", 1], /^Unknown option prority/],
    ["an odd option", [...GOOD, "priority"], /^Odd number of additional args/],
    ["a bad backoff", [...GOOD, "backoff", "never"], /^Arg "backoff" must be /],
    ["bad tags", [...GOOD, "tags", "x"], /^Arg "tags" not JSON array of texts/],
  ];

  test("refuses arguments that cannot be, and leaves the job where it is", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench, "requeue", BAD);
  });
});
