import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { badName, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("length", (open) => {
  test("counts the jobs of a queue that run, wait or are scheduled", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.pop("q", "w", 2);
    await bench.put("q", "later", { delay: 100 });
    await bench.put("other", "elsewhere");
    expect(await bench.call("length", "q")).toBe(4);
  });

  const uncounted: readonly string[] = ["depends", "complete", "failed"];
  for (const state of STATES) {
    const count = uncounted.includes(state) ? 0 : 1;
    test(`counts ${count === 0 ? "no" : "a"} job that is ${state}`, async () => {
      const bench = await open();
      await jobIn(bench, state);
      expect(await bench.call("length", "q")).toBe(count);
    });
  }

  test("does not count recurring jobs, only their children", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    expect(await bench.call("length", "q")).toBe(0);
    await bench.call("tick");
    expect(await bench.call("length", "q")).toBe(1);
  });

  test("counts expired locks and due jobs once, and moves nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.put("q", "b", { delay: 1 });
    bench.later(100);
    await unchanged(bench, async () => {
      expect(await bench.call("length", "q")).toBe(2);
    });
    await bench.call("tick");
    expect(await bench.call("length", "q")).toBe(2);
  });

  test("is zero for a queue that does not exist", async () => {
    const bench = await open();
    expect(await bench.call("length", "none")).toBe(0);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "length", [
      [[], missing("queue")],
      [[""], badName("queue")],
      [["q\r"], badName("queue")],
      [[LONG], badName("queue")],
      [["q", "r"], /^Odd number of additional args/],
      [["q", "state", "waiting"], "Unknown option state: it takes none"],
    ]);
  });
});
