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
  told,
  type Words,
} from "./behaviour.ts";

everyEngine("heartbeat", (open) => {
  test("renews the lock from the time of the beat, and tells until when", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(30).call("heartbeat", "a", "w")).toBe(1_000_090);
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", expires: 1_000_090 });
    expect(await bench.at(1_000_089).pop("q", "v")).toEqual([]);
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 0 });
  });

  test("tells whole seconds, rounded down, and keeps the fraction", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(30.75).call("heartbeat", "a", "w")).toBe(1_000_090);
    expect((await bench.json("get", "a")).expires).toBe(1_000_090.75);
  });

  test("renews for as long as the queue's heartbeat says", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("config.set", "heartbeat", 30);
    expect(await bench.call("heartbeat", "a", "w")).toBe(1_000_030);
    await bench.call("config.set", "heartbeat-q", 45);
    expect(await bench.call("heartbeat", "a", "w")).toBe(1_000_045);
    await bench.call("config.set", "q-heartbeat", 90);
    expect(await bench.call("heartbeat", "a", "w")).toBe(1_000_090);
    await bench.call("config.unset", "q-heartbeat");
    expect(await bench.call("heartbeat", "a", "w")).toBe(1_000_045);
  });

  test("leaves the data as it is when none is given", async () => {
    const bench = await open();
    await bench.put("q", "a", { data: '{"n":1}' });
    await bench.pop("q", "w");
    await bench.call("heartbeat", "a", "w");
    await bench.call("heartbeat", "a", "w", "");
    expect((await bench.json("get", "a")).data).toBe('{"n":1}');
  });

  test.each(['{"n":123456789012345678}', "[]", "{}", '{"a":[]}', ' {"p":"a/b"} ', "null", "false"])(
    "keeps the data %s byte for byte",
    async (data) => {
      const bench = await open();
      await bring(bench, "running");
      await bench.call("heartbeat", "a", "w", data);
      expect((await bench.json("get", "a")).data).toBe(data);
    },
  );

  test("accepts the lease that pop gave, and refuses any other", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    expect(await bench.call("heartbeat", "a", "w", "", "lease", lease)).toBe(1_000_060);
    const late: Words = ["a", "w", "[1]", "lease", lease + 1];
    const reason = "Job a has been handed out again, under lease 1";
    await refusedInVain(bench, ["heartbeat", ...late], "LOCK_LOST", reason);
  });

  test("refuses the old lease of a worker that was handed the job again", async () => {
    const bench = await open();
    const old = await bring(bench, "running");
    await bench.call("timeout", "a");
    const [job] = await bench.pop("q", "w");
    const beat: Words = ["a", "w", "", "lease", old];
    const reason = `Job a has been handed out again, under lease ${job!.lease}`;
    await refusedInVain(bench, ["heartbeat", ...beat], "LOCK_LOST", reason);
    expect(await bench.call("heartbeat", "a", "w", "", "lease", job!.lease)).toBe(1_000_060);
  });

  test("renews a lock that has expired while nobody took the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.later(500).call("heartbeat", "a", "w")).toBe(1_000_560);
    expect((await bench.json("get", "a")).state).toBe("running");
  });

  test("takes back a warning, so that the next lost lock is warned of again", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.at(1_000_060).pop("q", "v");
    await bench.at(1_000_065).call("heartbeat", "a", "w");
    expect(await bench.at(1_000_100).pop("q", "v")).toEqual([]);
    const heard = await bench.hearing(async () => {
      expect(await bench.at(1_000_125).pop("q", "v")).toEqual([]);
    });
    expect(told(heard)[0]).toEqual(["w:w", { event: "lock_lost", jid: "a", worker: "w" }]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", expires: 1_000_135 });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 2 });
  });

  test("is refused once another worker has the job", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("timeout", "a");
    await bench.pop("q", "v");
    const reason = "Job a has been handed out to another worker: v";
    await refusedInVain(bench, ["heartbeat", "a", "w"], "LOCK_LOST", reason);
  });

  test("is refused when the job was taken away", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("config.set", "q-max-concurrency", 1);
    await bench.call("config.set", "grace-period", 0);
    await bench.later(60).json("tick");
    const reason = "Job a is not currently running: stalled";
    await refusedInVain(bench, ["heartbeat", "a", "w"], "NOT_RUNNING", reason);
  });

  test.each(statesBut("running"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const reason = `Job a is not currently running: ${state}`;
    await refusedInVain(bench, ["heartbeat", "a", "w", "[1]"], "NOT_RUNNING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    const reason = "Job a does not exist";
    await refusedInVain(bench, ["heartbeat", "a", "w"], "NO_SUCH_JOB", reason);
  });

  test("makes its worker known, and seen last", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(1).pop("q", "v");
    await bench.call("worker.deregister", "w");
    await bench.later(1).call("heartbeat", "a", "w");
    expect(await bench.json("workers")).toEqual([
      { name: "w", jobs: 1, stalled: 0 },
      { name: "v", jobs: 0, stalled: 0 },
    ]);
  });

  test("renews in a paused queue", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("pause", "q");
    expect(await bench.later(10).call("heartbeat", "a", "w")).toBe(1_000_070);
  });

  test("writes no history, spends no retry and announces nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const before = await bench.json("get", "a");
    const heard = await bench.hearing(async () => {
      await bench.later(1).call("heartbeat", "a", "w");
    });
    expect(heard).toEqual([]);
    expect(await bench.json("get", "a")).toEqual({ ...before, expires: 1_000_061 });
  });

  test("does not change when the run began", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.later(30).call("heartbeat", "a", "w");
    await bench.later(10).call("complete", "a", "w", "q", "{}");
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      run: { count: 1, mean: 40 },
    });
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await resent(bench, "heartbeat", "a", "w", "[1]")).toBe(1_000_060);
    expect(await bench.json("get", "a")).toMatchObject({ expires: 1_000_060, data: "[1]" });
  });

  test("keeps a job through many beats", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b");
    for (let i = 0; i < 20; i++) await bench.later(50).call("heartbeat", "a", "w");
    expect(jidsOf(await bench.pop("q", "v", 5))).toEqual(["b"]);
  });

  const GOOD: Words = ["a", "w"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["worker", "name"],
    ]),
    ["a lease in the place of data", [...GOOD, "lease", 1], /^Odd number of additional args/],
    ["an unknown option", [...GOOD, "", "leese", 1], /^Unknown option leese: it takes lease/],
    ["a lease that is a word", [...GOOD, "", "lease", "x"], 'Arg "lease" not a whole number: x'],
    ["an empty lease", [...GOOD, "", "lease", ""], 'Arg "lease" not a whole number: '],
    ["half a lease", [...GOOD, "", "lease", 1.5], 'Arg "lease" not a whole number: 1.5'],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench.later(5), "heartbeat", BAD);
  });
});
