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
  type Words,
} from "./behaviour.ts";

everyEngine("priority", (open) => {
  test("changes the priority of a waiting job, and tells it", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    expect(await bench.call("priority", "c", -10)).toBe(-10);
    expect(await bench.call("priority", "a", 10)).toBe(10);
    expect((await bench.json("get", "c")).priority).toBe(-10);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["c", "b", "a"]);
  });

  test("keeps the place that the time of put gave the job", async () => {
    const bench = await open();
    await bench.put("q", "a", { priority: 5 });
    await bench.put("q", "b");
    await bench.put("q", "c", { priority: 5 });
    await bench.later(10).call("priority", "b", 5);
    await bench.later(10).put("q", "d", { priority: 5 });
    expect(jidsOf(await bench.pop("q", "w", 4))).toEqual(["a", "b", "c", "d"]);
  });

  test("does not move a job when it is the same as before", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid, { priority: 2 });
    await bench.later(10).call("priority", "b", 2);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["a", "b", "c"]);
  });

  test("puts no job before one that lost its lock, nor behind", async () => {
    const bench = await open();
    await bring(bench, "stalled", "lost");
    await bench.put("q", "a");
    await bench.call("priority", "a", -1e9);
    await bench.call("priority", "lost", 1e9);
    expect(await bench.pop("q", "w", 2)).toMatchObject([
      { jid: "lost", priority: 1e9 },
      { jid: "a", priority: -1e9 },
    ]);
  });

  test.each(STATES)("is kept by a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const before = await bench.json("get", "a");
    expect(await bench.call("priority", "a", 7)).toBe(7);
    expect(await bench.json("get", "a")).toEqual({ ...before, priority: 7 });
  });

  test("counts for a scheduled job once it is due", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid, { delay: 10 });
    await bench.call("priority", "b", -1);
    expect(jidsOf(await bench.later(10).pop("q", "w", 2))).toEqual(["b", "a"]);
  });

  test("counts for a job that waits for others once they are done", async () => {
    const bench = await open();
    await bring(bench, "running", "before", "r");
    await bench.put("q", "a", { depends: ["before"] });
    await bench.put("q", "b");
    await bench.call("priority", "a", -1);
    await bench.call("complete", "before", "w", "r", "{}");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["a", "b"]);
  });

  test("counts for a running job once it is tried again", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b");
    await bench.call("priority", "a", -1);
    await bench.call("retry", "a", "q", "w");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["a", "b"]);
  });

  test("counts in either order", async () => {
    const bench = await open();
    await bench.call("config.set", "priority-order", "highest-first");
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.call("priority", "c", 1);
    await bench.call("priority", "a", -1);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["c", "b", "a"]);
  });

  test("of zero takes a job back to where it was", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.call("priority", "b", -3);
    expect(await bench.call("priority", "b", 0)).toBe(0);
    expect((await bench.json("get", "b")).priority).toBe(0);
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["a", "b"]);
  });

  test.each([
    [1.9, 1, 1.9],
    [-1.9, -1, -1.9],
    [0.5, 0, 0.5],
    [-0.5, 0, -0.5],
    [1.00006, 1, 1.0001],
    [1e9, 1e9, 1e9],
    [-1e9, -1e9, -1e9],
    [1_000_000, 1_000_000, 1_000_000],
    [-1_000_000, -1_000_000, -1_000_000],
  ])("of %d is told as %d and kept as %d", async (given, told, kept) => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("priority", "a", given)).toBe(told);
    expect((await bench.json("get", "a")).priority).toBe(kept);
  });

  test("is silent and writes no history", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("priority", "a", 3);
    });
    expect(heard).toEqual([]);
    expect((await bench.json("get", "a")).history).toHaveLength(1);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "priority", "a", 3)).toBe(3);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await refusedInVain(bench, ["priority", "a", 1], "NO_SUCH_JOB", "Job a does not exist");
    expect(await bench.json("get", "a")).toBeNull();
  });

  const GOOD: Words = ["a", 1];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["priority", "number"],
    ]),
    ["an empty priority", ["a", ""], 'Arg "priority" not a number: '],
    [
      "a priority too high",
      ["a", 1e9 + 1],
      /^Arg "priority" must be from -1000000000 to 1000000000/,
    ],
    [
      "a priority too low",
      ["a", -1e9 - 1],
      /^Arg "priority" must be from -1000000000 to 1000000000/,
    ],
    ["an option", [...GOOD, "x", 1], "Unknown option x: it takes none"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "priority", BAD);
  });
});
