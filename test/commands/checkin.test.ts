import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { type BadCall, badCalls, bring, refusedInVain, refusesEach, resent } from "./behaviour.ts";

everyEngine("checkin", (open) => {
  test("writes into the history how far a run is, and renews its lock", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const words = ["a", "w", "half of it", "progress", 0.5, "lease", lease] as const;
    expect(await bench.later(30.5).call("checkin", ...words)).toBe("1000090.5");
    const job = await bench.json("get", "a");
    expect(job).toMatchObject({ state: "running", expires: 1_000_090.5, worker: "w" });
    expect(job.history.at(-1)).toEqual({ what: "half of it", when: 1_000_030.5, progress: 0.5 });
    expect(await bench.call("complete", "a", "w", "q", "{}", "lease", lease)).toBe("complete");
  });

  test.each([
    [[], undefined],
    [["progress", "0"], 0],
    [["progress", "1"], 1],
    [["progress", "0.333333333"], 0.333333333],
    [["progress", "1e-3"], 0.001],
  ])("keeps the progress %j as %s", async (options, progress) => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("checkin", "a", "w", 'said "so"\n', ...options);
    const said = (await bench.json("get", "a")).history.at(-1);
    expect(said).toEqual({
      what: 'said "so"\n',
      when: 1_000_000,
      ...(progress !== undefined && { progress }),
    });
  });

  test("announces progress to the log, and to watchers of a tracked job", async () => {
    const bench = await open();
    await bring(bench, "running");
    const heard = await bench.hearing(async () => {
      await bench.call("checkin", "a", "w", "first");
      await bench.call("track", "track", "a");
      await bench.call("checkin", "a", "w", "half", "progress", 0.5);
    });
    const progress = { event: "progress", jid: "a", queue: "q", worker: "w" };
    const told = heard.map(({ channel, message }) => [
      channel,
      channel === "log" ? JSON.parse(message) : message,
    ]);
    expect(told).toEqual([
      ["log", { ...progress, message: "first" }],
      ["track", "a"],
      ["log", { ...progress, message: "half", progress: 0.5 }],
      ["progress", "a"],
    ]);
  });

  test("keeps no more of the history than its limit", async () => {
    const bench = await open();
    await bench.call("config.set", "max-job-history", 5);
    await bring(bench, "running");
    for (let i = 0; i < 20; i++) await bench.call("checkin", "a", "w", `step ${i}`);
    const { history } = await bench.json("get", "a");
    expect(history.map(({ what }: { what: string }) => what)).toEqual([
      "put",
      "step 16",
      "step 17",
      "step 18",
      "step 19",
    ]);
  });

  test("refuses a run that has another lease, and one that has lasted too long", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    const reason = `Job a has been handed out again, under lease ${lease}`;
    const late = ["a", "w", "half", "lease", lease + 1] as const;
    await refusedInVain(bench, ["checkin", ...late], "LOCK_LOST", reason);
    await bench.call("config.set", "q-cutoff", 30);
    bench.later(31);
    const over = "Job a has run longer than it may in queue q";
    await refusedInVain(bench, ["checkin", "a", "w", "half"], "PAST_CUTOFF", over);
  });

  const GOOD = ["a", "w", "half"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["worker", "name"],
      ["message", "anything"],
    ]),
    ["a long message", ["a", "w", "m".repeat(4097)], 'Arg "message" is longer than 4096 bytes'],
    ["progress over 1", [...GOOD, "progress", 1.01], /^Arg "progress"/],
    ["progress below 0", [...GOOD, "progress", -0.01], /^Arg "progress"/],
    ["progress that is no number", [...GOOD, "progress", "half"], /^Arg "progress"/],
  ];

  test("refuses what makes no sense, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await refusesEach(bench.later(5), "checkin", BAD);
  });

  test("refuses a job that is not running", async () => {
    const bench = await open();
    await bring(bench, "waiting");
    await refusedInVain(bench, ["checkin", ...GOOD], "NOT_RUNNING");
    await refusedInVain(bench, ["checkin", "none", "w", "m"], "NO_SUCH_JOB");
  });

  test("takes effect once if its answer was lost", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await resent(bench, "checkin", "a", "w", "half")).toBe("1000060");
    const { history } = await bench.json("get", "a");
    expect(history.filter(({ what }: { what: string }) => what === "half")).toHaveLength(1);
  });
});
