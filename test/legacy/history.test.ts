import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

describe("history", () => {
  test("tells the whole life of a job, in whole seconds", async () => {
    await legacy.put(1.9, "q", "a");
    await legacy.pop(2.9, "q", "w");
    await legacy.complete(3.9, "a", "w", "q", "next", "p");
    await legacy.pop(4.9, "p", "w");
    await legacy.fail(5.9, "a", "w");
    await legacy.put(6.9, "q", "a");
    await legacy.pop(7.9, "q", "w");
    await legacy.complete(8.9, "a", "w", "q");
    expect((await legacy.job(9, "a")).history).toEqual([
      { what: "put", q: "q", when: 1 },
      { what: "popped", worker: "w", when: 2 },
      { what: "done", when: 3 },
      { what: "put", q: "p", when: 3 },
      { what: "popped", worker: "w", when: 4 },
      { what: "failed", worker: "w", group: "group", when: 5 },
      { what: "put", q: "q", when: 6 },
      { what: "popped", worker: "w", when: 7 },
      { what: "done", when: 8 },
    ]);
  });

  test("keeps the first entry and the newest of so many", async () => {
    await legacy.call("config.set", 0, "max-job-history", 5);
    for (let now = 0; now < 100; now++) await legacy.put(now, "q", "a");
    const { history } = await legacy.job(100, "a");
    expect(history.map(({ when }) => when)).toEqual([0, 96, 97, 98, 99]);
  });

  test("keeps a hundred entries unless it is told otherwise", async () => {
    for (let now = 0; now < 130; now++) await legacy.put(now, "q", "a");
    const { history } = await legacy.job(130, "a");
    expect(history).toHaveLength(100);
    expect([history[0]?.when, history[1]?.when, history[99]?.when]).toEqual([0, 31, 129]);
  });

  test("keeps exactly as many as it is told, be it one or two", async () => {
    for (const limit of [1, 2, 3]) {
      await legacy.redis.flushall();
      await legacy.call("config.set", 0, "max-job-history", limit);
      for (let now = 0; now < 6; now++) await legacy.put(now, "q", "a");
      expect((await legacy.job(6, "a")).history).toHaveLength(limit);
    }
  });

  test("has no limit when that is zero or less", async () => {
    for (const limit of [0, -1]) {
      await legacy.redis.flushall();
      await legacy.call("config.set", 0, "max-job-history", limit);
      for (let now = 0; now < 120; now++) await legacy.put(now, "q", "a");
      expect((await legacy.job(120, "a")).history).toHaveLength(120);
    }
  });

  test("is limited by every command that writes to it", async () => {
    await legacy.call("config.set", 0, "max-job-history", 4);
    await legacy.put(0, "q", "a", "retries", 100);
    for (let now = 1; now < 10; now++) {
      await legacy.pop(now, "q", "w");
      await legacy.call("log", now, "a", "message");
      await legacy.call("retry", now, "a", "q", "w", 0);
      expect((await legacy.job(now, "a")).history.length).toBeLessThanOrEqual(4);
    }
  });
});

describe("log", () => {
  test("adds a message with details to a job's history", async () => {
    await legacy.put(0, "q", "a");
    expect(await legacy.call("log", 1.5, "a", "started", '{"pid": 7, "on": "host"}')).toBeNull();
    expect(await legacy.call("log", 2, "a", "hello")).toBeNull();
    expect((await legacy.job(2, "a")).history).toEqual([
      { what: "put", q: "q", when: 0 },
      { what: "started", pid: 7, on: "host", when: 1 },
      { what: "hello", when: 2 },
    ]);
  });

  test("does not let details hide the message or the time", async () => {
    await legacy.put(0, "q", "a");
    await legacy.call("log", 1, "a", "message", '{"what":"x","when":99,"n":1}');
    expect((await legacy.job(1, "a")).history.at(-1)).toEqual({ what: "message", when: 1, n: 1 });
  });

  test("takes a job in any state, and messages of any text", async () => {
    const message = 'a "b"\tc\nd 😀';
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.call("log", 1, "a", message, "{}");
    await legacy.complete(2, "a", "w", "q");
    await legacy.call("log", 3, "a", "afterwards");
    expect((await legacy.job(3, "a")).history.map(({ what }) => what)).toEqual([
      "put",
      "popped",
      message,
      "done",
      "afterwards",
    ]);
  });

  test("keeps details as deep as they are", async () => {
    await legacy.put(0, "q", "a");
    const details = { list: [1, [], {}], empty: [], none: null, text: "a/b\n", deep: { x: [1] } };
    await legacy.call("log", 1, "a", "message", JSON.stringify(details));
    expect((await legacy.job(1, "a")).history.at(-1)).toEqual({
      what: "message",
      when: 1,
      ...details,
    });
  });

  test("is refused for details that are no object, so that the job stays readable", async () => {
    await legacy.put(0, "q", "a");
    for (const details of ["[}", "1", "null", '"text"', "[1]", "{", '{"a":1}}']) {
      await legacy.refusedWhole(
        () => legacy.call("log", 1, "a", "message", details),
        /^Log\(\): Arg\w* ["']data["']/,
      );
    }
  });

  test("is refused for missing jobs and missing arguments", async () => {
    await legacy.refusedWhole(
      () => legacy.call("log", 0, "a", "message", "{}"),
      "Log(): Job a does not exist",
    );
    await legacy.put(0, "q", "a");
    await legacy.refusedWhole(() => legacy.call("log", 0), /^Log\(\): Arg\w* ["']jid["'] missing/);
    await legacy.refusedWhole(
      () => legacy.call("log", 0, "a"),
      /^Log\(\): Arg\w* ["']message["'] missing/,
    );
  });
});
