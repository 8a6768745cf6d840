import { expect, test } from "vitest";
import { everyEngine, jidsOf, popped } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("pause", (open) => {
  test("stops the handing out of jobs of a queue, and of no other", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("r", "b");
    expect(await bench.call("pause", "q")).toBe(false);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1, paused: true });
    expect(await bench.json("queues", "r")).toMatchObject({ waiting: 1, paused: false });
    expect(await bench.pop("q", "w", 10)).toEqual([]);
    expect(jidsOf(await bench.pop("r", "w", 10))).toEqual(["b"]);
  });

  test("pauses several queues in one call", async () => {
    const bench = await open();
    for (const queue of ["q", "r", "s"]) await bench.put(queue, queue);
    await bench.call("pause", "q", "r", "q");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual([]);
    expect(jidsOf(await bench.pop("r", "w", 10))).toEqual([]);
    expect(jidsOf(await bench.pop("s", "w", 10))).toEqual(["s"]);
  });

  test("is passed over by a pop from several queues, and by finish", async () => {
    const bench = await open();
    for (const queue of ["q", "r"]) for (const n of [1, 2]) await bench.put(queue, `${queue}${n}`);
    await bench.call("pause", "q");
    const first = await bench.call("pop", "q", "w", 1, "also", '["r"]');
    expect(jidsOf(popped(first))).toEqual(["r1"]);
    const more = await bench.call("finish", "w", 5, '["q","r"]');
    expect(jidsOf(popped(more))).toEqual(["r2"]);
  });

  test("lets running jobs be renewed and finished", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    await bench.pop("q", "w", 4);
    await bench.call("pause", "q");
    expect(await bench.call("heartbeat", "a", "w")).toBe(bench.now + 60);
    expect(await bench.call("complete", "a", "w", "q", "{}")).toBe("complete");
    expect(await bench.call("fail", "b", "w", "g", "m")).toBe("b");
    expect(await bench.call("retry", "c", "q", "w")).toBe(4);
    expect(await bench.call("timeout", "d")).toBe(false);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 2, running: 0 });
  });

  test("lets jobs be put and seen", async () => {
    const bench = await open();
    await bench.call("pause", "q");
    await bench.put("q", "a");
    expect(await bench.json("peek", "q", 10)).toMatchObject([{ jid: "a", state: "waiting" }]);
  });

  test("does not keep the worker that asks from being noted", async () => {
    const bench = await open();
    await bench.call("pause", "q");
    await bench.pop("q", "w");
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("pauses a queue before there is one", async () => {
    const bench = await open();
    await bench.call("pause", "q");
    expect(await bench.json("queues")).toEqual([]);
    expect(await bench.json("queues", "q")).toMatchObject({ paused: true });
    await bench.put("q", "a");
    expect(await bench.pop("q", "w")).toEqual([]);
  });

  test("changes nothing when the queue is paused already, not even since when", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    const since = bench.now;
    bench.later(100);
    await unchanged(bench, () => bench.call("pause", "q"));
    const { reasons } = await bench.json("explain", "a");
    expect(reasons[0]).toEqual({ reason: "paused", since });
  });

  test("outlives the forgetting of the queue", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    await bench.call("queue.forget", "q");
    expect(await bench.pop("q", "w")).toEqual([]);
  });

  test("announces nothing", async () => {
    const bench = await open();
    const events = await heard(bench, async () => {
      await bench.call("pause", "q");
      await bench.call("unpause", "q");
    });
    expect(events).toEqual([]);
  });

  test("refuses bad arguments, all queues or none", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "pause", [
      [[], missing("queues")],
      [[""], badName("queues")],
      [["q", ""], badName("queues")],
      [["q", "r\n"], badName("queues")],
      [["q", LONG], badName("queues")],
    ]);
  });
});
