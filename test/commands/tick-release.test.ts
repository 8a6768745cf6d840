import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { heard } from "../told.ts";

everyEngine("tick", (open) => {
  /** A job that runs, and so many that wait for it. */
  async function awaited(count: number, options: (string | number)[] = []) {
    const bench = await open();
    await bench.put("first", "before");
    await bench.pop("first", "w");
    const jids = Array.from({ length: count }, (_, i) => `j${String(i).padStart(4, "0")}`);
    const words = [...options, "depends", '["before"]'];
    for (let i = 0; i < count; i += 1000) {
      const jobs = jids
        .slice(i, i + 1000)
        .map((jid) => ["q", jid, "k", "{}", 0, words.length, ...words]);
      await bench.call("put.many", "w", ...jobs.flat());
    }
    return { bench, jids };
  }
  const finish = (bench: Bench) => bench.call("complete", "before", "w", "first", "{}");

  test("releases the dependents that a completion has left, five hundred at once", async () => {
    const { bench, jids } = await awaited(1700);
    await finish(bench);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 500, depends: 1200 });
    expect(await bench.json("tick")).toMatchObject({ released: 500, more: true });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1000, depends: 700 });
    expect(await bench.json("tick")).toMatchObject({ released: 500, more: true });
    expect(await bench.json("tick")).toMatchObject({ released: 200 });
    expect(await bench.json("tick")).toMatchObject({ released: 0, more: false });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1700, depends: 0 });
    expect(jidsOf(await bench.pop("q", "w", 2000))).toEqual(jids);
  });

  test("has nothing to release when a completion could do it all", async () => {
    const { bench } = await awaited(500);
    await finish(bench);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 500, depends: 0 });
    expect(await bench.json("tick")).toMatchObject({ released: 0, more: false });
  });

  test("releases the rest after several completions, one after the other", async () => {
    const { bench } = await awaited(510);
    await bench.put("first", "second");
    await bench.pop("first", "w");
    const depends = ["depends", '["second"]'];
    const jobs = Array.from({ length: 510 }, (_, i) => ["r", `k${i}`, "k", "{}", 0, 2, ...depends]);
    await bench.call("put.many", "w", ...jobs.flat());
    await finish(bench);
    await bench.call("complete", "second", "w", "first", "{}");
    expect(await bench.json("tick")).toMatchObject({ released: 10, more: true });
    expect(await bench.json("tick")).toMatchObject({ released: 10, more: false });
    expect(await bench.call("length", "q")).toBe(510);
    expect(await bench.call("length", "r")).toBe(510);
  });

  test("releases the rest though the completed job is gone by then", async () => {
    const { bench } = await awaited(600);
    await bench.call("config.set", "jobs-history", 0);
    await finish(bench);
    expect(await bench.json("get", "before")).toBeNull();
    await bench.call("tick");
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 600, depends: 0 });
  });

  test("releases nothing of a job that still waits for another", async () => {
    const { bench } = await awaited(501);
    await bench.put("first", "other");
    await bench.call("depends", "j0500", "on", "other");
    await finish(bench);
    expect(await bench.json("tick")).toMatchObject({ released: 1 });
    expect(await bench.json("get", "j0500")).toMatchObject({
      state: "depends",
      dependencies: ["other"],
    });
  });

  test("lets the rest be put anew, canceled or freed by hand before it comes by", async () => {
    const { bench } = await awaited(504);
    await finish(bench);
    await bench.call("cancel", "j0500");
    await bench.call("depends", "j0501", "off", "all");
    await bench.put("elsewhere", "j0502");
    await bench.call("tick");
    expect(await bench.json("queues", "q")).toMatchObject({ depends: 0 });
    const states = await bench.json("multiget", "j0500", "j0501", "j0502", "j0503");
    expect(states).toMatchObject([
      { jid: "j0501", state: "waiting", queue: "q", dependencies: [] },
      { jid: "j0502", state: "waiting", queue: "elsewhere", dependencies: [] },
      { jid: "j0503", state: "waiting", queue: "q", dependencies: [] },
    ]);
  });

  test("lets the completed job be put again before the rest is released", async () => {
    const { bench } = await awaited(501);
    await finish(bench);
    await bench.put("first", "before");
    await bench.call("tick");
    expect(await bench.json("get", "before")).toMatchObject({ state: "waiting" });
    const { state, dependencies } = await bench.json("get", "j0500");
    expect(state === "waiting" ? [] : ["before"]).toEqual(dependencies);
  });

  test("announces nothing of a release", async () => {
    const { bench } = await awaited(501);
    await finish(bench);
    expect(await heard(bench, () => bench.call("tick"))).toEqual([]);
  });

  test("is announced as needed when a completion leaves dependents over", async () => {
    const { bench } = await awaited(501);
    const told = await heard(bench, () => finish(bench));
    expect(told).toContainEqual(["tick", { event: "tick", at: bench.now }]);
    const { bench: other } = await awaited(500);
    expect(JSON.stringify(await heard(other, () => finish(other)))).not.toContain("tick");
  });

  test.each([600, 1200, 5000])(
    "is not needed where workers pop: of %i each pop releases some",
    async (count) => {
      const { bench, jids } = await awaited(count);
      await finish(bench);
      const taken: string[] = [];
      for (let pops = 0; pops < 10; pops++) taken.push(...jidsOf(await bench.pop("q", "w", 1000)));
      expect(taken).toEqual(jids);
      expect(await bench.json("queues", "q")).toMatchObject({ waiting: 0, depends: 0 });
      expect(await bench.json("tick")).toMatchObject({ released: 0, more: false });
    },
  );

  test("is not needed where the queue that a worker pops is another than they go to", async () => {
    const { bench } = await awaited(1200);
    await bench.call("pause", "q");
    await finish(bench);
    for (let pops = 0; pops < 2; pops++) await bench.pop("first", "w");
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1200, depends: 0 });
  });

  test("goes on with one slice for each call that asks many queues", async () => {
    const { bench } = await awaited(1700);
    await finish(bench);
    await bench.pop("first", "w", 1);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1000, depends: 700 });
    await bench.call("finish", "w", 1, '["first","q"]');
    expect(await bench.json("queues", "q")).toMatchObject({ depends: 200, running: 1 });
  });
});
