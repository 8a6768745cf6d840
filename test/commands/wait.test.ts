import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { type BadCall, refusesEach, resent, told } from "./behaviour.ts";

/** What the worker is told, without the time, which each answer has. */
async function wait(bench: Bench, worker: string, seconds: number, ...queues: string[]) {
  const { now, holds, ...told } = await bench.json("wait", worker, seconds, ...queues);
  expect(now).toBe(bench.now);
  const { jobs, stalled } = await bench.json("workers", worker);
  expect(holds).toBe(jobs.length + stalled.length);
  return told;
}

/** Which workers are told to come for which queue, and when if it is not now, while this is done. */
async function woken(bench: Bench, work: () => Promise<unknown>): Promise<unknown[][]> {
  const heard = told(await bench.hearing(work)) as [string, Record<string, unknown>][];
  return heard
    .filter(([, message]) => message.event === "wake")
    .map(([channel, { event: _, worker, queue, ...when }]) => {
      expect(channel).toBe(`w:${worker}`);
      return [worker, queue, ...Object.values(when)];
    });
}

const NOTHING = { ready: false, next: null };

everyEngine("wait", (open) => {
  test("says that there is nothing, and wakes the worker for the next job", async () => {
    const bench = await open();
    expect(await wait(bench, "w", 60, "q", "r")).toEqual(NOTHING);
    expect(await woken(bench, () => bench.put("other", "a"))).toEqual([]);
    expect(await woken(bench, () => bench.put("r", "b"))).toEqual([["w", "r"]]);
    expect(await woken(bench, () => bench.put("r", "c"))).toEqual([]);
    expect(await woken(bench, () => bench.put("q", "d"))).toEqual([["w", "q"]]);
  });

  test("says at once that there is something, and then does not wait", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await wait(bench, "w", 60, "r", "q")).toEqual({ ready: true, next: null });
    expect(await woken(bench, () => bench.put("r", "b"))).toEqual([]);
  });

  test("wakes one worker for one job, the one that waits the longest", async () => {
    const bench = await open();
    for (const [i, worker] of ["a", "b", "c", "d"].entries())
      await wait(bench, worker, 60 + i, "q");
    expect(await woken(bench, () => bench.put("q", "1"))).toEqual([["d", "q"]]);
    const two = ["q", "2", "k", "{}", 0, 0, "q", "3", "k", "{}", 0, 0];
    expect(await woken(bench, () => bench.call("put.many", "w", ...two))).toEqual([
      ["c", "q"],
      ["b", "q"],
    ]);
    expect(await woken(bench, () => bench.put("q", "4"))).toEqual([["a", "q"]]);
    expect(await woken(bench, () => bench.put("q", "5"))).toEqual([]);
  });

  test("wakes a hundred workers at once at most", async () => {
    const bench = await open();
    for (let i = 0; i < 103; i++) await wait(bench, `w${i}`, 60, "q");
    const jobs = Array.from({ length: 200 }, (_, i) => ["q", `j${i}`, "k", "{}", 0, 0]).flat();
    expect(await woken(bench, () => bench.call("put.many", "w", ...jobs))).toHaveLength(100);
  });

  test("ends with its time", async () => {
    const bench = await open();
    await wait(bench, "w", 60, "q");
    bench.later(60);
    expect(await woken(bench, () => bench.put("q", "a"))).toEqual([]);
    await bench.pop("q", "w");
    await wait(bench, "w", 0, "q");
    expect(await woken(bench, () => bench.put("q", "b"))).toEqual([]);
  });

  test("ends with no time, and another is woken for what there is", async () => {
    const bench = await open();
    await wait(bench, "v", 50, "q", "r");
    await wait(bench, "w", 60, "q", "r");
    expect(await wait(bench, "w", 0, "q", "r")).toEqual(NOTHING);
    expect(await woken(bench, () => bench.put("q", "a"))).toEqual([["v", "q"]]);
    await wait(bench, "u", 40, "q", "s");
    await wait(bench, "u", 40, "s");
    expect(await woken(bench, () => bench.put("r", "b"))).toEqual([["v", "r"]]);
    await bench.pop("q", "x");
    await wait(bench, "u", 40, "q");
    await wait(bench, "v", 50, "q");
    expect(await woken(bench, () => bench.put("q", "c"))).toEqual([["v", "q"]]);
    expect(await woken(bench, () => wait(bench, "v", 0, "q"))).toEqual([["u", "q"]]);
  });

  test("tells when the next job is due, lock expires or child is", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 30 });
    expect(await wait(bench, "w", 60, "q")).toEqual({ ready: false, next: 1_000_030 });
    bench.later(30);
    expect(await wait(bench, "w", 60, "q")).toEqual({ ready: true, next: null });
    await bench.pop("q", "other");
    expect(await wait(bench, "w", 60, "q")).toEqual({ ready: false, next: 1_000_090 });
    await bench.call("recur", "r", "rec", "k", "{}", "interval", 20, 5);
    expect(await wait(bench, "w", 60, "q", "r")).toEqual({ ready: false, next: 1_000_035 });
  });

  test("tells one of those who wait when a job will be due that is due before all others", async () => {
    const bench = await open();
    await wait(bench, "v", 50, "q");
    await wait(bench, "w", 60, "q");
    const delayed = (jid: string, delay: number) => () => bench.put("q", jid, { delay });
    expect(await woken(bench, delayed("a", 30))).toEqual([["w", "q", 1_000_030]]);
    expect(await woken(bench, delayed("b", 40))).toEqual([]);
    expect(await woken(bench, delayed("c", 0.5))).toEqual([["w", "q", 1_000_000.5]]);
    // It still waits: it was told of the future.
    expect(await woken(bench, () => bench.put("q", "d"))).toEqual([["w", "q"]]);
  });

  test("wakes for whatever brings jobs", async () => {
    const bench = await open();
    const bringing = async (queue: string, work: () => Promise<unknown>) => {
      expect(await wait(bench, "idle", 600, queue)).toMatchObject({ ready: false });
      expect(await woken(bench, work)).toEqual([["idle", queue]]);
      await bench.pop(queue, "w", 99);
    };
    await bench.put("q", "first");
    await bench.put("r", "second", { depends: ["first"] });
    await bench.pop("q", "w");
    await bringing("r", () => bench.call("complete", "first", "w", "q", "{}"));
    await bringing("q", () => bench.call("complete", "second", "w", "r", "{}", "next", "q"));
    await bringing("q", () => bench.call("retry", "second", "q", "w"));
    await bringing("q", () => bench.call("timeout", "second"));
    await bench.call("fail", "second", "w", "g", "m");
    await bringing("q", () => bench.call("unfail", "q", "g"));
    await bringing("r", () => bench.call("move", "r", "second"));
    await bench.put("q", "delayed", { delay: 10 });
    bench.later(10);
    await bringing("s", () => bench.put("s", "x"));
    await wait(bench, "idle", 600, "q");
    await bench.pop("q", "w", 99);
    await bench.put("q", "again", { delay: 10 });
    await wait(bench, "idle", 600, "q");
    bench.later(10);
    expect(await woken(bench, () => bench.json("tick"))).toEqual([["idle", "q"]]);
  });

  test("lets a paused queue rest, and wakes when it goes on", async () => {
    const bench = await open();
    await bench.call("pause", "q");
    await bench.put("q", "a");
    expect(await wait(bench, "w", 600, "q")).toEqual(NOTHING);
    expect(await woken(bench, () => bench.put("q", "b"))).toEqual([]);
    expect(await woken(bench, () => bench.call("unpause", "q"))).toEqual([["w", "q"]]);
    await bench.pop("q", "w", 9);
    await bench.call("queue.pause", "q", "until", 1_000_100);
    await bench.put("q", "c");
    expect(await wait(bench, "w", 600, "q")).toEqual({ ready: false, next: 1_000_100 });
    bench.later(100);
    expect(await woken(bench, () => bench.json("tick"))).toEqual([["w", "q"]]);
  });

  test("is told when a recurring job has its next child", async () => {
    const bench = await open();
    await wait(bench, "w", 600, "q", "r");
    const recur = (interval: number, offset: number) => () =>
      bench.call("recur", "q", "rec", "k", "{}", "interval", interval, offset);
    expect(await woken(bench, recur(60, 30))).toEqual([["w", "q", 1_000_030]]);
    expect(await woken(bench, recur(60, 0))).toEqual([["w", "q", 1_000_000]]);
    await bench.pop("q", "other");
    const update = (...words: (string | number)[]) => bench.call("recur.update", "rec", ...words);
    expect(await woken(bench, () => update("interval", 20))).toEqual([["w", "q", 1_000_020]]);
    expect(await woken(bench, () => update("queue", "r"))).toEqual([["w", "r", 1_000_020]]);
    await bench.call("recur.pause", "rec");
    await bench.later(100).json("tick");
    await wait(bench, "w", 600, "q", "r");
    expect(await woken(bench, () => bench.call("recur.unpause", "rec"))).toEqual([
      ["w", "r", 1_000_100],
    ]);
  });

  test("is told when a pause ends, and of what has become due meanwhile", async () => {
    const bench = await open();
    await wait(bench, "w", 600, "q");
    const pause = () => bench.call("queue.pause", "q", "until", 1_000_001);
    expect(await woken(bench, pause)).toEqual([["w", "q", 1_000_001]]);
    await bench.call("unpause", "q");
    await bench.call("pause", "q");
    await bench.put("q", "a", { delay: 10 });
    await bench.put("q", "b", { delay: 30 });
    expect(await wait(bench, "w", 600, "q")).toEqual(NOTHING);
    bench.later(20);
    expect(await woken(bench, () => bench.call("unpause", "q"))).toEqual([["w", "q"]]);
    await bench.pop("q", "other", 9);
    await bench.call("pause", "q");
    await wait(bench, "w", 600, "q");
    expect(await woken(bench, () => bench.call("unpause", "q"))).toEqual([["w", "q", 1_000_030]]);
  });

  test("wakes others for what a pop finds at the end of a pause and leaves", async () => {
    const bench = await open();
    await bench.call("queue.pause", "q", "until", 1_000_010);
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    for (const worker of ["u", "v"]) await wait(bench, worker, 600, "q");
    bench.later(10);
    expect(await woken(bench, () => bench.pop("q", "x", 1))).toEqual([
      ["v", "q"],
      ["u", "q"],
    ]);
  });

  test("is told by a worker with full hands when the queue is due next", async () => {
    const bench = await open();
    await bench.call("recur", "q", "rec", "k", "{}", "interval", 1, 0);
    await wait(bench, "w", 600, "r");
    await bench.pop("q", "busy", 1);
    await wait(bench, "w", 600, "q");
    bench.later(1);
    // One that takes less than it could will wait, and then knows by itself.
    expect(await woken(bench, () => bench.pop("q", "other", 2))).toEqual([]);
    bench.later(1);
    expect(await woken(bench, () => bench.pop("q", "busy", 1))).toEqual([["w", "q", 1_000_003]]);
  });

  test("is told by a worker that leaves when the queue is due next", async () => {
    const bench = await open();
    await wait(bench, "v", 50, "q");
    await wait(bench, "w", 60, "q");
    expect(await woken(bench, () => bench.put("q", "a", { delay: 30 }))).toEqual([
      ["w", "q", 1_000_030],
    ]);
    expect(await woken(bench, () => wait(bench, "w", 0, "q"))).toEqual([["v", "q", 1_000_030]]);
    expect(await woken(bench, () => wait(bench, "v", 0, "q"))).toEqual([]);
  });

  test("wakes when more jobs of the queue may run than before", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.pop("q", "x", 9);
    await wait(bench, "w", 600, "q");
    const set = (value: number) => () => bench.call("config.set", "q-max-concurrency", value);
    expect(await woken(bench, set(2))).toEqual([["w", "q"]]);
    await bench.call("config.set", "q-max-concurrency", 1);
    await wait(bench, "w", 600, "q");
    const unset = () => bench.call("config.unset", "q-max-concurrency");
    expect(await woken(bench, unset)).toEqual([["w", "q"]]);
  });

  test("looks again soon where as many run as may", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    await bench.put("q", "a");
    await bench.put("q", "b");
    await bench.pop("q", "w", 9);
    expect(await wait(bench, "w", 600, "q")).toEqual({ ready: false, next: 1_000_000.25 });
  });

  test("wakes those who can take what one pop has found due and leaves", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid, { delay: 5 });
    await wait(bench, "v", 50, "q");
    await wait(bench, "w", 60, "q");
    bench.later(5);
    let jobs: unknown;
    const pop = async () => {
      jobs = await bench.pop("q", "x", 1);
    };
    expect(await woken(bench, pop)).toEqual([
      ["w", "q"],
      ["v", "q"],
    ]);
    expect(jidsOf(jobs as never)).toEqual(["a"]);
  });

  test("counts as asking for jobs where it is explained why one does not run", async () => {
    const bench = await open();
    await wait(bench, "w", 600, "q");
    await wait(bench, "v", 600, "q");
    // Somebody has to listen, or Redis knows that nobody is there.
    await bench.hearing(() => bench.put("q", "a"));
    bench.later(300);
    expect(await bench.json("explain", "a")).toMatchObject({ reasons: [] });
    bench.later(300);
    expect(await bench.json("explain", "a")).toMatchObject({ reasons: [{ reason: "not-asked" }] });
  });

  test("changes nothing about the queues that are listed, and check finds nothing wrong", async () => {
    const bench = await open();
    await wait(bench, "w", 60, "q");
    expect(await bench.json("queues")).toEqual([]);
    await bench.put("q", "a");
    expect(await bench.json("check", "0")).toMatchObject({ problems: [] });
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await resent(bench, "wait", "w", 60, "q");
    expect(await woken(bench, () => bench.put("q", "a"))).toEqual([["w", "q"]]);
  });

  const BAD: BadCall[] = [
    ["no worker", [], 'Arg "worker" missing'],
    ["no time", ["w"], 'Arg "seconds" missing'],
    ["no queues", ["w", 5], 'Arg "queues" missing'],
    ["a bad time", ["w", "soon", "q"], 'Arg "seconds" not a number: soon'],
    ["a bad queue", ["w", 5, "q", ""], /^Arg "queues" must be 1 to 255 bytes/],
    [
      "too many queues",
      ["w", 5, ...Array.from({ length: 1001 }, (_, i) => `q${i}`)],
      "More than 1000 queues in one call",
    ],
  ];

  test("refuses arguments that cannot be", async () => {
    const bench = await open();
    await refusesEach(bench, "wait", BAD);
  });
});
