import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe("with the default order", () => {
  test("the lowest priority number is popped first", async () => {
    for (const n of range(-10, 10)) await legacy.put(0, "q", `${n}`, "priority", n);
    const expected = range(-10, 10).map(String);
    expect(await legacy.peek(1, "q", 100)).toEqual(expected);
    await legacy.popped(1, "q", "w", expected, 100);
  });

  test("fractions of priorities order, too", async () => {
    for (const n of [0.75, 0.5, -0.5, 0.25]) await legacy.put(0, "q", `${n}`, "priority", n);
    await legacy.popped(0, "q", "w", ["-0.5", "0.25", "0.5", "0.75"]);
  });
});

describe("with the order of qless-core", () => {
  const highestFirst = () => legacy.call("config.set", 0, "priority-order", "highest-first");

  test("the highest priority number is popped first", async () => {
    await highestFirst();
    for (const n of range(-10, 10)) await legacy.put(0, "q", `${n}`, "priority", n);
    const expected = range(-10, 10).map(String).toReversed();
    expect(await legacy.peek(1, "q", 100)).toEqual(expected);
    await legacy.popped(1, "q", "w", expected, 100);
  });

  test("within a priority the first put is popped first", async () => {
    await highestFirst();
    for (const [i, jid] of ["b", "a", "d", "c"].entries()) {
      await legacy.put(0, "q", jid, "priority", i % 2);
    }
    await legacy.popped(0, "q", "w", ["a", "c", "b", "d"]);
  });

  test("lost and timed-out jobs are still popped first of all", async () => {
    await highestFirst();
    await legacy.put(0, "q", "a", "priority", -5);
    await legacy.pop(0, "q", "w");
    await legacy.put(1, "q", "b", "priority", 5);
    await legacy.call("timeout", 2, "a");
    await legacy.popped(2, "q", "w", ["a", "b"]);
  });

  test("children of recurring jobs are ordered with the rest", async () => {
    await highestFirst();
    await legacy.put(0, "q", "low", "priority", 0);
    await legacy.recur(0, "q", "high", 60, 0, "priority", 10);
    await legacy.popped(0, "q", "w", ["high-1", "low"]);
  });

  test("a priority that is raised brings a job to the front", async () => {
    await highestFirst();
    await legacy.put(0, "q", "a", "priority", 0);
    await legacy.put(0, "q", "b", "priority", 1);
    expect(await legacy.peek(0, "q")).toEqual(["b", "a"]);
    await legacy.call("priority", 0, "a", 2);
    expect(await legacy.peek(0, "q")).toEqual(["a", "b"]);
  });

  test("applies to jobs that wait already, and back", async () => {
    await legacy.put(0, "q", "a", "priority", 0);
    await legacy.put(0, "q", "b", "priority", 1);
    expect(await legacy.peek(0, "q")).toEqual(["a", "b"]);
    await highestFirst();
    expect(await legacy.peek(0, "q")).toEqual(["b", "a"]);
    await legacy.call("config.unset", 0, "priority-order");
    expect(await legacy.peek(0, "q")).toEqual(["a", "b"]);
  });
});

test("within a priority jobs come out as they were put", async () => {
  for (const [i, jid] of jids(100).entries()) await legacy.put(i, "q", jid);
  expect(await legacy.peek(200, "q", 100)).toEqual(jids(100));
  await legacy.popped(200, "q", "w", jids(7), 7);
  await legacy.popped(200, "q", "w", jids(100).slice(7), 100);
});

test("within one moment jobs come out as they were put, whatever their jids", async () => {
  const order = ["m", "z", "a", "y", "b"];
  for (const jid of order) await legacy.put(12345.678, "q", jid);
  await legacy.popped(12345.678, "q", "w", order);
});

test("puts, pops and peeks in turn keep the order", async () => {
  const popped: string[] = [];
  const all = jids(80);
  for (let i = 0; i < 80; i += 2) {
    const now = i / 10;
    await legacy.put(now, "q", all[i]!);
    await legacy.peek(now, "q", 1);
    await legacy.put(now, "q", all[i + 1]!);
    popped.push((await legacy.pop(now, "q", "w", 1))[0]!.jid);
  }
  popped.push(...(await legacy.pop(10, "q", "w", 100)).map(({ jid }) => jid));
  expect(popped).toEqual(all);
});

test("jobs that become due take their place by the time they were due", async () => {
  await legacy.schedule(0, "q", "late", 30);
  await legacy.schedule(0, "q", "early", 10);
  await legacy.put(20, "q", "between");
  await legacy.popped(40, "q", "w", ["early", "between", "late"]);
});

test("a due job with a better priority comes first, however many are due before it", async () => {
  for (let i = 0; i < 20; i++) await legacy.schedule(0, "q", `j${i}`, 1 + i);
  await legacy.schedule(0, "q", "urgent", 50, "priority", -1);
  await legacy.popped(100, "q", "w", ["urgent"], 1);
});

test("pop hands out all that are due, as many as it asks for", async () => {
  const all = jids(250);
  for (const [i, jid] of all.entries()) await legacy.schedule(0, "q", jid, 1 + i);
  await legacy.popped(1000, "q", "w", all, 500);
});

describe("priority", () => {
  test("moves a waiting job among the others", async () => {
    for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
    expect(await legacy.call("priority", 1, "c", -1)).toBe(-1);
    expect((await legacy.job(1, "c")).priority).toBe(-1);
    await legacy.popped(1, "q", "w", ["c", "a", "b"]);
  });

  test("keeps a job's place among those of its new priority", async () => {
    for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
    await legacy.call("priority", 1, "b", 5);
    await legacy.call("priority", 1, "b", 0);
    await legacy.popped(1, "q", "w", ["a", "b", "c"]);
  });

  test("of a running job only changes the job", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.call("priority", 1, "a", 30);
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 1, scheduled: 0, depends: 0 });
    expect((await legacy.job(1, "a")).priority).toBe(30);
  });

  test("of a scheduled or depending job counts once it waits", async () => {
    await legacy.put(0, "q", "x");
    await legacy.popped(0, "q", "w", ["x"]);
    await legacy.schedule(0, "q", "scheduled", 10);
    await legacy.put(0, "q", "depends", "depends", '["x"]');
    await legacy.put(0, "q", "a");
    await legacy.call("priority", 1, "scheduled", -1);
    await legacy.call("priority", 1, "depends", -2);
    await legacy.complete(1, "x", "w", "q");
    await legacy.popped(20, "q", "w", ["depends", "scheduled", "a"]);
  });

  test("leaves a timed-out job in front", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.put(0, "q", "b", "priority", -1);
    await legacy.call("timeout", 1, "a");
    await legacy.call("priority", 1, "a", 100);
    await legacy.popped(1, "q", "w", ["a", "b"]);
  });

  test("is refused for what is no number, and for jobs that do not exist", async () => {
    await legacy.refusedWhole(
      () => legacy.call("priority", 0, "a", 1),
      "Priority(): Job a does not exist",
    );
    await legacy.put(0, "q", "a");
    await legacy.refusedWhole(() => legacy.call("priority", 0), /^\w+\(\): /);
    await legacy.refusedWhole(
      () => legacy.call("priority", 0, "a"),
      /^Priority\(\): Arg "priority" missing/,
    );
    await legacy.refusedWhole(
      () => legacy.call("priority", 0, "a", "foo"),
      /^Priority\(\): Arg "priority".* not a number: foo$/,
    );
  });
});
