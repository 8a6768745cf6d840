import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Legacy, lua } from "./client.ts";

/** When Redis has no memory left: what adds is refused, what finishes work is not. */

const legacy = new Legacy();
let redis: Redis;

beforeAll(async () => {
  await legacy.open();
  redis = legacy.redis;
  await redis.function("LOAD", lua("qless.functions.lua"));
});
afterAll(() => legacy.close());

beforeEach(async () => {
  await redis.flushall();
  for (const jid of ["a", "b", "c", "d", "e", "f"]) await legacy.put(0, "q", jid, "tags", '["x"]');
  await legacy.put(0, "q", "waits");
  await legacy.schedule(0, "q", "later", 10);
  await legacy.pop(0, "q", "w", 6);
  await redis.config("SET", "maxmemory", "1");
});
afterEach(async () => {
  await redis.config("SET", "maxmemory", "0");
  expect(await legacy.problems(), "check after the test").toEqual([]);
});

const fcall = (name: string, ...args: (string | number)[]) =>
  redis.call("FCALL", `qless_${name}`, 1, "ql", ...args);

describe("functions without memory", () => {
  test("refuse what adds jobs, and change nothing", async () => {
    const before = await legacy.contents();
    for (const [name, ...args] of [
      ["put", 1, "w", "q", "z", "klass", "{}", 0],
      ["put_many", 1, "w", "q", "z", "klass", "{}", 0, 0],
      ["requeue", 1, "w", "q", "waits", "klass", "{}", 0],
      ["recur", 1, "q", "r", "klass", "{}", "interval", 60, 0],
    ] as const) {
      await expect(fcall(name, ...args), name).rejects.toThrow(/^OOM/);
    }
    expect(await legacy.contents()).toEqual(before);
  });

  test("still finish work", async () => {
    expect(await fcall("complete", 1, "a", "w", "q", "{}")).toBe("complete");
    expect(await fcall("complete", 1, "b", "w", "q", "{}", "next", "p")).toBe("waiting");
    expect(await fcall("fail", 1, "c", "w", "group", "message")).toBe("c");
    expect(await fcall("retry", 1, "d", "q", "w", 0)).toBe(4);
    expect(await fcall("heartbeat", 1, "e", "w", '{"n":1}')).toBe(61);
    expect(await fcall("heartbeat_many", 1, "w", "e", "", "", "f", "", "")).toHaveLength(2);
    expect(await fcall("cancel", 1, "waits")).toEqual(["waits"]);
    const finish = [1, "w", 0, "[]", "complete", "e", "", 2, "data", "{}", "complete", "f", "", 0];
    await expect(fcall("finish", ...finish)).resolves.toHaveLength(2);
    await expect(fcall("tick", 1000)).resolves.toBeTypeOf("string");
  });

  test("still read", async () => {
    expect(await redis.call("FCALL_RO", "qless_length", 1, "ql", 1, "q")).toBe(8);
    expect(await fcall("get", 1, "a")).toContain('"state":"running"');
  });
});

describe("the legacy script without memory", () => {
  test("still reads", async () => {
    expect(await legacy.state(1, "a")).toBe("running");
    expect(await legacy.call("length", 1, "q")).toBe(8);
  });

  test("lets the reason through as Redis words it", async () => {
    await expect(legacy.put(1, "q", "z")).rejects.toThrow(/^OOM command not allowed/);
  });

  test("either does a thing whole or leaves it", async () => {
    const calls: [command: string, ...args: (string | number)[]][] = [
      ["put", "w", "q", "z", "klass", "{}", 0, "tags", '["x"]'],
      ["put", "w", "p", "a", "klass", "{}", 0, "tags", '["y"]'],
      ["put", "w", "p", "later", "klass", "{}", 0],
      ["pop", "q", "w", 10],
      ["heartbeat", "a", "w", "{}"],
      ["complete", "a", "w", "q", "{}"],
      ["complete", "b", "w", "q", "{}", "next", "p"],
      ["fail", "c", "w", "group", "message"],
      ["retry", "d", "q", "w", 0],
      ["timeout", "e"],
      ["tag", "remove", "f", "x"],
      ["priority", "waits", 3],
      ["cancel", "waits"],
      ["track", "track", "f"],
      ["recur", "q", "r", "klass", "{}", "interval", 60, 0],
    ];
    for (const [command, ...args] of calls) {
      const before = await legacy.contents();
      const refusal = await legacy.call(command, 20, ...args).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (refusal === undefined) continue;
      expect(await legacy.contents(), command).toEqual(before);
    }
  });
});
