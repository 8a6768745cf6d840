import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { failedJobs } from "../states.ts";
import { badName, LONG, refusesEach } from "../told.ts";

everyEngine("failed", (open) => {
  test("counts failed jobs by group", async () => {
    const bench = await open();
    expect(await bench.json("failed")).toEqual({});
    await failedJobs(bench, "one", ["a"]);
    await failedJobs(bench, "two", ["b", "c"], "other");
    expect(await bench.json("failed")).toEqual({ one: 1, two: 2 });
    expect(await bench.json("failed", "")).toEqual({ one: 1, two: 2 });
  });

  test("lists the jobs of a group, the newest failure first, page by page", async () => {
    const bench = await open();
    for (const jid of ["b", "c", "a"]) {
      bench.later(1);
      await failedJobs(bench, "group", [jid]);
    }
    const total = 3;
    expect(await bench.json("failed", "group")).toEqual({ total, jobs: ["a", "c", "b"] });
    expect(await bench.json("failed", "group", 1)).toEqual({ total, jobs: ["c", "b"] });
    expect(await bench.json("failed", "group", 1, 1)).toEqual({ total, jobs: ["c"] });
    expect(await bench.json("failed", "group", "", 1)).toEqual({ total, jobs: ["a"] });
    expect(await bench.json("failed", "group", 0, 0)).toEqual({ total, jobs: [] });
    expect(await bench.json("failed", "group", 3)).toEqual({ total, jobs: [] });
  });

  test("lists 25 jobs unless asked for more", async () => {
    const bench = await open();
    const jids = Array.from({ length: 30 }, (_, i) => `j${i}`);
    await failedJobs(bench, "group", jids);
    expect((await bench.json("failed", "group")).jobs).toHaveLength(25);
    expect((await bench.json("failed", "group", 0, 30)).jobs).toHaveLength(30);
    expect((await bench.json("failed", "group", 25)).jobs).toHaveLength(5);
  });

  test("tells of nothing for a group that does not exist", async () => {
    const bench = await open();
    expect(await bench.json("failed", "none")).toEqual({ total: 0, jobs: [] });
  });

  test("includes jobs that ran out of retries, in a group named after the queue, or crashed", async () => {
    const bench = await open();
    await bench.put("q", "retried", { retries: 0 });
    await bench.pop("q", "w");
    expect(await bench.call("retry", "retried", "q", "w")).toBe(-1);
    await bench.put("q", "dropped", { retries: 0 });
    await bench.pop("q", "w");
    await bench.call("config.set", "grace-period", 0);
    expect(await bench.later(60).pop("q", "w")).toEqual([]);
    const one = (jid: string) => ({ total: 1, jobs: [jid] });
    expect(await bench.json("failed", "failed-retries-q")).toEqual(one("retried"));
    expect(await bench.json("failed", "crashed")).toEqual(one("dropped"));
  });

  test("forgets jobs that are put again, requeued or canceled, and the group with the last", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a", "b", "c", "d"]);
    await bench.put("q", "a");
    expect(await bench.json("failed")).toEqual({ group: 3 });
    await bench.call("requeue", "w", "q", "b", "klass", "{}", 0);
    expect(await bench.json("failed")).toEqual({ group: 2 });
    await bench.call("cancel", "c");
    expect(await bench.json("failed")).toEqual({ group: 1 });
    await bench.call("unfail", "q", "group");
    expect(await bench.json("failed")).toEqual({});
  });

  test("counts a job in its latest group only", async () => {
    const bench = await open();
    await failedJobs(bench, "one", ["a"]);
    await failedJobs(bench, "two", ["a"]);
    expect(await bench.json("failed")).toEqual({ two: 1 });
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await failedJobs(bench, "group", ["a"]);
    await refusesEach(bench, "failed", [
      [["a\nb"], badName("group")],
      [[LONG], badName("group")],
      [["group", "one"], 'Arg "start" not a number: one'],
      [["group", -1], 'Arg "start" must not be negative: -1'],
      [["group", 0.5], 'Arg "start" not a whole number: 0.5'],
      [["group", 0, "many"], 'Arg "limit" not a number: many'],
      [["group", 0, -1], 'Arg "limit" must not be negative: -1'],
      [["group", 0, "0x1"], 'Arg "limit" not a number: 0x1'],
      [["group", 0, 1, "more"], /^Odd number of additional args/],
      [["group", 0, 1, "state", "failed"], "Unknown option state: it takes none"],
    ]);
  });
});
