import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf, type PutOptions } from "../engines.ts";
import { bring, STATES, type State, statesBut, told } from "./behaviour.ts";

/** What is shown of a job; what waits for it is told elsewhere. */
const shown = (bench: Bench) => bench.json("get", "a");

/** Brings job `a`, which holds the key `k`, into the state, and two seconds later puts `b`. */
async function meeting(bench: Bench, state: State, options: PutOptions) {
  await bring(bench, state, "a", "q", { unique: "k", for: 1000 });
  bench.later(2);
  const before = await shown(bench);
  const heard = await bench.hearing(async () => {
    expect(await bench.put("r", "b", { unique: "k", ...options })).toBe("a");
  });
  expect(await bench.json("get", "b")).toBeNull();
  return { before, after: await shown(bench), heard: told(heard) };
}

const IDLE = statesBut("running", "complete");

everyEngine("put that meets the holder of its key", (open) => {
  test.each(STATES)("keeps a holder that is %s, in silence", async (state) => {
    const bench = await open();
    const { before, after, heard } = await meeting(bench, state, { data: "[1]", delay: 50 });
    expect([after, heard]).toEqual([before, []]);
  });

  test.each(["replace", "data", "time"])(
    "keeps a holder that is running or complete, by %s as well",
    async (conflict) => {
      for (const state of ["running", "complete"] as const) {
        const bench = await open();
        const put = { data: "[1]", delay: 50, conflict };
        const { before, after, heard } = await meeting(bench, state, put);
        expect([after, heard]).toEqual([before, []]);
      }
    },
  );

  test.each(["replace", "data", "time"])(
    "keeps a holder whose worker may still come back, by %s as well",
    async (conflict) => {
      const bench = await open();
      await bring(bench, "running", "a", "q", { unique: "k", for: 1000 });
      const before = await bench.later(61).json("get", "a");
      expect(before.state).toBe("stalled");
      expect(await bench.put("r", "b", { unique: "k", data: "[1]", delay: 5, conflict })).toBe("a");
      expect(await shown(bench)).toEqual(before);
    },
  );
});

everyEngine("put that replaces the holder of its key", (open) => {
  test.each(IDLE)("puts a holder that is %s again as the call says", async (state) => {
    const bench = await open();
    const put = { data: "[1]", klass: "other", priority: 3, tags: ["t"], conflict: "replace" };
    const { before, after, heard } = await meeting(bench, state, { ...put, context: "{}" });
    expect(after).toMatchObject({
      state: state === "depends" ? "depends" : "waiting",
      queue: "r",
      klass: "other",
      data: "[1]",
      priority: 3,
      tags: ["t"],
      unique: "k",
      context: "{}",
      remaining: 5,
    });
    expect(after.history.slice(0, -1)).toEqual(before.history);
    expect(heard).toMatchObject([[expect.any(String), { event: "put", jid: "a", queue: "r" }]]);
  });

  test("gives it the delay of the call, and says anew until when the key is held", async () => {
    const bench = await open();
    const put = { delay: 50, conflict: "replace", until: "start" };
    const { after } = await meeting(bench, "waiting", put);
    expect(after).toMatchObject({ state: "scheduled", scheduled: bench.now + 50 });
    await bench.later(50).pop("r", "w");
    expect(await bench.call("unique.get", "k")).toBe("");
  });

  test("tells who tracks the holder", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.call("track", "track", "a");
    const put = { unique: "k", conflict: "replace" };
    const heard = await bench.hearing(() => bench.put("r", "b", put));
    expect(told(heard).map(([, message]) => message)).toMatchObject([{ event: "put" }, "a"]);
  });

  test("makes the holder wait for other jobs", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.put("q", "a", { unique: "k" });
    await bench.put("r", "b", { unique: "k", conflict: "replace", depends: ["before"] });
    expect(await shown(bench)).toMatchObject({ state: "depends", dependencies: ["before"] });
  });
});

everyEngine("put that changes the data of the holder of its key", (open) => {
  test.each(IDLE)("changes that of one that is %s, and nothing else", async (state) => {
    const bench = await open();
    const put = { data: "[1]", priority: 3, delay: 50, conflict: "data" };
    const { before, after, heard } = await meeting(bench, state, put);
    expect(after).toEqual({ ...before, data: "[1]" });
    expect(heard).toEqual([]);
  });
});

everyEngine("put that changes the time of the holder of its key", (open) => {
  test.each(["waiting", "scheduled"] as const)("delays one that is %s", async (state) => {
    const bench = await open();
    const put = { data: "[1]", priority: 3, delay: 50, conflict: "time" };
    const { before, after, heard } = await meeting(bench, state, put);
    const scheduled = bench.now + 50;
    expect(after).toEqual({ ...before, state: "scheduled", scheduled });
    expect(heard).toEqual([]);
    expect(await bench.at(scheduled - 1).pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.at(scheduled).pop("q", "w"))).toEqual(["a"]);
  });

  test("makes a scheduled one due at once", async () => {
    const bench = await open();
    const { before, after } = await meeting(bench, "scheduled", { conflict: "time" });
    expect(after).toEqual({ ...before, state: "waiting", scheduled: null });
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  test.each([0, 5])("takes the moment of at, %d seconds from now", async (seconds) => {
    const bench = await open();
    const at = bench.now + 2 + seconds;
    const { after } = await meeting(bench, "scheduled", { conflict: "time", at });
    expect(after).toMatchObject({ scheduled: seconds > 0 ? at : null });
  });

  test("leaves one that is due at its place when it is to be due at once", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", delay: 10 });
    await bench.put("q", "c", { unique: "l" });
    await bench.later(10).put("q", "d");
    await bench.put("q", "b", { unique: "k", conflict: "time" });
    await bench.put("q", "b", { unique: "l", conflict: "time", delay: -5 });
    expect(jidsOf(await bench.pop("q", "w", 3))).toEqual(["c", "a", "d"]);
  });

  test.each([0, 50])("changes how long one has to wait that depends: %d", async (delay) => {
    const bench = await open();
    const put = { conflict: "time", delay };
    const { before, after } = await meeting(bench, "depends", put);
    expect(after).toEqual({ ...before, scheduled: delay > 0 ? bench.now + delay : null });
    await bench.pop("elsewhere", "w");
    await bench.call("complete", "before-a", "w", "elsewhere", "{}");
    expect((await shown(bench)).state).toBe(delay > 0 ? "scheduled" : "waiting");
  });

  test("takes away the delay of one that depends", async () => {
    const bench = await open();
    await bench.put("q", "before");
    await bench.put("q", "a", { unique: "k", delay: 50, depends: ["before"] });
    await bench.put("q", "b", { unique: "k", conflict: "time" });
    expect(await shown(bench)).toMatchObject({ state: "depends", scheduled: null });
  });

  test.each(["stalled", "failed"] as const)("keeps one that is %s", async (state) => {
    const bench = await open();
    const { before, after } = await meeting(bench, state, { conflict: "time", delay: 50 });
    expect(after).toEqual(before);
  });
});
