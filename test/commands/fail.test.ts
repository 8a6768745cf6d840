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

everyEngine("fail", (open) => {
  test("ends a run badly, in a group of like failures", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(5.5).call("fail", "a", "w", "group", "It broke")).toBe("a");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "failed",
      queue: "q",
      worker: "",
      expires: 0,
      lease: null,
      data: "{}",
      remaining: 5,
      failure: { group: "group", message: "It broke", when: 1_000_005, worker: "w" },
    });
    expect((await bench.json("get", "a")).history.at(-1)).toEqual({
      what: "failed",
      group: "group",
      worker: "w",
      when: 1_000_005.5,
    });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, running: 0 });
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.later(1000).pop("q", "w")).toEqual([]);
  });

  test("lists failures by group, the newest first", async () => {
    const bench = await open();
    for (const [jid, group] of [
      ["b", "g1"],
      ["a", "g1"],
      ["c", "g2"],
    ] as const) {
      await bring(bench.later(1), "running", jid);
      await bench.call("fail", jid, "w", group, "message");
    }
    expect(await bench.json("failed")).toEqual({ g1: 2, g2: 1 });
    expect(await bench.json("failed", "g1")).toEqual({ total: 2, jobs: ["a", "b"] });
  });

  test("counts the failure for its day and queue", async () => {
    const bench = await open();
    await bring(bench, "failed", "a");
    await bring(bench, "failed", "b");
    const { run, ...counts } = await bench.json("stats", "q", bench.now);
    expect(counts).toMatchObject({ failed: 2, failures: 2, retries: 0 });
    expect(run.count).toBe(0);
    await bring(bench.later(86_400), "failed", "c");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 1 });
  });

  test("counts a job that fails twice as two failures and one that is failed", async () => {
    const bench = await open();
    await bring(bench, "failed");
    await bring(bench, "failed");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 2 });
    expect(await bench.json("failed")).toEqual({ group: 1 });
  });

  test("spends no retry", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 3 });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", "message");
    expect(await bench.json("get", "a")).toMatchObject({ retries: 3, remaining: 2 });
  });

  test.each(['{"n":123456789012345678}', "[]", "{}", ' {"a":[],"p":"a/b"} ', "null", "false"])(
    "keeps the data %s byte for byte",
    async (data) => {
      const bench = await open();
      await bench.put("q", "a", { data: "[0]" });
      await bench.pop("q", "w");
      await bench.call("fail", "a", "w", "group", "message", data);
      expect((await bench.json("get", "a")).data).toBe(data);
    },
  );

  test("leaves the data as it is when none is given", async () => {
    const bench = await open();
    await bench.put("q", "a", { data: "[0]" });
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", "message", "");
    expect((await bench.json("get", "a")).data).toBe("[0]");
  });

  test("tells all, then those who track the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("fail", "a", "w", "group", "message");
    });
    const failed = { event: "failed", jid: "a", worker: "w", group: "group", message: "message" };
    expect(told(heard)).toEqual([
      ["log", failed],
      ["failed", "a"],
    ]);
  });

  test("keeps any message: empty, of many lines, in any script", async () => {
    const bench = await open();
    for (const message of ["", "a\nb\tc\r\n", "é𝒜🙂", '"quoted" \\ {}', "\u0000\u001f\u007f"]) {
      await bring(bench, "running");
      await bench.call("fail", "a", "w", "group", message);
      expect((await bench.json("get", "a")).failure.message).toBe(message);
    }
  });

  test("takes a message of a mebibyte, and refuses one byte more", async () => {
    const bench = await open();
    await bring(bench, "running");
    const long: Words = ["a", "w", "group", "é".repeat(524_288)];
    const reason = 'Arg "message" is longer than 1048576 bytes';
    const longer: Words = ["a", "w", "group", `${long[3]}x`];
    await refusedInVain(bench, ["fail", ...longer], "BAD_ARGUMENT", reason);
    expect(await bench.call("fail", ...long)).toBe("a");
  });

  test("accepts the lease that pop gave, and refuses any other", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const late: Words = ["a", "w", "group", "message", "[1]", "lease", lease + 1];
    const reason = "Job a has been handed out again, under lease 1";
    await refusedInVain(bench, ["fail", ...late], "LOCK_LOST", reason);
    await bench.call("fail", "a", "w", "group", "message", "", "lease", lease);
    expect((await bench.json("get", "a")).state).toBe("failed");
  });

  test("is accepted after the lock expired, while nobody took the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(1000).call("fail", "a", "w", "group", "message")).toBe("a");
  });

  test("is refused once another worker has the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "v");
    const reason = "Job a has been handed out to another worker: v";
    await refusedInVain(bench, ["fail", "a", "w", "group", "message"], "LOCK_LOST", reason);
  });

  test.each(statesBut("running"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const reason = `Job a is not currently running: ${state}`;
    await refusedInVain(bench, ["fail", "a", "w", "group", "other"], "NOT_RUNNING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    const reason = "Job a does not exist";
    await refusedInVain(bench, ["fail", "a", "w", "group", "message"], "NO_SUCH_JOB", reason);
  });

  test("keeps those who wait for the job waiting", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("r", "after", { depends: ["a"] });
    await bench.call("fail", "a", "w", "group", "message");
    expect((await bench.json("get", "after")).state).toBe("depends");
  });

  test("warns of the next lost lock even if the last one was warned of", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(60).pop("q", "v");
    await bench.call("fail", "a", "w", "group", "message");
    await bench.call("unfail", "q", "group");
    await bench.pop("q", "w");
    expect(await bench.later(60).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", remaining: 5 });
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await resent(bench, "fail", "a", "w", "group", "message")).toBe("a");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 1, failures: 1 });
  });

  const GOOD: Words = ["a", "w", "group", "message"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["worker", "name"],
      ["group", "name"],
      ["message", "anything"],
    ]),
    ["a lease in the place of data", [...GOOD, "lease", 1], /^Odd number of additional args/],
    ["an unknown option", [...GOOD, "", "delay", 1], /^Unknown option delay: it takes lease/],
    ["a lease that is a word", [...GOOD, "", "lease", "x"], 'Arg "lease" not a whole number: x'],
    ["half a lease", [...GOOD, "", "lease", 1.5], 'Arg "lease" not a whole number: 1.5'],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench, "fail", BAD);
  });
});
