import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { resent, told } from "./behaviour.ts";

everyEngine("put", (open) => {
  test("creates a job that waits in its queue", async () => {
    const bench = await open();
    expect(await bench.call("put", "w", "q", "a", "klass", '{"n":1}', 0)).toBe("a");
    expect(await bench.json("get", "a")).toMatchObject({
      jid: "a",
      klass: "klass",
      queue: "q",
      state: "waiting",
      data: '{"n":1}',
      priority: 0,
      retries: 5,
      remaining: 5,
      tags: [],
      worker: "",
      tracked: false,
      history: [{ what: "put", q: "q", when: 1_000_000 }],
    });
  });

  test("makes its queue known, at the place of the first put", async () => {
    const bench = await open();
    for (const queue of ["z", "a", "z", "m"]) await bench.later(1).put(queue, `in-${queue}`);
    const queues: { name: string; waiting: number }[] = await bench.json("queues");
    expect(queues.map(({ name, waiting }) => [name, waiting])).toEqual([
      ["z", 1],
      ["a", 1],
      ["m", 1],
    ]);
  });

  test("makes a forgotten queue known again", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("queue.forget", "q");
    expect(await bench.json("queues")).toEqual([]);
    await bench.put("q", "b");
    expect(await bench.json("queues")).toMatchObject([{ name: "q", waiting: 2 }]);
  });

  test("keeps the order of put within a priority, also within one millisecond", async () => {
    const bench = await open();
    const jids = ["z", "y", "x", "b", "a", "m"];
    for (const jid of jids) await bench.put("q", jid);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(jids);
  });

  test("keeps the order of two thousand puts of one millisecond", async () => {
    const bench = await open();
    const jids = Array.from({ length: 2_000 }, (_, i) => `j${(i * 7919) % 2000}`);
    await Promise.all(jids.map((jid) => bench.put("q", jid)));
    expect(jidsOf(await bench.pop("q", "w", 2_000))).toEqual(jids);
  });

  test("keeps the order of put when the clock goes back", async () => {
    const bench = await open();
    await bench.at(2_000_000).put("q", "z");
    await bench.at(1_000_000).put("q", "a");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["z", "a"]);
  });

  test("schedules a job that has a delay", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10.5 });
    expect(await bench.json("get", "a")).toMatchObject({
      state: "scheduled",
      scheduled: 1_000_010.5,
    });
    expect(await bench.json("queues", "q")).toMatchObject({ scheduled: 1, waiting: 0 });
    expect(await bench.pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_010.5).pop("q", "w"))).toEqual(["a"]);
  });

  test.each([0, -1, -0.001, -1e9])("takes a delay of %d for none", async (delay) => {
    const bench = await open();
    await bench.put("q", "a", { delay });
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", scheduled: null });
  });

  test("schedules thirty years ahead", async () => {
    const bench = await open();
    await bench.at(1_700_000_000).put("q", "a", { delay: 1e9 });
    expect(await bench.json("get", "a")).toMatchObject({ scheduled: 2_700_000_000 });
    expect(jidsOf(await bench.at(2_700_000_000).pop("q", "w"))).toEqual(["a"]);
  });

  test("tags the job, each tag once, in the order given", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["y", "x", "y"] });
    await bench.put("q", "b", { tags: ["x"] });
    expect((await bench.json("get", "a")).tags).toEqual(["y", "x"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["a", "b"] });
    expect(await bench.json("tag", "get", "y")).toEqual({ total: 1, jobs: ["a"] });
    expect(await bench.json("tag", "top")).toEqual(["x"]);
  });

  test("gives the job as many retries as it says", async () => {
    const bench = await open();
    await bench.put("q", "a", { retries: 0 });
    await bench.put("q", "b", { retries: 1_000_000 });
    expect(await bench.json("get", "a")).toMatchObject({ retries: 0, remaining: 0 });
    expect(await bench.json("get", "b")).toMatchObject({
      retries: 1_000_000,
      remaining: 1_000_000,
    });
  });

  test("gives the job as many retries as its queue says when it says nothing itself", async () => {
    const bench = await open();
    await bench.call("config.set", "q-retries", 2);
    await bench.put("q", "a");
    await bench.put("q", "b", { retries: 7 });
    await bench.put("r", "c");
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { retries: 2, remaining: 2 },
      { retries: 7, remaining: 7 },
      { retries: 5, remaining: 5 },
    ]);
    await bench.call("config.unset", "q-retries");
    await bench.put("q", "d");
    expect(await bench.json("multiget", "a", "d")).toMatchObject([{ retries: 2 }, { retries: 5 }]);
  });

  test("rounds a priority to a ten-thousandth", async () => {
    const bench = await open();
    const given = { a: 1.00004, b: 1.00005, c: -1.00006, d: 999_999_999.9999, e: -1e9, f: 0.1 };
    for (const [jid, priority] of Object.entries(given)) await bench.put("q", jid, { priority });
    const jobs: { priority: number }[] = await bench.json("multiget", ...Object.keys(given));
    const priorities = jobs.map(({ priority }) => priority);
    expect(priorities).toEqual([1, 1.0001, -1.0001, 999_999_999.9999, -1e9, 0.1]);
  });

  test("reads numbers in every decimal spelling", async () => {
    const bench = await open();
    const spelt = ["1", "1.", "1.0", "1e0", "10E-1", "0.1e+1", "001"];
    for (const priority of spelt) {
      await bench.call("put", "w", "q", "a", "klass", "{}", 0, "priority", priority);
      expect((await bench.json("get", "a")).priority).toBe(1);
    }
  });

  test("takes the last of an option given twice", async () => {
    const bench = await open();
    await bench.call("put", "w", "q", "a", "klass", "{}", 0, "priority", 1, "priority", 2);
    expect((await bench.json("get", "a")).priority).toBe(2);
  });

  test("announces the put, and to those who track the job once more", async () => {
    const bench = await open();
    const first = await bench.hearing(() => bench.put("q", "a"));
    expect(told(first)).toEqual([["log", { event: "put", jid: "a", queue: "q" }]]);
    await bench.call("track", "track", "a");
    const second = await bench.hearing(() => bench.put("r", "a"));
    expect(told(second)).toEqual([
      ["log", { event: "put", jid: "a", queue: "r" }],
      ["put", "a"],
    ]);
  });

  test("tracks a job that comes back after it was canceled", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    const heard = await bench.hearing(() => bench.put("q", "a"));
    expect(told(heard).at(-1)).toEqual(["put", "a"]);
    expect((await bench.json("get", "a")).tracked).toBe(true);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    const put = ["w", "q", "a", "klass", "{}", 0, "tags", '["x"]'];
    expect(await resent(bench, "put", ...put)).toBe("a");
    expect((await bench.json("get", "a")).history).toHaveLength(1);
  });

  test("does not remember a refusal under its request id", async () => {
    const bench = await open();
    const bad = bench.request("r", "put", "w", "q", "a", "klass", "{}", "soon");
    await expect(bad).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    expect(await bench.request("r", "put", "w", "q", "a", "klass", "{}", 0)).toBe("a");
  });

  test("gives the first answer to a request id even when the call is another", async () => {
    const bench = await open();
    await bench.request("r", "put", "w", "q", "a", "klass", "{}", 0);
    expect(await bench.request("r", "put", "w", "q", "b", "klass", "{}", 0)).toBe("a");
    expect(await bench.json("get", "b")).toBeNull();
  });

  test("forgets a request id after ten minutes, when tick has come by", async () => {
    const bench = await open();
    const put = () => bench.request("r", "put", "w", "q", "a", "klass", "{}", 0);
    await put();
    await bench.later(599).json("tick");
    await put();
    expect((await bench.json("get", "a")).history).toHaveLength(1);
    await bench.later(1).json("tick");
    await put();
    expect((await bench.json("get", "a")).history).toHaveLength(2);
  });
});
