import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  statesBut,
  told,
  type Words,
} from "./behaviour.ts";

const EMPTY = { waiting: 0, running: 0, stalled: 0, scheduled: 0, depends: 0 };

everyEngine("cancel", (open) => {
  test.each(statesBut("complete"))("removes a job that is %s, and tells so", async (state) => {
    const bench = await open();
    await bring(bench, state);
    expect(await bench.call("cancel", "a")).toEqual(["a"]);
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.json("queues", "q")).toMatchObject(EMPTY);
    expect(await bench.json("failed")).toEqual({});
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.later(1000).pop("q", "w")).toEqual([]);
  });

  test("removes the job from its tags and from its source", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x", "y"], source: "s" });
    await bench.put("q", "b", { tags: ["x"] });
    await bench.put("q", "c", { tags: ["x"] });
    await bench.call("cancel", "a");
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["b", "c"] });
    expect(await bench.json("tag", "get", "y")).toEqual({ total: 0, jobs: [] });
    expect(await bench.json("tag", "top")).toEqual(["x"]);
  });

  test("leaves the other jobs of the queue in their order", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    await bench.call("cancel", "b");
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["a", "c", "d"]);
  });

  test("removes several jobs, each once, and tells those that there were", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    expect(await bench.call("cancel", "b", "nobody", "a", "b")).toEqual(["b", "a"]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["c"]);
  });

  test("tells of nothing when asked for nothing or for nobody, and announces nothing", async () => {
    const bench = await open();
    const heard = await bench.hearing(async () => {
      expect(await bench.call("cancel")).toEqual([]);
      expect(await bench.call("cancel", "nobody")).toEqual([]);
    });
    expect(heard).toEqual([]);
  });

  test("takes a job that was put again for a new one", async () => {
    const bench = await open();
    await bench.put("q", "a", { priority: 5, tags: ["x"], retries: 1 });
    await bench.call("cancel", "a");
    await bench.later(5).put("q", "a");
    expect(await bench.json("get", "a")).toMatchObject({
      priority: 0,
      tags: [],
      retries: 5,
      history: [{ what: "put", when: 1_000_005 }],
    });
  });

  test("is refused while others wait for the job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    const reason = "a is a dependency of b but is not mentioned to be canceled";
    await refusedInVain(bench, ["cancel", "a"], "HAS_DEPENDENTS", reason);
  });

  test("removes jobs together with all that wait for them, in any order", async () => {
    for (const order of [
      ["a", "b", "c"],
      ["c", "a", "b"],
      ["b", "c", "a"],
    ]) {
      const bench = await open();
      await bench.put("q", "a");
      await bench.put("q", "b", { depends: ["a"] });
      await bench.put("q", "c", { depends: ["a", "b"] });
      await refusedInVain(bench, ["cancel", "a", "b"], "HAS_DEPENDENTS");
      expect(await bench.call("cancel", ...order)).toEqual(order);
      expect(await bench.json("queues", "q")).toMatchObject(EMPTY);
    }
  });

  test("of a waiting one leaves what it waited for", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    await bench.call("cancel", "b");
    expect((await bench.json("get", "a")).dependents).toEqual([]);
    expect(await bench.call("cancel", "a")).toEqual(["a"]);
  });

  test("removes none of several when one of them must stay", async () => {
    const bench = await open();
    await bring(bench, "complete", "done");
    await bench.put("q", "a");
    await bench.put("q", "b");
    await bench.put("q", "c", { depends: ["b"] });
    await refusedInVain(bench, ["cancel", "a", "b"], "HAS_DEPENDENTS");
    await refusedInVain(bench, ["cancel", "a", "done"], "ALREADY_COMPLETE");
  });

  test("is refused for a completed job", async () => {
    const bench = await open();
    await bring(bench, "complete");
    const reason = "Job a is complete and can no longer be canceled";
    await refusedInVain(bench, ["cancel", "a"], "ALREADY_COMPLETE", reason);
    expect(await bench.call("jobs", "complete")).toEqual(["a"]);
  });

  test("takes the lock from the worker of a running job", async () => {
    const bench = await open();
    const lease = await bring(bench, "running");
    await bench.call("cancel", "a");
    const late: Words = ["a", "w", "q", "{}", "lease", lease];
    await refusedInVain(bench, ["complete", ...late], "NO_SUCH_JOB");
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await refusedInVain(bench, ["complete", ...late], "LOCK_LOST");
  });

  test("tells all, then the worker of the job, then those who track it", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("cancel", "a");
    });
    const canceled = { event: "canceled", jid: "a", queue: "q", worker: "w" };
    expect(told(heard)).toEqual([
      ["log", canceled],
      ["w:w", canceled],
      ["canceled", "a"],
    ]);
    expect((await bench.json("track")).expired).toEqual(["a"]);
  });

  test.each(statesBut("running", "complete"))(
    "tells no worker of a job that is %s",
    async (state) => {
      const bench = await open();
      await bring(bench, state);
      const heard = await bench.hearing(async () => {
        await bench.call("cancel", "a");
      });
      const canceled = { event: "canceled", jid: "a", queue: "q", worker: "" };
      expect(told(heard)).toEqual([["log", canceled]]);
    },
  );

  test("of a failed job lowers the count of failed ones of its day and queue", async () => {
    const bench = await open();
    await bring(bench, "failed", "a");
    await bring(bench, "failed", "b");
    const day = bench.now;
    await bench.later(86_400).call("cancel", "a");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 1, failures: 2 });
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ failed: 0, failures: 0 });
    expect(await bench.json("failed")).toEqual({ group: 1 });
  });

  test("of a failed job works when the statistics of its day are gone", async () => {
    const bench = await open();
    await bring(bench, "failed");
    const day = bench.now;
    await bench.later(40 * 86_400).json("tick");
    expect(await bench.json("stats", "q", day)).toMatchObject({ failures: 0 });
    expect(await bench.call("cancel", "a")).toEqual(["a"]);
    expect(await bench.json("stats", "q", day)).toMatchObject({ failed: 0 });
    expect(await bench.json("failed")).toEqual({});
  });

  test("of a child leaves the recurring job, which spawns the next", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    await bench.pop("q", "w");
    await bench.call("cancel", "r-1");
    expect(jidsOf(await bench.later(60).pop("q", "w"))).toEqual(["r-2"]);
  });

  test("leaves a recurring job of that name alone", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    expect(await bench.call("cancel", "r")).toEqual([]);
    expect(await bench.json("recur.get", "r")).not.toBeNull();
  });

  test("gives the first answer when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "cancel", "a", "nobody")).toEqual(["a"]);
    await bench.put("q", "a");
    expect(await bench.request("request-1", "cancel", "a", "nobody")).toEqual(["a"]);
    expect(await bench.json("get", "a")).not.toBeNull();
  });

  test("removes ten thousand jobs in one call, and refuses one more", async () => {
    const bench = await open();
    const jids = Array.from({ length: 10_000 }, (_, i) => `j${i}`);
    for (let i = 0; i < jids.length; i += 1000) {
      const batch = jids.slice(i, i + 1000).flatMap((jid) => ["q", jid, "k", "{}", 0, 0]);
      await bench.call("put.many", "w", ...batch);
    }
    const more = bench.call("cancel", ...jids, "more");
    await expect(more).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    expect(await bench.call("cancel", ...jids)).toEqual(jids);
    expect(await bench.json("queues", "q")).toMatchObject(EMPTY);
  });

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const first = badCalls(["b", "a"], [["jids", "name"]]).slice(1);
    const last = first.map(
      ([title, args, reason]): BadCall => [title, [...args].reverse(), reason],
    );
    await refusesEach(bench, "cancel", [...first, ...last]);
  });
});
