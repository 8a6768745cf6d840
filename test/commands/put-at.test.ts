import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { refusesEach, type Words } from "./behaviour.ts";

everyEngine("put for a moment", (open) => {
  test("makes the job due then", async () => {
    const bench = await open();
    const at = bench.now + 50.5;
    await bench.put("q", "a", { at });
    expect(await bench.json("get", "a")).toMatchObject({ state: "scheduled", scheduled: at });
    expect(await bench.at(at - 0.001).pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(at).pop("q", "w"))).toEqual(["a"]);
  });

  test.each([0, 1, 999_999.999, 1_000_000])(
    "that is not to come, %d, means at once",
    async (at) => {
      const bench = await open();
      await bench.put("q", "a", { at });
      expect((await bench.json("get", "a")).state).toBe("waiting");
      expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
    },
  );

  test("holds for each job of a batch, and for a job that exists", async () => {
    const bench = await open();
    const at = bench.now + 5;
    const jobs: Words = ["q", "a", "k", "{}", 0, 2, "at", at, "q", "b", "k", "{}", 0, 0];
    await bench.call("put.many", "w", ...jobs);
    expect((await bench.json("get", "a")).scheduled).toBe(at);
    await bench.call("requeue", "w", "q", "b", "k", "{}", 0, "at", at + 1);
    expect((await bench.json("get", "b")).scheduled).toBe(at + 1);
    await bench.call("put", "w", "q", "b", "k", "{}", 0, "at", 0);
    expect((await bench.json("get", "b")).state).toBe("waiting");
  });

  test("goes on while the job waits for others", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.put("q", "a", { depends: ["before"], at: bench.now + 50 });
    expect(await bench.json("get", "a")).toMatchObject({
      state: "depends",
      scheduled: bench.now + 50,
    });
  });

  test("refuses a delay beside it and what is no moment, and changes nothing", async () => {
    const bench = await open();
    const mixed = '"at" cannot be used with a delay: give 0 as the delay';
    const head = ["w", "q", "a", "k", "{}"];
    await refusesEach(bench, "put", [
      ["a delay", [...head, 5, "at", 1], mixed],
      ["a negative delay", [...head, -5, "at", 1], mixed],
      ["no number", [...head, 0, "at", "soon"], 'Arg "at" not a number: soon'],
      ["a moment before 1970", [...head, 0, "at", -1], /^Arg "at" must be from 0 to/],
      ["a moment too late", [...head, 0, "at", 5e9], /^Arg "at" must be from 0 to/],
    ]);
    const many = ["w", "q", "a", "k", "{}", 5, 2, "at", 1];
    await refusesEach(bench, "put.many", [["a delay", many, mixed]]);
  });
});
