import { expect, test } from "vitest";
import { everyEngine, jidsOf, popped } from "../engines.ts";
import { outcome, resent, running, told, type Words } from "./behaviour.ts";

const BLAME = { group: "group", message: "message" };

everyEngine("finish that asks for jobs", (open) => {
  test("hands out more jobs in the same step", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    for (const jid of ["c", "d", "e"]) await bench.put("r", jid);
    const words: Words = [...outcome("retry", "a"), ...outcome("complete", "b")];
    const reply = (await bench.call("finish", "w", 3, '["q","r"]', ...words)) as string[];
    expect(reply.slice(0, 2)).toEqual(["4", "complete"]);
    const jobs = popped(reply.slice(2));
    expect(jidsOf(jobs)).toEqual(["a", "c", "d"]);
    expect(jobs[0]).toMatchObject({ remaining: 4, lease: 3, expires: 1_000_060 });
  });

  test("hands out jobs when there is nothing to finish", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const jobs = await bench.call("finish", "w", 5, '["q"]');
    expect(jidsOf(popped(jobs))).toEqual(["a"]);
  });

  test("hands out nothing when asked for none, or of no queue", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("finish", "w", 0, '["q"]')).toEqual([]);
    expect(await bench.call("finish", "w", 5, "[]")).toEqual([]);
  });

  test("hands out the room of max-concurrency that it has made", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    await running(bench, "a");
    await bench.put("q", "b");
    const [answer, ...jobs] = (await bench.call(
      "finish",
      "w",
      5,
      '["q"]',
      ...outcome("complete", "a"),
    )) as string[];
    expect(answer).toBe("complete");
    expect(jidsOf(popped(jobs))).toEqual(["b"]);
  });

  test("ends a run whose lock has expired before it looks for such locks", async () => {
    const bench = await open();
    await running(bench, "a");
    await bench.put("q", "b");
    bench.later(100);
    let reply: string[] = [];
    const heard = await bench.hearing(async () => {
      reply = (await bench.call(
        "finish",
        "w",
        5,
        '["q"]',
        ...outcome("complete", "a"),
      )) as string[];
    });
    expect(reply[0]).toBe("complete");
    expect(jidsOf(popped(reply.slice(1)))).toEqual(["b"]);
    expect(told(heard)).toEqual([["log", { event: "completed", jid: "a", queue: "q" }]]);
    expect(await bench.json("workers", "w")).toEqual({ jobs: ["b"], stalled: [] });
    expect(await bench.json("queues", "q")).toMatchObject({ running: 1, stalled: 0 });
  });

  test("hands out jobs that it has let go", async () => {
    const bench = await open();
    await running(bench, "a");
    await bench.put("q", "after", { depends: ["a"] });
    const [answer, ...jobs] = (await bench.call(
      "finish",
      "w",
      5,
      '["q"]',
      ...outcome("complete", "a"),
    )) as string[];
    expect(answer).toBe("complete");
    expect(jidsOf(popped(jobs))).toEqual(["after"]);
  });

  test("hands out nothing of a paused queue, and finishes all the same", async () => {
    const bench = await open();
    await running(bench, "a");
    await bench.put("q", "b");
    await bench.call("pause", "q");
    expect(await bench.call("finish", "w", 5, '["q"]', ...outcome("complete", "a"))).toEqual([
      "complete",
    ]);
  });

  test("announces each outcome, those completed in one queue at once, then what it hands out", async () => {
    const bench = await open();
    await running(bench, "a", "b", "c", "d");
    for (const jid of ["a", "b", "c"]) await bench.call("track", "track", jid);
    const words = [
      outcome("fail", "b", BLAME),
      outcome("complete", "a"),
      outcome("complete", "d"),
      outcome("complete", "c", { next: "r" }),
    ].flat();
    const heard = await bench.hearing(async () => {
      await bench.call("finish", "w", 5, '["r"]', ...words);
    });
    expect(told(heard)).toEqual([
      ["log", { event: "failed", jid: "b", worker: "w", ...BLAME }],
      ["failed", "b"],
      ["completed", "a"],
      ["completed", "c"],
      ["log", { event: "advanced", jid: "c", queue: "q", to: "r" }],
      ["log", { event: "completed", jids: ["a", "d"], queue: "q" }],
      ["popped", "c"],
    ]);
  });

  test("gives the first answers and jobs when it is sent again under the same request id", async () => {
    const bench = await open();
    const { a } = await running(bench, "a");
    await bench.put("q", "b");
    await bench.put("q", "c");
    const words: Words = [...outcome("complete", "a", {}, a!), ...outcome("retry", "nobody")];
    const reply = (await resent(bench, "finish", "w", 1, '["q"]', ...words)) as string[];
    expect(reply.slice(0, 2)).toEqual(["complete", "NO_SUCH_JOB Job nobody does not exist"]);
    expect(jidsOf(popped(reply.slice(2)))).toEqual(["b"]);
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["c"]);
  });
});
