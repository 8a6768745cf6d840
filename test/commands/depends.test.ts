import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  statesBut,
  type Words,
} from "./behaviour.ts";

/** Job `a` in queue `r` waits for `b` and `c`; `d` waits beside it. */
async function waitingForTwo(bench: Bench, delay = 0): Promise<Bench> {
  for (const jid of ["b", "c", "d"]) await bench.put("q", jid);
  await bench.put("r", "a", { depends: ["b", "c"], delay });
  return bench;
}

const dependencies = async (bench: Bench): Promise<string[]> =>
  (await bench.json("get", "a")).dependencies.sort();

everyEngine("depends", (open) => {
  test("on makes a job wait for more", async () => {
    const bench = await waitingForTwo(await open());
    expect(await bench.call("depends", "a", "on", "d", "b")).toBe(1);
    expect(await dependencies(bench)).toEqual(["b", "c", "d"]);
    expect((await bench.json("get", "d")).dependents).toEqual(["a"]);
  });

  test("on leaves out jobs that are complete or do not exist", async () => {
    const bench = await waitingForTwo(await open());
    await bring(bench, "complete", "done", "s");
    expect(await bench.call("depends", "a", "on", "done", "nobody")).toBe(1);
    expect(await dependencies(bench)).toEqual(["b", "c"]);
  });

  test.each(statesBut("complete"))("on makes a job wait for one that is %s", async (state) => {
    const bench = await waitingForTwo(await open());
    await bring(bench, state, "x", "s");
    await bench.call("depends", "a", "on", "x");
    expect(await dependencies(bench)).toEqual(["b", "c", "x"]);
  });

  test("off ends the waiting for those named", async () => {
    const bench = await waitingForTwo(await open());
    expect(await bench.call("depends", "a", "off", "b", "d", "nobody")).toBe(1);
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["c"] });
    expect((await bench.json("get", "b")).dependents).toEqual([]);
    expect((await bench.json("get", "c")).dependents).toEqual(["a"]);
  });

  test("off lets the job go when it waits for nothing any more", async () => {
    const bench = await waitingForTwo(await open());
    await bench.put("r", "z");
    expect(await bench.later(5).call("depends", "a", "off", "c", "b")).toBe(1);
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
    expect(await bench.json("queues", "r")).toMatchObject({ depends: 0, waiting: 2 });
    expect(jidsOf(await bench.pop("r", "w", 5))).toEqual(["z", "a"]);
  });

  test("off all lets the job go at once", async () => {
    const bench = await waitingForTwo(await open());
    expect(await bench.call("depends", "a", "off", "all")).toBe(1);
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
    expect(await bench.json("multiget", "b", "c")).toMatchObject([
      { dependents: [] },
      { dependents: [] },
    ]);
  });

  test("off schedules a job whose delay is not over", async () => {
    const bench = await waitingForTwo(await open(), 100);
    await bench.later(10).call("depends", "a", "off", "all");
    expect(await bench.json("get", "a")).toMatchObject({
      state: "scheduled",
      scheduled: 1_000_100,
    });
    expect(await bench.at(1_000_099).pop("r", "w")).toEqual([]);
    expect(jidsOf(await bench.at(1_000_100).pop("r", "w"))).toEqual(["a"]);
  });

  test("off does not delay a job whose delay is over", async () => {
    const bench = await waitingForTwo(await open(), 100);
    await bench.later(100).call("depends", "a", "off", "all");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", scheduled: null });
  });

  test("off lets the job go by its priority", async () => {
    const bench = await open();
    await bench.put("q", "b");
    await bench.put("r", "a", { depends: ["b"], priority: -1 });
    await bench.put("r", "z");
    await bench.call("depends", "a", "off", "b");
    expect(jidsOf(await bench.pop("r", "w", 5))).toEqual(["a", "z"]);
  });

  test("on and off without jids change nothing", async () => {
    const bench = await waitingForTwo(await open());
    expect(await bench.call("depends", "a", "on")).toBe(1);
    expect(await bench.call("depends", "a", "off")).toBe(1);
    expect(await dependencies(bench)).toEqual(["b", "c"]);
  });

  test("no longer lets a job go by the completion of what was taken off", async () => {
    const bench = await waitingForTwo(await open());
    await bench.call("depends", "a", "off", "b");
    await bench.pop("q", "w", 3);
    await bench.call("complete", "b", "w", "q", "{}");
    expect((await bench.json("get", "a")).state).toBe("depends");
    await bench.call("complete", "c", "w", "q", "{}");
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("waits for what was added", async () => {
    const bench = await waitingForTwo(await open());
    await bench.call("depends", "a", "on", "d");
    await bench.pop("q", "w", 3);
    for (const jid of ["b", "c"]) await bench.call("complete", jid, "w", "q", "{}");
    expect((await bench.json("get", "a")).state).toBe("depends");
    await bench.call("complete", "d", "w", "q", "{}");
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("is silent and writes no history", async () => {
    const bench = await waitingForTwo(await open());
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("depends", "a", "on", "d");
      await bench.call("depends", "a", "off", "all");
    });
    expect(heard).toEqual([]);
    expect((await bench.json("get", "a")).history).toHaveLength(1);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await waitingForTwo(await open());
    expect(await resent(bench, "depends", "a", "off", "all")).toBe(1);
    expect((await bench.json("get", "a")).state).toBe("waiting");
  });

  test("refuses to make a job wait for itself", async () => {
    const bench = await waitingForTwo(await open());
    const reason = "Job a would depend on itself";
    await refusedInVain(bench, ["depends", "a", "on", "d", "a"], "CYCLE", reason);
  });

  test("refuses to make a job wait for one that waits for it", async () => {
    const bench = await waitingForTwo(await open());
    await bench.put("r", "x", { depends: ["a"] });
    await bench.put("r", "y", { depends: ["x"] });
    const reason = "Job a would depend on itself";
    await refusedInVain(bench, ["depends", "a", "on", "y"], "CYCLE", reason);
  });

  test.each(statesBut("depends"))("is refused for a job that is %s", async (state) => {
    const bench = await open();
    await bench.put("s", "b");
    await bring(bench, state);
    const reason = `Job a not in the depends state: ${state}`;
    await refusedInVain(bench, ["depends", "a", "on", "b"], "NOT_DEPENDING", reason);
    await refusedInVain(bench, ["depends", "a", "off", "all"], "NOT_DEPENDING", reason);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await bench.put("q", "b");
    const reason = "Job a not in the depends state: it does not exist";
    await refusedInVain(bench, ["depends", "a", "on", "b"], "NO_SUCH_JOB", reason);
  });

  const GOOD: Words = ["a", "on", "d"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["command", "anything"],
    ]),
    ...badCalls(GOOD, [["jid", "name?"]]).map(
      ([title, args]) =>
        [
          `to wait for ${title}`,
          ["a", "on", args[0]!],
          'Arg "jids" must be 1 to 255 bytes without control characters',
        ] as BadCall,
    ),
    ["to wait for an empty jid", ["a", "on", "d", ""], /^Arg "jids" must be 1 to 255 bytes/],
    ["an unknown command", ["a", "upon", "d"], 'Argument "command" must be "on" or "off"'],
    ["a command in capitals", ["a", "ON", "d"], 'Argument "command" must be "on" or "off"'],
    ["an empty command", ["a", "", "d"], 'Argument "command" must be "on" or "off"'],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await waitingForTwo(await open());
    await refusesEach(bench, "depends", BAD);
  });
});
