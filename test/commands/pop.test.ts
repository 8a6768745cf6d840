import { expect, test } from "vitest";
import { everyEngine, jidsOf, popped } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  contents,
  refusesEach,
  resent,
  told,
  type Words,
} from "./behaviour.ts";

everyEngine("pop", (open) => {
  test("hands out a job under a lock of its own", async () => {
    const bench = await open();
    await bench.put("q", "a", {
      klass: "Mailer",
      data: '{"n":1}',
      priority: -1.5,
      tags: ["x", "y"],
      retries: 3,
      source: "import",
      cutoff: 600.5,
    });
    const more = '{"priority":-1.5,"retries":3,"tags":["x","y"],"source":"import","cutoff":600.5}';
    expect(await bench.later(1.25).call("pop", "q", "w", 1)).toEqual([
      `a\tMailer\tq\t1\t1000061.250\t${more}\t{"n":1}`,
    ]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "running",
      worker: "w",
      expires: 1_000_061.25,
      lease: 1,
      queue: "q",
    });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, running: 1 });
  });

  test("says as little of a plain job as there is to say", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("pop", "q", "w", 1)).toEqual(["a\tklass\tq\t1\t1000060.000\t\t{}"]);
  });

  test("leaves data as it is, tabs and line breaks included", async () => {
    const bench = await open();
    const data = '{\t"a":\t1,\r\n"b": 2}\t';
    await bench.put("q", "a", { data });
    await bench.put("q", "b", { data, tags: ["tab"] });
    expect(await bench.pop("q", "w", 2)).toMatchObject([{ data }, { data, tags: ["tab"] }]);
  });

  test("takes as many as are asked for and leaves the others, however many these are", async () => {
    const bench = await open();
    const jids = Array.from({ length: 24 }, (_, i) => `j${String(i).padStart(2, "0")}`);
    for (const jid of jids) await bench.put("q", jid);
    const left = [...jids];
    for (const count of [1, 2, 3, 4, 5, 6]) {
      const jobs = popped(await bench.call("pop", "q", "w", count));
      expect(jobs.map(({ jid }) => jid)).toEqual(left.splice(0, count));
      expect(await bench.json("peek", "q", 100)).toHaveLength(left.length);
    }
    expect(await bench.call("pop", "q", "w", 9)).toHaveLength(3);
    expect(await bench.problems()).toEqual([]);
  });

  test("adds the history when asked to", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b");
    const [a] = popped(await bench.later(1).call("pop", "q", "w", 1, "history", 1));
    expect(a!.history).toEqual([
      { what: "put", q: "q", when: 1_000_000 },
      { what: "popped", worker: "w", when: 1_000_001 },
    ]);
    const [b] = popped(await bench.call("pop", "q", "w", 1, "history", 0));
    expect(b!.history).toBeUndefined();
  });

  test("hands out as many as asked for, or as there are", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["a", "b"]);
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["c"]);
    expect(await bench.pop("q", "w", 2)).toEqual([]);
  });

  test("hands out nothing of a queue that nobody knows, and does not make it known", async () => {
    const bench = await open();
    expect(await bench.pop("q", "w")).toEqual([]);
    expect(await bench.json("queues")).toEqual([]);
  });

  test("hands out nothing when asked for nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.pop("q", "w", 0)).toEqual([]);
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("hands out each job once", async () => {
    const bench = await open();
    for (let i = 0; i < 20; i++) await bench.put("q", `j${i}`);
    const pops = Array.from({ length: 30 }, (_, i) => bench.pop("q", `w${i}`));
    const jids = (await Promise.all(pops)).flatMap(jidsOf);
    expect(jids).toHaveLength(20);
    expect(new Set(jids).size).toBe(20);
  });

  test("hands out nine thousand jobs at once, in order", async () => {
    const bench = await open();
    const jids = Array.from({ length: 9_000 }, (_, i) => `j${(i * 7919) % 9000}`);
    for (let i = 0; i < jids.length; i += 1000) {
      const batch = jids.slice(i, i + 1000).flatMap((jid) => ["q", jid, "klass", "{}", 0, 0]);
      await bench.call("put.many", "w", ...batch);
    }
    expect(jidsOf(await bench.pop("q", "w", 9_000))).toEqual(jids);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, running: 9_000 });
  });

  test("hands out all there is when asked for more than ten thousand", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(jidsOf(await bench.pop("q", "w", 1_000_000))).toEqual(["a"]);
  });

  test("takes from several queues, in the order named, up to the count in all", async () => {
    const bench = await open();
    for (const jid of ["q1", "q2"]) await bench.put("q", jid, { priority: 5 });
    for (const jid of ["r1", "r2"]) await bench.put("r", jid);
    await bench.put("s", "s1", { priority: -5 });
    const jobs = popped(await bench.call("pop", "q", "w", 4, "also", '["none","r","s"]'));
    expect(jobs.map(({ jid, queue }) => [jid, queue])).toEqual([
      ["q1", "q"],
      ["q2", "q"],
      ["r1", "r"],
      ["r2", "r"],
    ]);
    expect((await bench.json("get", "s1")).state).toBe("waiting");
    const rest = popped(await bench.call("pop", "q", "w", 4, "also", '["s","s","q"]'));
    expect(jidsOf(rest)).toEqual(["s1"]);
  });

  test("gives every job a new lease, in any queue, that only grows", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b");
    await bench.put("r", "c");
    const first = popped(await bench.call("pop", "q", "w", 3, "also", '["r"]'));
    expect(first.map(({ lease }) => lease)).toEqual([1, 2, 3]);
    await bench.call("retry", "b", "q", "w");
    expect((await bench.pop("q", "w"))[0]!.lease).toBe(4);
    await bench.call("cancel", "b");
    await bench.put("q", "b");
    expect((await bench.pop("q", "w"))[0]!.lease).toBe(5);
  });

  test("locks for as long as the heartbeat says", async () => {
    const bench = await open();
    for (const queue of ["q", "r", "s", "t"]) await bench.put(queue, queue);
    await bench.call("config.set", "heartbeat", 30);
    await bench.call("config.set", "r-heartbeat", 90.5);
    await bench.call("config.set", "heartbeat-s", 15);
    await bench.call("config.set", "t-heartbeat", 10);
    await bench.call("config.set", "heartbeat-t", 20);
    const jobs = popped(await bench.call("pop", "q", "w", 9, "also", '["r","s","t"]'));
    expect(jobs.map(({ jid, expires }) => [jid, expires - 1_000_000])).toEqual([
      ["q", 30],
      ["r", 90.5],
      ["s", 15],
      ["t", 10],
    ]);
  });

  test("writes who took the job into its history", async () => {
    const bench = await open();
    await bring(bench, "running");
    const { history } = await bench.json("get", "a");
    expect(history[1]).toEqual({ what: "popped", worker: "w", when: 1_000_000 });
  });

  test("lists the job among those of its worker", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a"], stalled: [] });
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
  });

  test("makes a worker known that finds nothing", async () => {
    const bench = await open();
    await bench.pop("q", "idle", 1);
    expect(await bench.json("workers")).toEqual([{ name: "idle", jobs: 0, stalled: 0 }]);
  });

  test("hands out nothing of a paused queue, but makes the worker known", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    expect(await bench.pop("q", "w")).toEqual([]);
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
    await bench.call("unpause", "q");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  test("leaves a paused queue alone: locks, due jobs and recurring jobs", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b", { delay: 10 });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 10);
    await bench.call("pause", "q");
    await bench.later(500).pop("q", "w");
    const before = await contents(bench);
    expect(await bench.pop("q", "w", 10)).toEqual([]);
    expect(await contents(bench)).toEqual(before);
    expect((await bench.json("get", "a")).history).toHaveLength(2);
    expect(await bench.json("get", "r-1")).toBeNull();
  });

  test("passes over a paused queue among several", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("r", "b");
    await bench.call("pause", "q");
    const jobs = popped(await bench.call("pop", "q", "w", 2, "also", '["r"]'));
    expect(jidsOf(jobs)).toEqual(["b"]);
  });

  test("is silent about jobs, save to those who track them", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.call("track", "track", "c");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      const jobs = await bench.pop("q", "w", 3);
      expect(jobs.map(({ tracked }) => tracked)).toEqual([true, false, true]);
    });
    expect(told(heard)).toEqual([
      ["popped", "a"],
      ["popped", "c"],
    ]);
  });

  test("counts how long jobs waited, on the day and in the queue of the pop", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("r", "c");
    await bench.later(10).put("q", "b");
    bench.later(20.5);
    await bench.call("pop", "q", "w", 9, "also", '["r"]');
    const { wait, run } = await bench.json("stats", "q", bench.now);
    expect(wait).toMatchObject({ count: 2, mean: 25.5 });
    expect(wait.std).toBeCloseTo(Math.sqrt(50), 9);
    expect(wait.histogram.slice(19, 32)).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    expect(run.count).toBe(0);
    expect(await bench.json("stats", "r", bench.now)).toMatchObject({ wait: { count: 1 } });
    expect(await bench.json("stats", "q", bench.now + 86_400)).toMatchObject({
      wait: { count: 0 },
    });
  });

  test("hands out the same jobs when it is sent again under the same request id", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    const jobs = popped(await resent(bench, "pop", "q", "w", 2));
    expect(jidsOf(jobs)).toEqual(["a", "b"]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["c"]);
  });

  test("finds nothing again for a request that found nothing", async () => {
    const bench = await open();
    expect(await bench.request("r", "pop", "q", "w", 1)).toEqual([]);
    await bench.put("q", "a");
    expect(await bench.request("r", "pop", "q", "w", 1)).toEqual([]);
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  const GOOD: Words = ["q", "w", 1];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["queue", "name"],
      ["worker", "name"],
      ["count", "count"],
    ]),
    ["an unknown option", [...GOOD, "all", 1], /^Unknown option all: it takes also, history/],
    ["an odd option", [...GOOD, "also"], /^Odd number of additional args/],
    ["also a word", [...GOOD, "also", "r"], 'Arg "also" not JSON array of texts: r'],
    ["also with an empty name", [...GOOD, "also", '[""]'], /^Arg "also" must be 1 to 255/],
    ["history a word", [...GOOD, "history", "yes"], 'Arg "history" not a number: yes'],
    ["history 2", [...GOOD, "history", 2], /^Arg "history" must be /],
    ["history -1", [...GOOD, "history", -1], /^Arg "history" must be /],
    ["history half", [...GOOD, "history", 0.5], /^Arg "history" /],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "pop", BAD);
  });
});
