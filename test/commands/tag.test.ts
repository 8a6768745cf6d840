import { expect, test } from "vitest";
import { everyEngine, refused } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("tag", (open) => {
  test("add gives a job tags behind those it has, in their order, once each", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["z"] });
    expect(await bench.json("tag", "add", "a", "y", "x", "y", "z")).toEqual(["z", "y", "x"]);
    expect((await bench.json("get", "a")).tags).toEqual(["z", "y", "x"]);
    for (const tag of ["x", "y", "z"]) {
      expect(await bench.json("tag", "get", tag)).toEqual({ total: 1, jobs: ["a"] });
    }
  });

  test("add counts a tag once, however often a job is given it", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.call("tag", "add", "a", "x");
    await bench.call("tag", "add", "a", "x", "x");
    expect(await bench.json("tag", "top")).toEqual([]);
    await bench.put("q", "b", { tags: ["x"] });
    expect(await bench.json("tag", "top")).toEqual(["x"]);
    await bench.call("tag", "remove", "a", "x");
    expect(await bench.json("tag", "top")).toEqual([]);
  });

  test("add leaves a job its place among those of a tag that it has", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.later(1).put("q", jid, { tags: ["x"] });
    bench.later(1);
    await unchanged(bench, () => bench.call("tag", "add", "a", "x"));
    expect((await bench.json("tag", "get", "x")).jobs).toEqual(["a", "b"]);
  });

  test("add and remove without tags tell the tags there are", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x", "y"] });
    expect(await bench.json("tag", "add", "a")).toEqual(["x", "y"]);
    expect(await bench.json("tag", "remove", "a")).toEqual(["x", "y"]);
    await bench.put("q", "b");
    expect(await bench.json("tag", "add", "b")).toEqual([]);
  });

  test("remove takes tags from a job, and keeps the order of the others", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x", "y", "z"] });
    expect(await bench.json("tag", "remove", "a", "y")).toEqual(["x", "z"]);
    expect((await bench.json("get", "a")).tags).toEqual(["x", "z"]);
    expect(await bench.json("tag", "get", "y")).toEqual({ total: 0, jobs: [] });
    expect(await bench.json("tag", "remove", "a", "x", "z")).toEqual([]);
    expect((await bench.json("get", "a")).tags).toEqual([]);
  });

  test("remove of a tag that the job does not have leaves the counts alone", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.put("q", "b", { tags: ["x"] });
    await bench.put("q", "c");
    await unchanged(bench, async () => {
      expect(await bench.json("tag", "remove", "c", "x", "none")).toEqual([]);
    });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["a", "b"] });
  });

  test("get lists the jobs of a tag, the first tagged first, page by page", async () => {
    const bench = await open();
    for (const jid of ["c", "a", "b"]) await bench.put("q", jid);
    for (const jid of ["b", "c", "a"]) await bench.later(1).call("tag", "add", jid, "x");
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 3, jobs: ["b", "c", "a"] });
    expect(await bench.json("tag", "get", "x", 1)).toEqual({ total: 3, jobs: ["c", "a"] });
    expect(await bench.json("tag", "get", "x", 1, 1)).toEqual({ total: 3, jobs: ["c"] });
    expect(await bench.json("tag", "get", "x", 0, 0)).toEqual({ total: 3, jobs: [] });
    expect(await bench.json("tag", "get", "x", 3, 5)).toEqual({ total: 3, jobs: [] });
    expect(await bench.json("tag", "get", "none")).toEqual({ total: 0, jobs: [] });
  });

  test("get takes an empty offset or count for none", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.later(1).put("q", jid, { tags: ["x"] });
    expect(await bench.json("tag", "get", "x", "", 1)).toEqual({ total: 2, jobs: ["a"] });
    expect(await bench.json("tag", "get", "x", 1, "")).toEqual({ total: 2, jobs: ["b"] });
    expect(await bench.json("tag", "top", "", "")).toEqual(["x"]);
  });

  test("get and top show 25 unless asked for more, and all for a count of -1", async () => {
    const bench = await open();
    const tags = Array.from({ length: 30 }, (_, i) => `t${i}`);
    await bench.put("q", "a", { tags });
    for (let i = 0; i < 30; i++) await bench.put("q", `b${i}`, { tags: ["x", `t${i}`] });
    expect((await bench.json("tag", "get", "x")).jobs).toHaveLength(25);
    expect((await bench.json("tag", "get", "x", 0, 30)).jobs).toHaveLength(30);
    expect((await bench.json("tag", "get", "x", 0, -1)).jobs).toHaveLength(30);
    expect(await bench.json("tag", "top")).toHaveLength(25);
    expect(await bench.json("tag", "top", 0, -1)).toHaveLength(31);
    expect(await bench.json("tag", "top", 30, 25)).toHaveLength(1);
  });

  test("top tells tags of two jobs and more, the most used first", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["three", "two", "one"] });
    await bench.put("q", "b", { tags: ["three", "two"] });
    await bench.put("q", "c", { tags: ["three"] });
    expect(await bench.json("tag", "top")).toEqual(["three", "two"]);
    expect(await bench.json("tag", "top", 1)).toEqual(["two"]);
    expect(await bench.json("tag", "top", 0, 1)).toEqual(["three"]);
    expect(await bench.json("tag", "top", 0, 0)).toEqual([]);
  });

  for (const state of STATES) {
    test(`changes the tags of a job that is ${state}`, async () => {
      const bench = await open();
      await jobIn(bench, state, { tags: ["x"] });
      expect(await bench.json("tag", "add", "a", "y")).toEqual(["x", "y"]);
      expect(await bench.json("tag", "remove", "a", "x")).toEqual(["y"]);
      expect(await bench.json("get", "a")).toMatchObject({ state, tags: ["y"] });
      expect(await bench.json("tag", "get", "y")).toEqual({ total: 1, jobs: ["a"] });
    });
  }

  test("forgets the tags of jobs that are canceled or no longer kept", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history-count", 0);
    await bench.put("q", "a", { tags: ["x"] });
    await bench.put("q", "b", { tags: ["x"] });
    await bench.put("q", "c", { tags: ["x"] });
    await bench.call("cancel", "a");
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["b", "c"] });
    await bench.pop("q", "w");
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["c"] });
    expect(await bench.json("tag", "top")).toEqual([]);
  });

  test("announces nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    const events = await heard(bench, async () => {
      await bench.call("tag", "add", "a", "x");
      await bench.call("tag", "remove", "a", "x");
    });
    expect(events).toEqual([]);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await unchanged(bench, async () => {
      for (const what of ["add", "remove"]) {
        await refused(bench.call("tag", what, "a", "x"), "NO_SUCH_JOB", "Job a does not exist");
      }
    });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.put("q", "b", { tags: ["x"] });
    const verbs = 'First argument must be "add", "remove", "get" or "top"';
    await refusesEach(bench, "tag", [
      [[], missing("command")],
      [[""], verbs],
      [["set", "a", "x"], verbs],
      [["Add", "a", "x"], verbs],
      [["add"], missing("jid")],
      [["remove"], missing("jid")],
      [["get"], missing("tag")],
      [["add", "", "x"], /control characters/],
      [["add", "a\n", "x"], /control characters/],
      [["add", LONG, "x"], /control characters/],
      [["add", "a", "y", ""], /control characters/],
      [["add", "a", "y", "\t"], /control characters/],
      [["add", "a", "y", LONG], /control characters/],
      [["remove", "a", "x", "\n"], /control characters/],
      [["get", "x", "one"], 'Arg "offset" not a number: one'],
      [["get", "x", -1], 'Arg "offset" must not be negative: -1'],
      [["get", "x", 0.5], 'Arg "offset" not a whole number: 0.5'],
      [["get", "x", 0, "many"], 'Arg "count" not a number: many'],
      [["get", "x", 0, -2], 'Arg "count" must not be negative: -2'],
      [["get", "x", 0, 1.5], 'Arg "count" not a whole number: 1.5'],
      [["top", "one"], 'Arg "offset" not a number: one'],
      [["top", 0, "many"], 'Arg "count" not a number: many'],
      [["top", 0, "0x10"], 'Arg "count" not a number: 0x10'],
    ]);
    expect(await bench.json("get", "a")).toMatchObject({ tags: ["x"] });
  });
});
