import { expect, test } from "vitest";
import { everyEngine, refused } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("track", (open) => {
  test("marks a job as tracked, and lists it with everything about it", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.json("track", "track", "a")).toBe(1);
    const job = await bench.json("get", "a");
    expect(job.tracked).toBe(true);
    expect(await bench.json("track")).toEqual({ jobs: [job], expired: [] });
  });

  test("lists nothing when nothing is tracked", async () => {
    const bench = await open();
    expect(await bench.json("track")).toEqual({ jobs: [], expired: [] });
  });

  test("lists the job tracked first in front", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    for (const jid of ["c", "a", "b"]) await bench.later(1).call("track", "track", jid);
    const { jobs } = await bench.json("track");
    expect(jobs.map(({ jid }: { jid: string }) => jid)).toEqual(["c", "a", "b"]);
  });

  test("changes nothing when the job is tracked already", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    for (const jid of ["a", "b"]) await bench.later(1).call("track", "track", jid);
    bench.later(1);
    await unchanged(bench, async () => {
      expect(await bench.json("track", "track", "a")).toBe(0);
    });
  });

  test("ends the tracking of a job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    expect(await bench.json("track", "untrack", "a")).toBe(1);
    expect((await bench.json("get", "a")).tracked).toBe(false);
    expect(await bench.json("track")).toEqual({ jobs: [], expired: [] });
    await unchanged(bench, async () => {
      expect(await bench.json("track", "untrack", "a")).toBe(0);
    });
  });

  test("reads the action in capitals as well", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.json("track", "Track", "a")).toBe(1);
    expect(await bench.json("track", "UNTRACK", "a")).toBe(1);
  });

  test("lists some of them at a time", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) {
      await bench.put("q", jid);
      await bench.later(1).call("track", "track", jid);
    }
    const page = async (...words: (string | number)[]) => {
      const { jobs } = await bench.json("track", "", "", ...words);
      return jobs.map(({ jid }: { jid: string }) => jid);
    };
    expect(await page("count", 2)).toEqual(["a", "b"]);
    expect(await page("offset", 2)).toEqual(["c", "d"]);
    expect(await page("offset", 1, "count", 2)).toEqual(["b", "c"]);
    expect(await page("offset", 4)).toEqual([]);
    expect(await page("count", 0)).toEqual([]);
  });

  test("takes an empty action for none", async () => {
    const bench = await open();
    expect(await bench.json("track", "")).toEqual({ jobs: [], expired: [] });
    expect(await bench.json("track", "", "")).toEqual({ jobs: [], expired: [] });
  });

  for (const state of STATES) {
    test(`tracks and untracks a job that is ${state}`, async () => {
      const bench = await open();
      await jobIn(bench, state);
      expect(await bench.json("track", "track", "a")).toBe(1);
      expect(await bench.json("get", "a")).toMatchObject({ state, tracked: true });
      expect(await bench.json("track", "untrack", "a")).toBe(1);
      expect(await bench.json("get", "a")).toMatchObject({ state, tracked: false });
    });
  }

  test("lists a canceled job as expired, and lets it be untracked", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    expect(await bench.json("track")).toEqual({ jobs: [], expired: ["a"] });
    expect(await bench.json("track", "untrack", "a")).toBe(1);
    expect(await bench.json("track")).toEqual({ jobs: [], expired: [] });
    await refused(bench.call("track", "untrack", "a"), "NO_SUCH_JOB", "Job a does not exist");
  });

  test("lists a job that was not kept as expired, and lets it be untracked", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("config.set", "jobs-history", 0);
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.json("track")).toEqual({ jobs: [], expired: ["a"] });
    expect(await bench.json("track", "untrack", "a")).toBe(1);
  });

  test("goes on for a job that was canceled and put again", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).tracked).toBe(true);
    expect((await bench.json("track")).expired).toEqual([]);
  });

  test("announces that tracking begins and ends, whether or not it changes anything", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const events = await heard(bench, async () => {
      for (const action of ["track", "track", "untrack", "untrack"]) {
        await bench.call("track", action, "a");
      }
    });
    expect(events).toEqual([
      ["track", "a"],
      ["track", "a"],
      ["untrack", "a"],
      ["untrack", "a"],
    ]);
  });

  test("lets the channels of its events hear of a tracked job and of no other", async () => {
    const bench = await open();
    for (const jid of ["a", "other"]) await bench.put("q", jid);
    await bench.call("track", "track", "a");
    const events = await heard(bench, async () => {
      await bench.pop("q", "w", 2);
      await bench.call("timeout", "a", "other");
      await bench.pop("q", "w", 2);
      for (const jid of ["a", "other"]) await bench.call("fail", jid, "w", "g", "m");
      for (const jid of ["a", "other"]) await bench.put("q", jid);
      await bench.pop("q", "w", 2);
      for (const jid of ["a", "other"]) await bench.call("complete", jid, "w", "q", "{}");
      for (const jid of ["a", "other"]) await bench.put("q", jid);
      await bench.call("cancel", "a", "other");
    });
    const ofTracked = events.filter(([channel]) => channel !== "log" && !channel.startsWith("w:"));
    const channels = ["popped", "stalled", "popped", "failed", "put", "popped", "completed"];
    expect(ofTracked).toEqual([...channels, "put", "canceled"].map((channel) => [channel, "a"]));
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await unchanged(bench, async () => {
      for (const action of ["track", "untrack"]) {
        await refused(bench.call("track", action, "a"), "NO_SUCH_JOB", "Job a does not exist");
      }
    });
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const unknown = 'Unknown action: must be "track" or "untrack"';
    await refusesEach(bench, "track", [
      [["follow", "a"], unknown],
      [["follow"], unknown],
      [["constructor", "a"], unknown],
      [["track"], missing("jid")],
      [["untrack"], missing("jid")],
      [["track", ""], missing("jid")],
      [["track", "a\n"], badName("jid")],
      [["track", LONG], badName("jid")],
      [["track", "a", "b"], /^Odd number of additional args/],
      [["track", "a", "tags", "[]"], "Unknown option tags: it takes offset, count"],
      [["track", "a", "count", 1], /^offset and count are for the list/],
    ]);
  });
});
