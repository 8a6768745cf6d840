import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

const namesOf = async (bench: Bench) =>
  (await bench.json("queues")).map(({ name }: { name: string }) => name);

everyEngine("queue.forget", (open) => {
  test("takes queues off the list", async () => {
    const bench = await open();
    for (const queue of ["q", "r", "s"]) await bench.later(1).put(queue, queue);
    expect(await bench.call("queue.forget", "q", "s", "q")).toBe(false);
    expect(await namesOf(bench)).toEqual(["r"]);
  });

  test("leaves the jobs of the queue alone, in whatever state", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.pop("q", "w");
    await bench.put("q", "c", { delay: 10 });
    await bench.call("queue.forget", "q");
    expect(await bench.call("length", "q")).toBe(3);
    expect(await bench.call("complete", "a", "w", "q", "{}")).toBe("complete");
    expect(jidsOf(await bench.later(10).pop("q", "w", 10))).toEqual(["b", "c"]);
  });

  test("does not keep tick from the queue", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    await bench.call("queue.forget", "q");
    expect(await bench.later(10).json("tick")).toMatchObject({ moved: 1 });
  });

  test("is over with the next put, and the queue is then the newest", async () => {
    const bench = await open();
    for (const queue of ["q", "r"]) await bench.later(1).put(queue, queue);
    await bench.call("queue.forget", "q");
    await bench.later(1).put("q", "again");
    expect(await namesOf(bench)).toEqual(["r", "q"]);
  });

  test("keeps the order of put between jobs before it and after it", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.call("queue.forget", "q");
    await bench.put("q", "after");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["before", "after"]);
  });

  test("keeps the settings of the queue", async () => {
    const bench = await open();
    await bench.call("config.set", "q-heartbeat", 10);
    await bench.put("q", "a");
    await bench.call("queue.forget", "q");
    const [job] = await bench.pop("q", "w");
    expect(job!.expires).toBe(bench.now + 10);
  });

  test("changes nothing for a queue that does not exist", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await unchanged(bench, () => bench.call("queue.forget", "none"));
  });

  test("announces nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await heard(bench, () => bench.call("queue.forget", "q"))).toEqual([]);
  });

  test("refuses bad arguments, all queues or none", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "queue.forget", [
      [[], missing("queues")],
      [[""], badName("queues")],
      [["q", ""], badName("queues")],
      [["q", "r\n"], badName("queues")],
      [["q", LONG], badName("queues")],
    ]);
  });
});
