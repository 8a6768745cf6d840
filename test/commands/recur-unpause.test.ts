import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { refusedInVain, resent } from "./behaviour.ts";

everyEngine("recur.unpause", (open) => {
  async function paused(offset = 60) {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, offset);
    await bench.call("recur.pause", "r");
    return bench;
  }

  test("lets a child come when it would have, if that is still to come", async () => {
    const bench = await paused();
    expect(await bench.later(30).call("recur.unpause", "r")).toBe(1);
    const told = await bench.json("recur.get", "r");
    expect(told).toMatchObject({ next: 1_000_060, count: 0 });
    expect(told).not.toHaveProperty("paused");
    expect(jidsOf(await bench.later(30).pop("q", "w", 10))).toEqual(["r-1"]);
  });

  test("goes on in the rhythm from before, without the children that were missed", async () => {
    const bench = await paused();
    await bench.later(200).call("recur.unpause", "r");
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_240);
    expect(await bench.pop("q", "w", 10)).toEqual([]);
    expect(jidsOf(await bench.later(40).pop("q", "w", 10))).toEqual(["r-1"]);
    expect(await bench.problems()).toEqual([]);
  });

  test("puts a child at once when it comes at the very time of one", async () => {
    const bench = await paused();
    await bench.later(180).call("recur.unpause", "r");
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_180);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["r-1"]);
  });

  test("goes on counting the children", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    await bench.call("tick");
    await bench.call("recur.pause", "r");
    await bench.later(600).call("recur.unpause", "r");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["r-1", "r-2"]);
  });

  test("has housekeeping come by for the next child", async () => {
    const bench = await paused();
    await bench.later(60).call("tick");
    await bench.later(7).call("recur.unpause", "r");
    expect(await bench.json("tick")).toMatchObject({ next: 1_000_120 });
    expect(await bench.later(53).json("tick")).toMatchObject({ moved: 1 });
  });

  test("changes nothing when the recurring job is not paused", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    bench.later(200);
    await unchanged(bench, async () => expect(await bench.call("recur.unpause", "r")).toBe(0));
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["r-1", "r-2", "r-3"]);
  });

  test("is refused for what does not recur", async () => {
    const bench = await paused();
    const reason = "Recurring job none does not exist";
    await refusedInVain(bench, ["recur.unpause", "none"], "NO_SUCH_RECURRING", reason);
  });

  test("announces nothing, and answers the same when it is sent again", async () => {
    const bench = await paused();
    expect(await heard(bench, () => bench.call("recur.unpause", "r"))).toEqual([]);
    await bench.call("recur.pause", "r");
    expect(await resent(bench, "recur.unpause", "r")).toBe(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await paused();
    await refusesEach(bench, "recur.unpause", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["r\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["r", "s"], /^Odd number of additional args/],
    ]);
  });
});
