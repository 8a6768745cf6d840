import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badCalls, refusesEach } from "./behaviour.ts";

everyEngine("unique.get", (open) => {
  test("tells which job holds the key", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.put("q", "b", { unique: "l", for: 5 });
    expect(await bench.call("unique.get", "k")).toBe("a");
    expect(await bench.call("unique.get", "l")).toBe("b");
  });

  test("tells nothing of a key that is free, or free again", async () => {
    const bench = await open();
    expect(await bench.call("unique.get", "k")).toBe("");
    await bench.put("q", "a", { unique: "k", for: 5 });
    expect(await bench.later(5).call("unique.get", "k")).toBe("");
  });

  test("refuses arguments that cannot be", async () => {
    const bench = await open();
    await refusesEach(bench, "unique.get", [
      ...badCalls(["k"], [["key", "name"]]),
      ["an option", ["k", "x", 1], "Unknown option x: it takes none"],
    ]);
  });
});
