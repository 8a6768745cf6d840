import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { type BadCall, badCalls, bring, contents, refusesEach, type Words } from "./behaviour.ts";

const peeked = async (bench: Bench, queue: string, count: number): Promise<string[]> =>
  (await bench.json("peek", queue, count)).map(({ jid }: { jid: string }) => jid);

everyEngine("peek", (open) => {
  test("shows what get shows of the jobs that are next, and leaves them there", async () => {
    const bench = await open();
    for (const jid of ["b", "a", "c"]) await bench.put("q", jid, { tags: [jid] });
    const jobs = await bench.json("peek", "q", 2);
    expect(jobs).toEqual([await bench.json("get", "b"), await bench.json("get", "a")]);
    expect(await peeked(bench, "q", 10)).toEqual(["b", "a", "c"]);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["b", "a", "c"]);
  });

  test("shows nothing of a queue that is empty or unknown, or when asked for nothing", async () => {
    const bench = await open();
    expect(await bench.call("peek", "q", 5)).toBe("[]");
    await bench.put("q", "a");
    expect(await bench.call("peek", "q", 0)).toBe("[]");
    expect(await bench.json("queues")).toHaveLength(1);
  });

  test("shows jobs by priority, and within it in the order of put", async () => {
    const bench = await open();
    const priorities = { z: 1, y: -1_000_000, x: 0, c: 1_000_000, b: 1, a: -1_000_000 };
    for (const [jid, priority] of Object.entries(priorities))
      await bench.put("q", jid, { priority });
    expect(await peeked(bench, "q", 10)).toEqual(["y", "a", "x", "z", "b", "c"]);
    expect(await peeked(bench, "q", 3)).toEqual(["y", "a", "x"]);
    await bench.call("config.set", "priority-order", "highest-first");
    expect(await peeked(bench, "q", 10)).toEqual(["c", "z", "b", "x", "y", "a"]);
    expect(await peeked(bench, "q", 3)).toEqual(["c", "z", "b"]);
  });

  test("leaves out jobs that run, are scheduled or wait for others", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bring(bench, "scheduled", "b");
    await bring(bench, "depends", "c");
    expect(await peeked(bench, "q", 10)).toEqual([]);
  });

  test("shows expired locks first, as they are, warned or not", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    bench.later(1);
    await bring(bench, "running", "b");
    await bench.put("q", "c", { priority: -5 });
    bench.at(1_000_060);
    const [first] = await bench.json("peek", "q", 1);
    expect(first).toMatchObject({ jid: "a", state: "stalled", worker: "w", expires: 1_000_060 });
    expect(await peeked(bench, "q", 10)).toEqual(["a", "c"]);
    expect(await peeked(bench.at(1_000_061), "q", 10)).toEqual(["a", "b", "c"]);
    expect((await bench.json("get", "a")).history).toHaveLength(2);
  });

  test("shows jobs that were taken from their workers before waiting ones", async () => {
    const bench = await open();
    await bring(bench, "stalled", "z");
    await bench.put("q", "a", { priority: -5 });
    expect(await peeked(bench, "q", 10)).toEqual(["z", "a"]);
    await bench.call("config.set", "priority-order", "highest-first");
    expect(await peeked(bench, "q", 10)).toEqual(["z", "a"]);
  });

  test("shows jobs of one place in the order of their bytes, as pop hands them out", async () => {
    const bench = await open();
    await bench.put("q", "𝒜", { delay: 30 });
    await bench.later(30).put("q", "￮");
    const peeked = (await bench.json("peek", "q", 9)).map(({ jid }: { jid: string }) => jid);
    expect(peeked).toEqual(["￮", "𝒜"]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["￮", "𝒜"]);
  });

  test("shows due jobs as waiting, at the place that pop gives them", async () => {
    const bench = await open();
    await bench.put("q", "due-15", { delay: 15 });
    await bench.put("q", "due-5", { delay: 5 });
    await bench.put("q", "urgent", { delay: 20, priority: -1 });
    await bench.put("q", "not-due", { delay: 500 });
    await bench.at(1_000_010).put("q", "put-10");
    await bench.at(1_000_020).put("q", "put-20");
    bench.at(1_000_030);
    const expected = ["urgent", "due-5", "put-10", "due-15", "put-20"];
    expect(await peeked(bench, "q", 10)).toEqual(expected);
    expect((await bench.json("peek", "q", 2))[1]).toMatchObject({ jid: "due-5", state: "waiting" });
    expect(await peeked(bench, "q", 3)).toEqual(expected.slice(0, 3));
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(expected);
  });

  test("shows due jobs of either priority order where pop finds them", async () => {
    const bench = await open();
    await bench.call("config.set", "priority-order", "highest-first");
    for (const [i, priority] of [0, 5, -5, 5, 0].entries()) {
      await bench.put("q", `due${i}`, { priority, delay: 10 - i });
      await bench.put("q", `put${i}`, { priority });
    }
    bench.later(20);
    const shown = await peeked(bench, "q", 20);
    expect(jidsOf(await bench.pop("q", "w", 20))).toEqual(shown);
    expect(shown).toHaveLength(10);
  });

  test("shows jobs that are due at the same time in the order of put, as pop does", async () => {
    const bench = await open();
    for (const jid of ["z", "m", "a", "y"]) await bench.put("q", jid, { delay: 10 });
    bench.later(10);
    expect(await peeked(bench, "q", 9)).toEqual(["z", "m", "a", "y"]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["z", "m", "a", "y"]);
  });

  test("looks into a paused queue and past its max-concurrency", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    await bring(bench, "running", "a");
    await bench.put("q", "b");
    await bench.put("q", "c");
    await bench.call("pause", "q");
    expect(await peeked(bench, "q", 10)).toEqual(["b", "c"]);
  });

  test("writes nothing and announces nothing, whatever is due", async () => {
    const bench = await open();
    await bring(bench, "running", "a");
    await bench.put("q", "b", { delay: 10 });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 10);
    bench.later(100);
    const before = await contents(bench);
    const heard = await bench.hearing(async () => {
      expect(await peeked(bench, "q", 10)).toEqual(["a", "b"]);
    });
    expect(heard).toEqual([]);
    expect(await contents(bench)).toEqual(before);
    expect(await bench.json("get", "r-1")).toBeNull();
  });

  test("makes no worker known and counts no wait", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.later(5).json("peek", "q", 1);
    expect(await bench.json("workers")).toEqual([]);
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ wait: { count: 0 } });
  });

  const GOOD: Words = ["q", 1];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["queue", "name"],
      ["count", "count"],
    ]),
    ["an option", [...GOOD, "history", 1], "Unknown option history: it takes none"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "peek", BAD);
  });
});
