import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { failedJobs } from "../states.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("unfail", (open) => {
  test("puts the jobs of a group into a queue, and tells how many", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b"]);
    await failedJobs(bench, "other", ["c"]);
    expect(await bench.later(5).call("unfail", "next", "group")).toBe(2);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "waiting",
      queue: "next",
      worker: "",
      expires: 0,
      remaining: 5,
      history: [
        { what: "put" },
        { what: "popped" },
        { what: "failed" },
        { what: "put", q: "next" },
      ],
    });
    expect(await bench.json("failed")).toEqual({ other: 1 });
    expect(jidsOf(await bench.pop("next", "w", 10))).toEqual(["a", "b"]);
  });

  test("takes the jobs that failed first, in the order in which they failed", async () => {
    const bench = await open();
    for (const jid of ["c", "a", "b"]) {
      bench.later(1);
      await failedJobs(bench, "group", [jid]);
    }
    expect(await bench.call("unfail", "q", "group", 2)).toBe(2);
    expect(await bench.json("failed", "group")).toEqual({ total: 1, jobs: ["b"] });
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["c", "a"]);
  });

  test("takes 25 jobs unless asked for more", async () => {
    const bench = await open();
    const jids = Array.from({ length: 30 }, (_, i) => `j${i}`);
    await failedJobs(bench, "group", jids);
    expect(await bench.call("unfail", "q", "group")).toBe(25);
    expect(await bench.call("unfail", "q", "group", "")).toBe(5);
    expect(await bench.call("unfail", "q", "group")).toBe(0);
  });

  test("takes no more jobs than there are", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b"]);
    expect(await bench.call("unfail", "q", "group", 10_000)).toBe(2);
  });

  test("does nothing for a count of none or a group that does not exist", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await unchanged(bench, async () => {
      expect(await bench.call("unfail", "new", "group", 0)).toBe(0);
      expect(await bench.call("unfail", "new", "none")).toBe(0);
    });
  });

  test("keeps priorities, and lets them decide", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await bench.put("q", "b", { priority: -1 });
    await bench.pop("q", "w");
    await bench.call("fail", "b", "w", "group", "message");
    await bench.call("unfail", "q", "group");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["b", "a"]);
  });

  test("gives a job all its retries again", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 1 });
    for (const left of [0, -1]) {
      await bench.pop("q", "w");
      expect(await bench.call("retry", "a", "q", "w")).toBe(left);
    }
    expect(await bench.call("unfail", "q", "failed-retries-q")).toBe(1);
    expect(await bench.json("get", "a")).toMatchObject({ retries: 1, remaining: 1 });
  });

  test("lowers the count of failed jobs where they failed", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b"]);
    const day = bench.now;
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 2, failures: 2 });
    await bench.later(86_400).call("unfail", "next", "group", 1);
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 1, failures: 2 });
    expect(await bench.json("stats", "next", bench.now)).toMatchObject({ failed: 0, failures: 0 });
  });

  test("makes the queue known, and the wait begin", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await bench.later(100).call("unfail", "next", "group");
    expect((await bench.json("queues")).map(({ name }: { name: string }) => name)).toEqual([
      "q",
      "next",
    ]);
    await bench.later(7).pop("next", "w");
    expect((await bench.json("stats", "next", bench.now)).wait).toMatchObject({
      count: 1,
      mean: 7,
    });
  });

  test("announces each job as put, and tracked ones to those who watch them", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b"]);
    await bench.call("track", "track", "b");
    const events = await heard(bench, () => bench.call("unfail", "next", "group"));
    expect(events).toEqual([
      ["log", { event: "put", jid: "a", queue: "next" }],
      ["log", { event: "put", jid: "b", queue: "next" }],
      ["put", "b"],
    ]);
  });

  test("leaves a paused queue paused", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await bench.call("pause", "q");
    expect(await bench.call("unfail", "q", "group")).toBe(1);
    expect(await bench.pop("q", "w")).toEqual([]);
  });

  test("gives a job that warned before it failed a new warning", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.later(60).pop("q", "other");
    await bench.call("fail", "a", "w", "group", "message");
    await bench.call("unfail", "q", "group");
    await bench.pop("q", "w");
    expect(await bench.later(60).pop("q", "other")).toEqual([]);
    expect(await bench.call("heartbeat", "a", "w")).toBe(bench.now + 60);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await refusesEach(bench, "unfail", [
      [[], missing("queue")],
      [["q"], missing("group")],
      [["", "group"], badName("queue")],
      [["q\n", "group"], badName("queue")],
      [[LONG, "group"], badName("queue")],
      [["q", ""], badName("group")],
      [["q", "a\tb"], badName("group")],
      [["q", "group", "many"], 'Arg "count" not a number: many'],
      [["q", "group", -1], 'Arg "count" must not be negative: -1'],
      [["q", "group", 1.5], 'Arg "count" not a whole number: 1.5'],
      [["q", "group", 1, "delay"], /^Odd number of additional args/],
      [["q", "group", 1, "delay", 1], "Unknown option delay: it takes none"],
    ]);
  });
});
