import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import {
  type BadCall,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  statesBut,
  told,
  type Words,
} from "./behaviour.ts";

everyEngine("timeout", (open) => {
  test("takes a running job from its worker at once, at no cost of a retry", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(5).call("timeout", "a")).toBeFalsy();
    expect(await bench.json("get", "a")).toMatchObject({
      state: "stalled",
      queue: "q",
      worker: "",
      expires: 0,
      lease: null,
      remaining: 5,
    });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      what: "timed-out",
      when: 1_000_005,
    });
    expect(await bench.json("queues", "q")).toMatchObject({ running: 0, waiting: 1 });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 1, failed: 0 });
  });

  test("makes the job the next of its queue, whatever the priorities", async () => {
    const bench = await open();
    await bring(bench, "running", "z");
    await bench.put("q", "a", { priority: -1000 });
    await bench.call("timeout", "z");
    expect(jidsOf(await bench.pop("q", "v", 2))).toEqual(["z", "a"]);
  });

  test("lists the job under its new worker alone", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "v");
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("workers", "v")).toEqual({ jobs: ["a"], stalled: [] });
  });

  test("takes several jobs, each from its own worker and queue", async () => {
    const bench = await open();
    await bring(bench, "running", "a", "q");
    await bench.put("r", "b");
    await bench.pop("r", "v");
    const heard = await bench.hearing(async () => {
      await bench.call("timeout", "b", "a", "b");
    });
    expect(told(heard)).toEqual([
      ["w:v", { event: "lock_lost", jid: "b", worker: "v" }],
      ["log", { event: "lock_lost", jid: "b", worker: "v" }],
      ["w:w", { event: "lock_lost", jid: "a", worker: "w" }],
      ["log", { event: "lock_lost", jid: "a", worker: "w" }],
    ]);
    expect(await bench.json("multiget", "a", "b")).toMatchObject([
      { state: "stalled", queue: "q" },
      { state: "stalled", queue: "r" },
    ]);
  });

  test("hands out jobs in the order they were taken", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.pop("q", "w", 3);
    for (const jid of ["b", "c", "a"]) await bench.later(1).call("timeout", jid);
    expect(jidsOf(await bench.pop("q", "v", 3))).toEqual(["b", "c", "a"]);
  });

  test("tells those who track the job, its worker, then all", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("timeout", "a");
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    expect(told(heard)).toEqual([
      ["stalled", "a"],
      ["w:w", lost],
      ["log", lost],
    ]);
  });

  test("ends the lease", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    await bench.call("timeout", "a");
    const late: Words = ["a", "w", "q", "{}", "lease", lease];
    await refusedInVain(bench, ["complete", ...late], "NOT_RUNNING");
    await bench.pop("q", "w");
    await refusedInVain(bench, ["complete", ...late], "LOCK_LOST");
  });

  test("takes a job whose lock has expired, warned or not", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bench.later(100).call("timeout", "a");
    expect((await bench.json("get", "a")).state).toBe("stalled");
    await bench.pop("q", "w");
    await bench.later(60).pop("q", "v");
    await bench.call("timeout", "a");
    expect(await bench.pop("q", "v")).toMatchObject([{ jid: "a", remaining: 5 }]);
  });

  test("lets the next lost lock be warned of even if the last one was", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(60).pop("q", "v");
    await bench.call("timeout", "a");
    await bench.pop("q", "w");
    expect(await bench.later(60).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", remaining: 5 });
  });

  test("counts the next wait from when the job was popped", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(20).call("timeout", "a");
    await bench.later(20).pop("q", "v");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      wait: { count: 2, mean: 20 },
    });
  });

  test("takes a job of a paused queue, which keeps it", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("pause", "q");
    await bench.call("timeout", "a");
    expect(await bench.pop("q", "v")).toEqual([]);
    await bench.call("unpause", "q");
    expect(jidsOf(await bench.pop("q", "v"))).toEqual(["a"]);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await resent(bench, "timeout", "a")).toBeFalsy();
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 1 });
  });

  test.each(statesBut("running"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const reason = `Job a is not currently running: ${state}`;
    await refusedInVain(bench, ["timeout", "a"], "NOT_RUNNING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await refusedInVain(bench, ["timeout", "a"], "NO_SUCH_JOB", "Job a does not exist");
  });

  test("takes nothing when asked for nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.call("timeout")).toBeFalsy();
    expect((await bench.json("get", "a")).state).toBe("running");
  });

  test("takes none of several when one of them cannot be taken", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bench.put("q", "b");
    await refusedInVain(bench, ["timeout", "a", "nobody"], "NO_SUCH_JOB");
    await refusedInVain(bench, ["timeout", "a", "b"], "NOT_RUNNING");
    expect((await bench.json("get", "a")).state).toBe("running");
  });

  const BAD: BadCall[] = [
    ["an empty jid", ["a", ""], /^Arg "jids" must be 1 to 255 bytes/],
    ["a jid with a line break", ["a", "b\nc"], /^Arg "jids" must be 1 to 255 bytes/],
    ["a jid too long", ["a", "x".repeat(256)], /^Arg "jids" must be 1 to 255 bytes/],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench, "timeout", BAD);
  });
});
