import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

const namesOf = async (bench: Bench) =>
  (await bench.json("workers")).map(({ name }: { name: string }) => name);

everyEngine("worker.deregister", (open) => {
  test("takes workers off the list", async () => {
    const bench = await open();
    for (const worker of ["a", "b", "c"]) await bench.pop("q", worker);
    expect(await bench.call("worker.deregister", "a", "c", "a")).toBe(false);
    expect(await namesOf(bench)).toEqual(["b"]);
  });

  test("leaves the worker its jobs", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.call("worker.deregister", "w");
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["a"], stalled: [] });
    expect(await bench.call("complete", "a", "w", "q", "{}")).toBe("complete");
  });

  test("is over when the worker renews a lock", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.call("worker.deregister", "w");
    await bench.call("heartbeat", "a", "w");
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
  });

  test("is over when the worker asks for work", async () => {
    const bench = await open();
    await bench.pop("q", "w");
    await bench.call("worker.deregister", "w");
    await bench.later(2).pop("q", "w");
    expect(await namesOf(bench)).toEqual(["w"]);
  });

  test("is over when the worker asks for work in the same moment", async () => {
    const bench = await open();
    await bench.pop("q", "w");
    await bench.call("worker.deregister", "w");
    await bench.pop("q", "w");
    expect(await namesOf(bench)).toEqual(["w"]);
  });

  test("changes nothing for a worker that does not exist", async () => {
    const bench = await open();
    await bench.pop("q", "w");
    await unchanged(bench, () => bench.call("worker.deregister", "none"));
  });

  test("announces nothing", async () => {
    const bench = await open();
    await bench.pop("q", "w");
    expect(await heard(bench, () => bench.call("worker.deregister", "w"))).toEqual([]);
  });

  test("refuses bad arguments, all workers or none", async () => {
    const bench = await open();
    await bench.pop("q", "w");
    await refusesEach(bench, "worker.deregister", [
      [[], missing("workers")],
      [[""], badName("workers")],
      [["w", ""], badName("workers")],
      [["w", "x\n"], badName("workers")],
      [["w", LONG], badName("workers")],
    ]);
  });
});
