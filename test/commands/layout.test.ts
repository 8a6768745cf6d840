import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { heard, refusesEach, unchanged } from "../told.ts";

everyEngine("layout", (open) => {
  test("tells the layout of the data, in an empty namespace and in a used one", async () => {
    const bench = await open();
    expect(await bench.call("layout")).toBe(1);
    await bench.put("q", "a");
    expect(await bench.call("layout")).toBe(1);
  });

  test("changes nothing that anyone sees, and announces nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await unchanged(bench, () => bench.call("layout"));
    expect(await heard(bench, () => bench.call("layout"))).toEqual([]);
    await bench.put("q", "b");
    expect(await bench.pop("q", "w")).toMatchObject([{ jid: "b", lease: 2 }]);
  });

  test("refuses arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "layout", [
      [["1"], /^Odd number of additional args/],
      [["layout", 1], "Unknown option layout: it takes none"],
    ]);
  });
});
