import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { bring } from "./behaviour.ts";

const stateOf = async (bench: Bench, jid: string) => (await bench.json("get", jid)).state;

everyEngine("complete of a job that others wait for", (open) => {
  test("lets go those that wait for nothing else", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("q", "c");
    await bench.put("r", "one", { depends: ["b"] });
    await bench.put("s", "two", { depends: ["b", "c"] });
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("multiget", "one", "two", "b")).toMatchObject([
      { state: "waiting", dependencies: [] },
      { state: "depends", dependencies: ["c"] },
      { state: "complete", dependents: [] },
    ]);
    expect(await bench.json("queues", "r")).toMatchObject({ depends: 0, waiting: 1 });
  });

  test("gives them their priority, and places in the order they were put", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.later(1).put("r", "z", { depends: ["b"] });
    await bench.later(1).put("r", "a", { depends: ["b"] });
    await bench.later(1).put("r", "urgent", { depends: ["b"], priority: -1 });
    await bench.later(1).put("r", "waiting");
    await bench.later(1).call("complete", "b", "w", "q", "{}");
    expect(jidsOf(await bench.pop("r", "v", 9))).toEqual(["urgent", "waiting", "z", "a"]);
  });

  test("schedules those whose delay is not over", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("r", "a", { depends: ["b"], delay: 50 });
    await bench.later(10).call("complete", "b", "w", "q", "{}");
    const delayed = { state: "scheduled", scheduled: 1_000_050 };
    expect(await bench.json("get", "a")).toMatchObject(delayed);
    expect(jidsOf(await bench.at(1_000_050).pop("r", "w"))).toEqual(["a"]);
  });

  test("is silent about them and writes nothing into their history", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("r", "a", { depends: ["b"] });
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("complete", "b", "w", "q", "{}");
    });
    expect(heard.filter(({ message }) => !message.includes('"b"'))).toEqual([]);
    expect((await bench.json("get", "a")).history).toHaveLength(1);
  });

  test.each(["fail", "retry"] as const)("lets go nobody on a %s", async (verb) => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("r", "a", { depends: ["b"] });
    if (verb === "fail") await bench.call(verb, "b", "w", "group", "message");
    else await bench.call(verb, "b", "q", "w");
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["b"] });
  });

  test("leaves the rest of more than five hundred to tick", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    const jids = Array.from({ length: 1_200 }, (_, i) => `j${i}`);
    for (const part of [jids.slice(0, 600), jids.slice(600)]) {
      const words = part.flatMap((jid) => ["r", jid, "k", "{}", 0, 2, "depends", '["b"]']);
      await bench.call("put.many", "w", ...words);
    }
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("queues", "r")).toMatchObject({ waiting: 500, depends: 700 });
    expect(await bench.json("tick")).toMatchObject({ released: 500, more: true });
    expect(await bench.json("tick")).toMatchObject({ released: 200 });
    expect(await bench.json("tick")).toMatchObject({ released: 0, more: false });
    expect(await bench.json("queues", "r")).toMatchObject({ waiting: 1_200, depends: 0 });
  });

  test("works through a chain", async () => {
    const bench = await open();
    await bench.put("q", "j0");
    for (let i = 1; i < 10; i++) await bench.put("q", `j${i}`, { depends: [`j${i - 1}`] });
    for (let i = 0; i < 10; i++) {
      expect(jidsOf(await bench.pop("q", "w", 10))).toEqual([`j${i}`]);
      await bench.call("complete", `j${i}`, "w", "q", "{}");
    }
    expect(await stateOf(bench, "j9")).toBe("complete");
  });

  test("does not let a job go that was put anew without waiting", async () => {
    const bench = await open();
    await bring(bench, "running", "b");
    await bench.put("r", "a", { depends: ["b"] });
    await bench.put("r", "a", { depends: ["nobody"] });
    await bench.pop("r", "v");
    await bench.call("complete", "b", "w", "q", "{}");
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", worker: "v" });
  });
});
