import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf, optionWords } from "../engines.ts";
import { badName } from "../told.ts";
import { bring, outcome, running, statesBut, type Words } from "./behaviour.ts";

/** Finishes by worker `w` without asking for more jobs, and tells the answers. */
const finish = (bench: Bench, ...outcomes: Words[]) =>
  bench.call("finish", "w", 0, "[]", ...outcomes.flat());

const BLAME = { group: "group", message: "message" };

everyEngine("finish", (open) => {
  test("ends each run as it came out, and tells of each", async () => {
    const bench = await open();
    const leases = await running(bench, "a", "b", "c", "d", "e");
    bench.later(5);
    const answers = await finish(
      bench,
      outcome("complete", "a", { data: "[1]" }, leases.a!),
      outcome("complete", "b", { next: "r", delay: 10 }, leases.b!),
      outcome("fail", "c", BLAME, leases.c!),
      outcome("retry", "d", {}, leases.d!),
      outcome("complete", "e", { next: "r" }, leases.e!),
    );
    expect(answers).toEqual(["complete", "scheduled", "failed", "4", "waiting"]);
    expect(await bench.json("multiget", "a", "b", "c", "d", "e")).toMatchObject([
      { state: "complete", data: "[1]", queue: "" },
      { state: "scheduled", queue: "r", scheduled: 1_000_015 },
      { state: "failed", failure: { ...BLAME, worker: "w", when: 1_000_005 } },
      { state: "waiting", queue: "q", remaining: 4 },
      { state: "waiting", queue: "r" },
    ]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: [], stalled: [] });
    expect(await bench.json("queues", "q")).toMatchObject({ running: 0, waiting: 1 });
  });

  test("keeps completed jobs as it is set now, and not as it was", async () => {
    const bench = await open();
    await running(bench, "a", "b", "c");
    await bench.call("config.set", "jobs-history-count", 0);
    await finish(bench, outcome("complete", "a"));
    await bench.call("config.unset", "jobs-history-count");
    await finish(bench, outcome("complete", "b"));
    await bench.call("config.set", "max-job-history", 2);
    await finish(bench, outcome("complete", "c"));
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { jid: "b", history: [{ what: "put" }, { what: "popped" }, { what: "done" }] },
      { jid: "c", history: [{ what: "put" }, { what: "done" }] },
    ]);
  });

  test.each(["complete", "next", "fail", "retry", "exhausted"])(
    "leaves the same job as the command it stands for: %s",
    async (how) => {
      const [single, batch] = [await open(), await open()];
      const jobs: object[] = [];
      for (const bench of [single, batch]) {
        await bench.put("other", "b");
        await bench.put("q", "a", { retries: how === "exhausted" ? 0 : 3, backoff: "linear 5" });
        await bench.pop("q", "w");
        bench.later(5);
        const next = { data: "[1]", next: "r", delay: 9, depends: ["b"] };
        if (bench === batch) {
          if (how === "complete") await finish(bench, outcome("complete", "a", { data: "[1]" }));
          if (how === "next") await finish(bench, outcome("complete", "a", next));
          if (how === "fail") await finish(bench, outcome("fail", "a", { ...BLAME, data: "[1]" }));
          if (how === "retry") await finish(bench, outcome("retry", "a", { ...BLAME, delay: 7 }));
          if (how === "exhausted") await finish(bench, outcome("retry", "a"));
        } else {
          const { data, ...options } = next;
          if (how === "complete") await bench.call("complete", "a", "w", "q", data);
          if (how === "next")
            await bench.call("complete", "a", "w", "q", data, ...optionWords(options));
          if (how === "fail") await bench.call("fail", "a", "w", "group", "message", "[1]");
          if (how === "retry") await bench.call("retry", "a", "q", "w", 7, "group", "message");
          if (how === "exhausted") await bench.call("retry", "a", "q", "w");
        }
        const stats = await bench.json("stats", "q", bench.now);
        jobs.push({ job: await bench.json("get", "a"), stats });
      }
      expect(jobs[1]).toEqual(jobs[0]);
    },
  );

  test("leaves the data as it is when none is given", async () => {
    const bench = await open();
    await bench.put("q", "a", { data: "[7]" });
    await bench.pop("q", "w");
    await finish(bench, outcome("complete", "a"));
    expect((await bench.json("get", "a")).data).toBe("[7]");
  });

  test("retries with delay, blame and backoff as retry does", async () => {
    const bench = await open();
    await bench.put("q", "a", { backoff: "fixed 10 jitter 0.5", retries: 0 });
    await bench.put("q", "b", { retries: 0 });
    await bench.put("q", "c");
    await bench.pop("q", "w", 3);
    const answers = await finish(
      bench,
      outcome("retry", "a", { spend: 0, lot: 1 }),
      outcome("retry", "b", BLAME),
      outcome("retry", "c", { delay: 3, ...BLAME }),
    );
    expect(answers).toEqual(["0", "-1", "4"]);
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { state: "scheduled", scheduled: 1_000_015, remaining: 0 },
      { state: "failed", failure: BLAME },
      { state: "scheduled", scheduled: 1_000_003, failure: BLAME },
    ]);
  });

  test("judges each outcome on its own", async () => {
    const bench = await open();
    const leases = await running(bench, "a", "b", "c", "d");
    await bench.call("timeout", "c");
    await bench.pop("q", "v");
    const answers = await finish(
      bench,
      outcome("complete", "a", {}, leases.a!),
      outcome("complete", "b", {}, leases.b! + 100),
      outcome("fail", "c", BLAME, leases.c!),
      outcome("retry", "nobody", {}, 1),
      outcome("complete", "a", {}, leases.a!),
      outcome("complete", "d", { next: "r", depends: ["d"] }),
      outcome("complete", "d", { delay: 5 }),
      outcome("complete", "d", {}, "x"),
      outcome("complete", "d", {}, 1.5),
      outcome("complete", "d\n"),
    );
    expect(answers).toEqual([
      "complete",
      "LOCK_LOST Job b has been handed out again, under lease 2",
      "LOCK_LOST Job c has been handed out to another worker: v",
      "NO_SUCH_JOB Job nobody does not exist",
      "NOT_RUNNING Job a is not currently running: complete",
      "CYCLE Job d would depend on itself",
      'BAD_ARGUMENT "delay" cannot be used without a "next".',
      'BAD_ARGUMENT Arg "lease" not a whole number: x',
      'BAD_ARGUMENT Arg "lease" not a whole number: 1.5',
      `BAD_ARGUMENT ${badName("jid")}`,
    ]);
    expect(await bench.json("multiget", "a", "b", "c", "d")).toMatchObject([
      { state: "complete" },
      { state: "running", worker: "w" },
      { state: "running", worker: "v" },
      { state: "running", worker: "w" },
    ]);
  });

  test.each(statesBut("running"))(
    "says of a job that is %s that it does not run",
    async (state) => {
      const bench = await open();
      await bring(bench, state);
      expect(await finish(bench, outcome("complete", "a"), outcome("fail", "a", BLAME))).toEqual([
        `NOT_RUNNING Job a is not currently running: ${state}`,
        `NOT_RUNNING Job a is not currently running: ${state}`,
      ]);
      expect((await bench.json("get", "a")).state).toBe(state);
    },
  );

  test("lets a job wait for one that the same call completes, before or behind it", async () => {
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const bench = await open();
      await running(bench, "a", "b");
      const words = {
        a: outcome("complete", "a"),
        b: outcome("complete", "b", { next: "r", depends: ["a"] }),
      };
      const answers = await finish(bench, ...order.map((jid) => words[jid as "a" | "b"]));
      expect(answers).toContainEqual(order[0] === "a" ? "waiting" : "depends");
      expect(await bench.json("get", "b")).toMatchObject({ state: "waiting", dependencies: [] });
      expect(jidsOf(await bench.pop("r", "w", 5))).toEqual(["b"]);
    }
  });

  test("refuses the outcome that would close a cycle within the call", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    const answers = await finish(
      bench,
      outcome("complete", "a", { next: "r", depends: ["b"] }),
      outcome("complete", "b", { next: "r", depends: ["a"] }),
    );
    expect(answers).toEqual(["depends", "CYCLE Job b would depend on itself"]);
  });

  test("keeps the order of the outcomes in the next queue", async () => {
    const bench = await open();
    await running(bench, "z", "a", "m");
    const next = { next: "r" };
    await finish(bench, outcome("complete", "m", next), outcome("complete", "z", next));
    await finish(bench, outcome("complete", "a", next));
    expect(jidsOf(await bench.pop("r", "w", 5))).toEqual(["m", "z", "a"]);
  });

  test("finishes jobs of several queues, and counts each run where it ran", async () => {
    const bench = await open();
    await bring(bench, "running", "a", "q");
    await bring(bench, "running", "b", "r");
    await bring(bench.later(10), "running", "c", "q");
    bench.later(10);
    await finish(bench, ...["a", "b", "c"].map((jid) => outcome("complete", jid)));
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({
      run: { count: 2, mean: 15 },
    });
    expect(await bench.json("stats", "r", bench.now)).toMatchObject({
      run: { count: 1, mean: 20 },
    });
  });
});
