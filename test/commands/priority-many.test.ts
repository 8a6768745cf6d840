import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { type BadCall, badCalls, bring, refusesEach, resent, STATES } from "./behaviour.ts";

everyEngine("priority.many", (open) => {
  test("changes the priority of waiting jobs, which keep their places", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    expect(await bench.call("priority.many", -1, "d", "b")).toEqual(["-1", "-1"]);
    expect(jidsOf(await bench.pop("q", "w", 4))).toEqual(["b", "d", "a", "c"]);
  });

  test.each(STATES)("is kept by a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const before = await bench.json("get", "a");
    expect(await bench.call("priority.many", 7.5, "a")).toEqual(["7.5"]);
    expect(await bench.json("get", "a")).toEqual({ ...before, priority: 7.5 });
  });

  test("judges each job on its own, and answers in their order", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("priority.many", 2, "none", "a", "a")).toEqual([
      "NO_SUCH_JOB Job none does not exist",
      "2",
      "2",
    ]);
    expect((await bench.json("get", "a")).priority).toBe(2);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "priority.many", 3, "a")).toEqual(["3"]);
  });

  const many = Array.from({ length: 1001 }, (_, i) => `j${i}`);
  const BAD: BadCall[] = [
    ...badCalls([1, "a"], [["priority", "number"]]),
    ["a priority too high", [1e9 + 1, "a"], /^Arg "priority" must be from/],
    ["no jids", [1], 'Arg "jids" missing'],
    ["an empty jid", [1, "a", ""], /^Arg "jids" must be/],
    ["too many jids", [1, ...many], "More than 1000 jobs in one call"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "priority.many", BAD);
  });
});
