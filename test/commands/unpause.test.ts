import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { badName, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("unpause", (open) => {
  test("hands out the jobs of a queue again", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    expect(await bench.call("unpause", "q")).toBe(false);
    expect(await bench.json("queues", "q")).toMatchObject({ paused: false });
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  test("ends the pause of several queues in one call, and of no other", async () => {
    const bench = await open();
    for (const queue of ["q", "r", "s"]) await bench.put(queue, queue);
    await bench.call("pause", "q", "r", "s");
    await bench.call("unpause", "q", "r", "q");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["q"]);
    expect(jidsOf(await bench.pop("r", "w"))).toEqual(["r"]);
    expect(jidsOf(await bench.pop("s", "w"))).toEqual([]);
  });

  test("lets what fell due in the meantime happen", async () => {
    const bench = await open();
    await bench.put("q", "dropped");
    await bench.pop("q", "w");
    await bench.put("q", "delayed", { delay: 10 });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 3600, 10);
    await bench.call("config.set", "grace-period", 0);
    await bench.call("pause", "q");
    expect(await bench.later(100).pop("q", "other", 10)).toEqual([]);
    await bench.call("unpause", "q");
    const jids = jidsOf(await bench.pop("q", "other", 10));
    expect(jids).toHaveLength(3);
    expect(jids[0]).toBe("dropped");
    expect(jids).toContain("delayed");
    expect(jids).toContain("r-1");
  });

  test("changes nothing for queues that are not paused or do not exist", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await unchanged(bench, async () => {
      expect(await bench.call("unpause", "q", "none")).toBe(false);
    });
    expect(await bench.json("queues", "none")).toMatchObject({ paused: false });
  });

  test("refuses bad arguments, all queues or none", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("pause", "q");
    await refusesEach(bench, "unpause", [
      [[], missing("queues")],
      [[""], badName("queues")],
      [["q", ""], badName("queues")],
      [["q", "r\n"], badName("queues")],
      [["q", LONG], badName("queues")],
    ]);
  });
});
