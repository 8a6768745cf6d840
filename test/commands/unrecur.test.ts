import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("unrecur", (open) => {
  async function recurring() {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    return bench;
  }

  test("ends a recurring job", async () => {
    const bench = await recurring();
    expect(await bench.call("unrecur", "r")).toBe(1);
    expect(await bench.json("recur.get", "r")).toBeNull();
    expect(await bench.json("queues", "q")).toMatchObject({ recurring: 0 });
    expect(await bench.later(600).pop("q", "w", 10)).toEqual([]);
  });

  test("leaves the children alone", async () => {
    const bench = await recurring();
    await bench.later(60).call("tick");
    await bench.call("unrecur", "r");
    expect(jidsOf(await bench.later(600).pop("q", "w", 10))).toEqual(["r-1", "r-2"]);
  });

  test("leaves other recurring jobs of the queue alone", async () => {
    const bench = await recurring();
    await bench.call("recur", "q", "s", "klass", "{}", "interval", 60, 0);
    await bench.call("unrecur", "r");
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["s-1"]);
  });

  test("tells 1 for what does not recur, too, a plain job included, and changes nothing", async () => {
    const bench = await recurring();
    await bench.put("q", "a");
    await unchanged(bench, async () => {
      expect(await bench.call("unrecur", "none")).toBe(1);
      expect(await bench.call("unrecur", "a")).toBe(1);
    });
  });

  test("announces nothing", async () => {
    const bench = await recurring();
    expect(await heard(bench, () => bench.call("unrecur", "r"))).toEqual([]);
  });

  test("refuses bad arguments", async () => {
    const bench = await recurring();
    await refusesEach(bench, "unrecur", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["r\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["r", "s"], /^Odd number of additional args/],
    ]);
  });
});
