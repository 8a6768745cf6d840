import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";

/** Who holds the key `k`; empty when nobody does. */
const holder = (bench: Bench) => bench.call("unique.get", "k");

/** The key that the job says it holds. */
const keyOf = async (bench: Bench, jid = "a") => (await bench.json("get", jid)).unique;

everyEngine("put with a key for a time", (open) => {
  test("holds the key that long, whatever becomes of the job", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 100 });
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.later(99.999).put("q", "b", { unique: "k" })).toBe("a");
    expect(await bench.later(0.001).put("q", "b", { unique: "k" })).toBe("b");
    expect([await keyOf(bench), await keyOf(bench, "b")]).toEqual([null, "k"]);
  });

  test("counts the key as free at the end, tick or no tick", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 10 });
    expect([await holder(bench), await keyOf(bench)]).toEqual(["a", "k"]);
    bench.later(10);
    expect([await holder(bench), await keyOf(bench)]).toEqual(["", null]);
    expect(await bench.json("tick")).toMatchObject({ removed: 1 });
    expect(await bench.json("tick")).toMatchObject({ removed: 0 });
    expect([await holder(bench), await keyOf(bench)]).toEqual(["", null]);
  });

  test("outlives a job that is no longer kept", async () => {
    const bench = await open();
    await bench.call("config.set", "jobs-history", 50);
    await bench.put("q", "a", { unique: "k", for: 100 });
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    await bench.later(60).call("tick");
    expect(await bench.json("get", "a")).toBeNull();
    for (const conflict of ["keep", "replace", "data", "time"]) {
      expect(await bench.put("q", "b", { unique: "k", conflict })).toBe("a");
    }
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.put("q", "a")).toBe("a");
    expect(await keyOf(bench)).toBeNull();
    expect(await bench.put("q", "b", { unique: "k", conflict: "replace", data: "[1]" })).toBe("a");
    expect(await bench.json("get", "a")).toMatchObject({ data: "{}", unique: null });
    expect(await bench.put("q", "a", { unique: "k" })).toBe("a");
    expect(await keyOf(bench)).toBe("k");
  });

  test("ends with a cancel", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 100 });
    await bench.call("cancel", "a");
    expect(await holder(bench)).toBe("");
  });

  test("is counted anew from each put of the job", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 10 });
    await bench.later(9).put("q", "a", { unique: "k", for: 10 });
    expect(await bench.later(9).call("unique.get", "k")).toBe("a");
    await bench.put("q", "a", { unique: "k", until: "failed" });
    await bench.later(100).call("tick");
    expect(await holder(bench)).toBe("a");
  });

  test("is removed by tick in slices", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 150 }, (_, i) => {
      return ["q", `job-${i}`, "k", "{}", 0, 4, "unique", `key-${i}`, "for", 10];
    });
    await bench.call("put.many", "w", ...jobs.flat());
    bench.later(10);
    expect(await bench.json("tick")).toMatchObject({ more: true, removed: 100 });
    expect(await bench.json("tick")).toMatchObject({ more: false, removed: 50 });
    expect(await keyOf(bench, "job-149")).toBeNull();
  });
});
