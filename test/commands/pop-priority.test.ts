import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";

/** Puts jobs named after their priority and number, in the order given. */
async function putAll(bench: Bench, priorities: number[]): Promise<void> {
  for (const [i, priority] of priorities.entries()) {
    await bench.put("q", `${priority}/${i}`, { priority });
  }
}

const MIXED = [0, 1_000_000, -1, 1, -1_000_000, 999_999, 0, -999_999, 1, -1_000_000, 1_000_000];
const LOWEST_FIRST = [
  "-1000000/4",
  "-1000000/9",
  "-999999/7",
  "-1/2",
  "0/0",
  "0/6",
  "1/3",
  "1/8",
  "999999/5",
  "1000000/1",
  "1000000/10",
];
const HIGHEST_FIRST = [
  "1000000/1",
  "1000000/10",
  "999999/5",
  "1/3",
  "1/8",
  "0/0",
  "0/6",
  "-1/2",
  "-999999/7",
  "-1000000/4",
  "-1000000/9",
];

everyEngine("pop by priority", (open) => {
  test("hands out the lowest number first, and within it the first put", async () => {
    const bench = await open();
    await putAll(bench, MIXED);
    expect(jidsOf(await bench.pop("q", "w", 20))).toEqual(LOWEST_FIRST);
  });

  test("hands out in the same order one by one", async () => {
    const bench = await open();
    await putAll(bench, MIXED);
    const jids: string[] = [];
    for (const _ of MIXED) jids.push(...jidsOf(await bench.pop("q", "w")));
    expect(jids).toEqual(LOWEST_FIRST);
  });

  test("hands out the highest number first when told to, and within it the first put", async () => {
    const bench = await open();
    await bench.call("config.set", "priority-order", "highest-first");
    await putAll(bench, MIXED);
    expect(jidsOf(await bench.pop("q", "w", 20))).toEqual(HIGHEST_FIRST);
  });

  test("hands out the highest number first one by one", async () => {
    const bench = await open();
    await bench.call("config.set", "priority-order", "highest-first");
    await putAll(bench, MIXED);
    const jids: string[] = [];
    for (const _ of MIXED) jids.push(...jidsOf(await bench.pop("q", "w")));
    expect(jids).toEqual(HIGHEST_FIRST);
  });

  test("applies a change of the order to jobs that wait already", async () => {
    const bench = await open();
    await putAll(bench, [1, 2, 3, 3, 2, 1]);
    await bench.call("config.set", "priority-order", "highest-first");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["3/2", "3/3"]);
    await bench.call("config.set", "priority-order", "lowest-first");
    expect(jidsOf(await bench.pop("q", "w", 2))).toEqual(["1/0", "1/5"]);
    await bench.call("config.set", "priority-order", "highest-first");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["2/1"]);
    await bench.call("config.unset", "priority-order");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["2/4"]);
  });

  test("keeps the order of put at the ends of the range, milliseconds apart", async () => {
    const bench = await open();
    for (const priority of [-1e9, -1e6, 1e5, 1e6, 1e9]) {
      for (const jid of ["z", "m", "a"]) {
        bench.later(0.001);
        await bench.put(`q${priority}`, `${jid}${priority}`, { priority });
      }
      const jids = jidsOf(await bench.pop(`q${priority}`, "w", 3));
      expect(jids).toEqual([`z${priority}`, `m${priority}`, `a${priority}`]);
    }
  });

  test("does not mix fractions of a priority with the time of put", async () => {
    const bench = await open();
    await bench.put("q", "late", { priority: 0.0002 });
    await bench.later(100_000).put("q", "soon", { priority: 0.0001 });
    await bench.later(100_000).put("q", "soonest", { priority: -0.0001 });
    await bench.later(100_000).put("q", "zero");
    expect(jidsOf(await bench.pop("q", "w", 4))).toEqual(["soonest", "zero", "soon", "late"]);
  });

  test("keeps a job's place among its priority through a change there and back", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.later(10).call("priority", "b", 5);
    await bench.later(10).call("priority", "b", 0);
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["a", "b", "c"]);
  });

  test("hands out jobs that lost their lock before any priority, in either order", async () => {
    for (const order of ["lowest-first", "highest-first"]) {
      const bench = await open();
      await bench.call("config.set", "priority-order", order);
      await bench.put("q", "lost");
      await bench.pop("q", "w");
      await bench.put("q", "low", { priority: -1e9 });
      await bench.put("q", "high", { priority: 1e9 });
      await bench.call("timeout", "lost");
      const rest = order === "lowest-first" ? ["low", "high"] : ["high", "low"];
      expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["lost", ...rest]);
    }
  });

  test("hands out in order across many priorities at once", async () => {
    for (const order of ["lowest-first", "highest-first"]) {
      const bench = await open();
      await bench.call("config.set", "priority-order", order);
      const priorities = Array.from({ length: 120 }, (_, i) => (i * 37) % 24);
      await putAll(bench, priorities);
      const sign = order === "lowest-first" ? 1 : -1;
      const expected = priorities
        .map((priority, i) => ({ priority, i }))
        .sort((x, y) => sign * (x.priority - y.priority) || x.i - y.i)
        .map(({ priority, i }) => `${priority}/${i}`);
      const jids = jidsOf(await bench.pop("q", "w", 50));
      jids.push(...jidsOf(await bench.pop("q", "w", 100)));
      expect(jids).toEqual(expected);
    }
  });
});
