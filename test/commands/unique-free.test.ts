import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badCalls, refusesEach, resent } from "./behaviour.ts";

everyEngine("unique.free", (open) => {
  test.each([{ until: "complete" }, { for: 100 }])("lets go of a key, %o", async (held) => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", ...held });
    const before = await bench.json("get", "a");
    expect(await bench.call("unique.free", "k")).toBe(1);
    expect(await bench.json("get", "a")).toEqual({ ...before, unique: null });
    expect(await bench.call("unique.get", "k")).toBe("");
    expect(await bench.put("q", "b", { unique: "k" })).toBe("b");
  });

  test("tells when there was nothing to let go of", async () => {
    const bench = await open();
    expect(await bench.call("unique.free", "k")).toBe(0);
    await bench.put("q", "a", { unique: "k", for: 5 });
    expect(await bench.later(5).call("unique.free", "k")).toBe(0);
  });

  test("lets go of the key of a job that is no longer kept", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history", 0);
    await bench.put("q", "a", { unique: "k", for: 100 });
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.call("unique.free", "k")).toBe(1);
    expect(await bench.call("unique.free", "k")).toBe(0);
  });

  test("is silent", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    expect(await bench.hearing(() => bench.call("unique.free", "k"))).toEqual([]);
  });

  test("does nothing more when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    expect(await resent(bench, "unique.free", "k")).toBe(1);
  });

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await refusesEach(bench, "unique.free", [
      ...badCalls(["k"], [["key", "name"]]),
      ["an option", ["k", "x", 1], "Unknown option x: it takes none"],
    ]);
  });
});
