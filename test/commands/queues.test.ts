import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { badName, LONG, refusesEach, unchanged } from "../told.ts";

const NOTHING = {
  waiting: 0,
  running: 0,
  stalled: 0,
  scheduled: 0,
  depends: 0,
  recurring: 0,
  paused: false,
};

const namesOf = async (bench: Bench, ...args: (string | number)[]) =>
  (await bench.json("queues", ...args)).map(({ name }: { name: string }) => name);

/** The counts alone. */
async function counts(bench: Bench, queue: string): Promise<object> {
  const { next_since: _, ...rest } = await bench.json("queues", queue);
  return rest;
}

everyEngine("queues", (open) => {
  test("counts the jobs of a queue by state", async () => {
    const bench = await open();
    await bench.put("q", "expired");
    await bench.pop("q", "w");
    bench.later(60);
    await bench.call("heartbeat", "expired", "w");
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    await bench.pop("q", "w", 3);
    await bench.put("q", "later", { delay: 1000 });
    await bench.put("q", "after", { depends: ["a"] });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 1000);
    await bench.later(30).call("heartbeat", "a", "w");
    await bench.later(30).call("pause", "q");
    expect(await bench.json("queues", "q")).toEqual({
      name: "q",
      waiting: 1,
      running: 1,
      stalled: 3,
      scheduled: 1,
      depends: 1,
      recurring: 1,
      paused: true,
      next_since: 1_000_060,
    });
  });

  test("tells since when the next in line waits, which need not be the oldest", async () => {
    const bench = await open();
    const next = async () => (await bench.json("queues", "q")).next_since;
    expect(await next()).toBeUndefined();
    await bench.put("q", "later", { delay: 50 });
    expect(await next()).toBeUndefined();
    bench.later(60);
    expect(await next()).toBe(1_000_050);
    await bench.put("q", "a", { priority: 1 });
    expect(await next()).toBe(1_000_060);
    await bench.later(5.25).put("q", "b");
    expect(await next()).toBe(1_000_065.25);
    await bench.call("config.set", "priority-order", "highest-first");
    expect(await next()).toBe(1_000_060);
    await bench.pop("q", "w", 3);
    expect(await next()).toBeUndefined();
  });

  const counted = { complete: undefined, failed: undefined, stalled: "waiting" } as const;
  for (const state of STATES) {
    const column = state in counted ? counted[state as keyof typeof counted] : state;
    test(`counts a job that is ${state} ${column === undefined ? "nowhere" : `as ${column}`}`, async () => {
      const bench = await open();
      await jobIn(bench, state);
      const expected = column === undefined ? NOTHING : { ...NOTHING, [column]: 1 };
      expect(await counts(bench, "q")).toEqual({ name: "q", ...expected });
    });
  }

  test("tells zeros of a queue that does not exist, and does not make it known", async () => {
    const bench = await open();
    expect(await bench.json("queues", "none")).toEqual({ name: "none", ...NOTHING });
    expect(await bench.json("queues")).toEqual([]);
  });

  test("tells of all queues, the first seen first, page by page", async () => {
    const bench = await open();
    for (const queue of ["c", "a", "b"]) await bench.later(1).put(queue, `in-${queue}`);
    await bench.later(1).put("c", "again");
    expect(await bench.json("queues")).toEqual([
      { name: "c", ...NOTHING, waiting: 2, next_since: 1_000_001 },
      { name: "a", ...NOTHING, waiting: 1, next_since: 1_000_002 },
      { name: "b", ...NOTHING, waiting: 1, next_since: 1_000_003 },
    ]);
    expect(await namesOf(bench, "")).toEqual(["c", "a", "b"]);
    expect(await namesOf(bench, "", 1)).toEqual(["a", "b"]);
    expect(await namesOf(bench, "", 1, 1)).toEqual(["a"]);
    expect(await namesOf(bench, "", 0, 0)).toEqual([]);
    expect(await namesOf(bench, "", 3)).toEqual([]);
  });

  test("knows a queue by put, recur, advance, unfail and a recurring job that moves there", async () => {
    const bench = await open();
    await bench.put("put", "a");
    await bench.later(1).call("recur", "recur", "r", "klass", "{}", "interval", 60, 100);
    await bench.later(1).call("recur.update", "r", "queue", "moved");
    await bench.pop("put", "w");
    await bench.later(1).call("complete", "a", "w", "put", "{}", "next", "advanced");
    await bench.pop("advanced", "w");
    await bench.call("fail", "a", "w", "g", "m");
    await bench.later(1).call("unfail", "unfailed", "g");
    expect(await namesOf(bench)).toEqual(["put", "recur", "moved", "advanced", "unfailed"]);
  });

  test("does not know a queue by being asked for work, paused or set up", async () => {
    const bench = await open();
    await bench.pop("asked", "w");
    await bench.call("pause", "paused");
    await bench.call("config.set", "set-heartbeat", 10);
    expect(await bench.json("queues")).toEqual([]);
  });

  test("counts a due job as waiting, and a lock that expires now as stalled", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.put("q", "b", { delay: 60 });
    bench.later(59.999);
    expect(await bench.json("queues", "q")).toMatchObject({
      running: 1,
      stalled: 0,
      scheduled: 1,
      waiting: 0,
    });
    bench.later(0.001);
    expect(await bench.json("queues", "q")).toMatchObject({
      running: 0,
      stalled: 1,
      scheduled: 0,
      waiting: 1,
    });
  });

  test("moves nothing, however much is due", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 1 });
    await bench.put("q", "b");
    await bench.pop("q", "w");
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    bench.later(100);
    await unchanged(bench, () => bench.call("queues"));
    expect((await bench.json("get", "b")).history).toHaveLength(2);
  });

  test("tells of a thousand queues unless asked for more", async () => {
    const bench = await open();
    const many = Array.from({ length: 1010 }, (_, i) => [`q${i}`, `j${i}`, "k", "{}", 0, 0]);
    await bench.call("put.many", "w", ...many.slice(0, 1000).flat());
    await bench.call("put.many", "w", ...many.slice(1000).flat());
    expect(await namesOf(bench)).toHaveLength(1000);
    expect(await namesOf(bench, "", 1000)).toHaveLength(10);
    expect(await namesOf(bench, "", 0, 2000)).toHaveLength(1010);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "queues", [
      [["a\nb"], badName("queue")],
      [[LONG], badName("queue")],
      [["", "one"], 'Arg "offset" not a number: one'],
      [["", -1], 'Arg "offset" must not be negative: -1'],
      [["", 0.5], 'Arg "offset" not a whole number: 0.5'],
      [["", 0, "many"], 'Arg "count" not a number: many'],
      [["", 0, -1], 'Arg "count" must not be negative: -1'],
      [["", 0, 1, "more"], /^Odd number of additional args/],
    ]);
  });
});
