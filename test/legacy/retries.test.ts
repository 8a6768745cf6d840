import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

/** Locks that are lost as soon as they are taken. */
async function losing(): Promise<void> {
  await legacy.call("config.set", 0, "grace-period", 0);
  await legacy.call("config.set", 0, "heartbeat", -10);
}

async function given(...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", "a", ...options);
  await legacy.popped(0, "q", "w", ["a"]);
}

describe("lost locks", () => {
  test("cost a retry each", async () => {
    await losing();
    await given("retries", 3);
    for (const remaining of [2, 1, 0]) {
      const [job] = await legacy.pop(0, "q", "w");
      expect(job).toMatchObject({ retries: 3, remaining });
    }
    expect(await legacy.json("failed", 0)).toEqual({});
    await legacy.popped(0, "q", "w", []);
    expect(await legacy.json("failed", 0)).toEqual({ "failed-retries-q": 1 });
  });

  test("fail a job that has no retry left", async () => {
    await losing();
    await given("retries", 0);
    await legacy.popped(1.5, "q", "other", []);
    const job = await legacy.job(2, "a");
    expect(job).toMatchObject({
      state: "failed",
      queue: "q",
      worker: "",
      expires: 0,
      retries: 0,
      remaining: -1,
    });
    expect(job.failure).toMatchObject({
      group: "failed-retries-q",
      message: 'Job exhausted retries in queue "q"',
    });
    expect(job.history).toEqual([
      { what: "put", q: "q", when: 0 },
      { what: "popped", worker: "w", when: 0 },
      { what: "timed-out", when: 1 },
      { what: "failed", group: "failed-retries-q", when: 1 },
    ]);
    expect(await legacy.json("failed", 2, "failed-retries-q")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("leave a failed job that put brings back with all its retries", async () => {
    await losing();
    await given("retries", 0);
    await legacy.popped(0, "q", "w", []);
    await legacy.put(0, "q", "a");
    expect(await legacy.job(0, "a")).toMatchObject({ state: "waiting", retries: 0, remaining: 0 });
    expect(await legacy.json("failed", 0)).toEqual({});
  });

  test("are forgotten when the job is completed, put or advanced", async () => {
    await losing();
    await given("retries", 2);
    await legacy.pop(0, "q", "w");
    expect((await legacy.job(0, "a")).remaining).toBe(1);
    await legacy.complete(0, "a", "w", "q", "next", "q");
    expect((await legacy.pop(0, "q", "w"))[0]?.remaining).toBe(2);
    await legacy.pop(0, "q", "w");
    await legacy.put(0, "q", "a");
    expect((await legacy.job(0, "a")).remaining).toBe(2);
    await legacy.pop(0, "q", "w");
    await legacy.pop(0, "q", "w");
    await legacy.complete(0, "a", "w", "q");
    expect((await legacy.job(0, "a")).remaining).toBe(2);
  });
});

describe("retry", () => {
  test("puts the job back into its queue and tells the retries left", async () => {
    await given();
    expect(await legacy.call("retry", 1, "a", "q", "w", 0)).toBe(4);
    const job = await legacy.job(1, "a");
    expect(job).toMatchObject({
      state: "waiting",
      queue: "q",
      worker: "",
      expires: 0,
      retries: 5,
      remaining: 4,
      failure: {},
    });
    expect(await legacy.sizes("q")).toEqual({ work: 1, locks: 0, scheduled: 0, depends: 0 });
    expect(await legacy.json("workers", 1, "w")).toEqual({ jobs: [], stalled: [] });
    await legacy.popped(1, "q", "w", ["a"]);
  });

  test("needs no delay", async () => {
    await given();
    expect(await legacy.call("retry", 1, "a", "q", "w")).toBe(4);
    expect(await legacy.state(1, "a")).toBe("waiting");
  });

  test("with a delay schedules the job", async () => {
    await given();
    expect(await legacy.call("retry", 1, "a", "q", "w", 10)).toBe(4);
    expect(await legacy.state(1, "a")).toBe("scheduled");
    expect(await legacy.call("jobs", 1, "scheduled", "q")).toEqual(["a"]);
    await legacy.popped(10.9, "q", "w", []);
    await legacy.popped(11, "q", "w", ["a"]);
  });

  test("takes a place behind the jobs of its priority that wait already", async () => {
    await given();
    await legacy.put(1, "q", "b");
    await legacy.call("retry", 2, "a", "q", "w", 0);
    await legacy.popped(3, "q", "w", ["b", "a"]);
  });

  test("with group and message records them, until the job completes", async () => {
    await given();
    await legacy.call("retry", 1.5, "a", "q", "w", 0, "group", "message");
    const failure = { group: "group", message: "message", when: 1, worker: "w" };
    expect(await legacy.job(2, "a")).toMatchObject({ state: "waiting", failure });
    expect(await legacy.json("failed", 2)).toEqual({});
    await legacy.popped(2, "q", "w", ["a"]);
    expect((await legacy.job(2, "a")).failure).toEqual(failure);
    await legacy.complete(3, "a", "w", "q");
    expect((await legacy.job(3, "a")).failure).toEqual({});
  });

  test("with only a group records nothing", async () => {
    await given();
    await legacy.call("retry", 1, "a", "q", "w", 0, "group");
    expect((await legacy.job(1, "a")).failure).toEqual({});
  });

  test("fails the job when no retry is left", async () => {
    await given("retries", 2);
    for (const left of [1, 0]) {
      expect(await legacy.call("retry", 0, "a", "q", "w", 0)).toBe(left);
      await legacy.popped(0, "q", "w", ["a"]);
    }
    expect(await legacy.call("retry", 3.5, "a", "q", "w", 0)).toBe(-1);
    const job = await legacy.job(4, "a");
    expect(job).toMatchObject({ state: "failed", worker: "", expires: 0, remaining: -1 });
    expect(job.failure).toMatchObject({
      group: "failed-retries-q",
      message: 'Job exhausted retries in queue "q"',
    });
    expect(job.history.at(-1)).toEqual({ what: "failed", group: "failed-retries-q", when: 3 });
    expect(await legacy.json("failed", 4)).toEqual({ "failed-retries-q": 1 });
    await legacy.popped(4, "q", "w", []);
  });

  test("fails the job in the group given, with the message given", async () => {
    await given("retries", 0);
    expect(await legacy.call("retry", 1, "a", "q", "w", 0, "group", "message")).toBe(-1);
    const job = await legacy.job(1, "a");
    expect(job.state).toBe("failed");
    expect(job.failure).toEqual({ group: "group", message: "message", when: 1, worker: "w" });
    expect(job.history.at(-1)).toEqual({ what: "failed", group: "group", when: 1 });
    expect(await legacy.json("failed", 1, "group")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("with a delay fails the job all the same when no retry is left", async () => {
    await given("retries", 0);
    expect(await legacy.call("retry", 1, "a", "q", "w", 60)).toBe(-1);
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 0 });
  });

  test("leaves nothing that the worker could still do", async () => {
    await given();
    await legacy.call("retry", 0, "a", "q", "w", 0);
    for (const [command, ...args] of [
      ["retry", "a", "q", "w", 0],
      ["complete", "a", "w", "q", "{}"],
      ["fail", "a", "w", "group", "message", "{}"],
      ["heartbeat", "a", "w", "{}"],
    ] as const) {
      await legacy.refusedWhole(
        () => legacy.call(command, 0, ...args),
        /not currently running: waiting$/,
      );
    }
  });

  test("is refused for jobs that do not run", async () => {
    await legacy.refused(
      legacy.call("retry", 0, "a", "q", "w", 0),
      /^Retry\(\): Job a does not exist/,
    );
    await legacy.put(0, "q", "a");
    const again = () => legacy.call("retry", 0, "a", "q", "w", 0);
    await legacy.refusedWhole(again, /^Retry\(\): Job a is not currently running: waiting$/);
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w");
    await legacy.refusedWhole(again, /^Retry\(\): Job a is not currently running: failed$/);
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.complete(0, "a", "w", "q");
    await legacy.refusedWhole(again, /^Retry\(\): Job a is not currently running: complete$/);
  });

  test("is refused to another worker, and into another queue", async () => {
    await given();
    await legacy.refusedWhole(
      () => legacy.call("retry", 0, "a", "q", "other", 0),
      /^Retry\(\): Job a .*another worker: w$/,
    );
    await legacy.refusedWhole(() => legacy.call("retry", 0, "a", "p", "w", 0), /another queue: q$/);
  });
});
