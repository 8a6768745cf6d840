import { expect, test } from "vitest";
import type { CommandName } from "../../src/engine.ts";
import { type Bench, everyEngine, popped, refused } from "../engines.ts";

/** Makes a call that hands out no jobs from the deadline on, in seconds. */
const before = (bench: Bench, deadline: number, command: CommandName, ...args: unknown[]) =>
  bench.engine.call(command, args as (string | number)[], {
    now: bench.now * 1000,
    deadline: deadline * 1000,
  });

everyEngine("a deadline", (open) => {
  test("lets calls take jobs before it, and none from it on", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    const later = bench.now + 1;
    const [a] = popped(await before(bench, later, "pop", "q", "w", 1));
    const taken = await before(
      bench,
      later,
      "finish",
      "w",
      1,
      '["q"]',
      "complete",
      "a",
      a!.lease,
      0,
    );
    expect((taken as string[]).map((text) => text.split("\t")[0])).toEqual(["complete", "b"]);
    bench.later(1);
    expect(await before(bench, later, "pop", "q", "w", 2)).toEqual([]);
    expect(await before(bench, later, "finish", "w", 2, '["q"]')).toEqual([]);
    expect(await bench.call("length", "q")).toBe(3);
  });

  test("counts the outcomes of a call that comes too late", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    const [a, b, c] = await bench.pop("q", "w", 3);
    const late = (...outcomes: unknown[]) =>
      before(bench, bench.now - 1, "finish", "w", 1, '["q"]', ...outcomes);
    expect(await late("complete", "c", c!.lease, 0)).toEqual(["complete"]);
    expect(
      await late("complete", "a", a!.lease, 0, "retry", "b", b!.lease, 4, "delay", 0, "spend", 0),
    ).toEqual(["complete", "5"]);
    expect(await bench.call("length", "q")).toBe(2);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
  });

  test("holds for its own call alone, whatever calls come between", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    const past = bench.now - 1;
    expect(await before(bench, past, "pop", "q", "w", 1)).toEqual([]);
    expect(await bench.pop("q", "w")).toHaveLength(1);
    expect(await before(bench, past, "pop", "q", "w", 1)).toEqual([]);
    expect(await bench.engine.call("pop", ["q", "w", 1])).toHaveLength(1);
    expect(await bench.engine.call("pop", ["q", "w", 1], { deadline: 1000 })).toEqual([]);
    expect(await bench.engine.call("pop", ["q", "w", 1], { deadline: 1000 })).toEqual([]);
    const future = { deadline: Date.now() + 60_000 };
    expect(await bench.engine.call("pop", ["q", "w", 1], future)).toHaveLength(1);
  });

  test("goes with a request id", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    const options = { now: bench.now * 1000, deadline: bench.now * 1000 + 1, request: "r<1@x" };
    const first = await bench.engine.call("pop", ["q", "w", 1], options);
    expect(first).toHaveLength(1);
    const again = { ...options, now: options.now + 10 };
    expect(await bench.engine.call("pop", ["q", "w", 1], again)).toEqual(first);
    expect(await bench.engine.call("pop", ["q", "w", 1], { ...again, request: "other" })).toEqual(
      [],
    );
  });

  test("is a time", async () => {
    const bench = await open();
    const call = bench.engine.call("pop", ["q", "w", 1], { deadline: -1 });
    await refused(call, "BAD_ARGUMENT", 'Arg "deadline" must be from 0 to 4398046511');
  });
});
