import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisEngine } from "../../src/redis/engine.ts";
import { type PoppedJob, popped } from "../engines.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

/**
 * What a call asks of Redis, counted by the server itself: a guard of the benchmark's figures that
 * does not depend on the clock. Whoever makes a call cheaper lowers these numbers.
 */

let server: RedisServer;
let redis: Redis;
let engine: RedisEngine;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  engine = await RedisEngine.open(server.url, { onWarning: () => {} });
});
afterAll(async () => {
  await engine.close();
  redis.disconnect();
  await server.stop();
});

/** How often each command was called while the work was done, but for the call itself. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await redis.config("RESETSTAT");
  await work();
  const lines = (await redis.info("commandstats")).matchAll(/cmdstat_([a-z]+):calls=(\d+)/g);
  const calls = [...lines].map(([, name, count]) => [name!, Number(count)] as const);
  return Object.fromEntries(calls.filter(([name]) => !["fcall", "config"].includes(name)));
}

type Words = (string | number)[];
/** All calls are made at one moment: the first pop of a second asks more, for it notes the worker. */
const call = (name: Parameters<RedisEngine["call"]>[0], ...words: Words) =>
  engine.call(name, words, { now: 1_000_000 });
const many = (jids: string[]) => jids.flatMap((jid) => ["q", jid, "klass", "{}", 0, 0]);
const numbered = (start: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${start}${i}`);

/** A queue that is known, with jobs in it, and a worker that has just asked. */
async function begin(waiting: number): Promise<void> {
  await redis.flushdb();
  for (let i = 0; i < waiting; i += 1000)
    await call("put.many", "w", ...many(numbered(`${i}-`, 1000)));
  const [job] = popped(await call("pop", "q", "w", 1));
  await call("complete", job!.jid, "w", "q", "{}", "lease", job!.lease);
}

const outcomes = (jobs: PoppedJob[]) =>
  jobs.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);

describe.each([1000, 20_000])("with %i jobs waiting", (waiting) => {
  beforeAll(() => begin(waiting));

  test("a put asks six things", async () => {
    const put = () => call("put", "w", "q", "one", "klass", "{}", 0);
    expect(await counted(put)).toEqual({ publish: 1, exists: 1, hmget: 1, zadd: 1, hset: 2 });
  });

  test("a put that keeps an existing job asks no more for a new one, and three things to keep it", async () => {
    const put = () => call("put", "w", "q", "chosen", "klass", "{}", 0, "exists", "keep");
    expect(await counted(put)).toEqual({ publish: 1, exists: 1, hmget: 1, zadd: 1, hset: 2 });
    expect(await counted(put)).toEqual({ exists: 1, hget: 1, hmget: 1 });
  });

  test("a pop asks nine things, and a completion eight", async () => {
    let jobs: PoppedJob[] = [];
    const pop = async () => {
      jobs = popped(await call("pop", "q", "w", 1));
    };
    expect(await counted(pop)).toEqual({
      hmget: 2,
      exists: 1,
      zpopmin: 1,
      hincrby: 1,
      hset: 1,
      zadd: 2,
      append: 1,
    });
    const { jid, data, lease } = jobs[0]!;
    const complete = () => call("complete", jid, "w", "q", data, "lease", lease);
    expect(await counted(complete)).toEqual({
      hget: 1,
      exists: 1,
      hset: 1,
      publish: 1,
      zrem: 2,
      append: 1,
      zadd: 1,
    });
  });

  test("a completion with the next job asks fourteen things", async () => {
    const jobs = popped(await call("pop", "q", "w", 1));
    const finish = () => call("finish", "w", 1, '["q"]', ...outcomes(jobs));
    expect(await counted(finish)).toEqual({
      ...{ hget: 1, exists: 1, hmget: 2, hset: 2, zadd: 3 },
      ...{ publish: 1, zpopmin: 1, hincrby: 1, zrem: 2, append: 1 },
    });
  });

  test("ten puts in one call ask one thing each, and five for all", async () => {
    const jids = numbered("ten-", 10);
    const put = () => call("put.many", "w", ...many(jids));
    expect(await counted(put)).toEqual({
      publish: 1,
      exists: 1,
      hset: 10 + 1,
      hmget: 1,
      zadd: 1,
    });
  });

  test("ten puts that keep existing jobs ask the same, and three things each to keep them", async () => {
    const words = numbered("kept-", 10).flatMap((jid) => {
      return ["q", jid, "klass", "{}", 0, 2, "exists", "keep"];
    });
    const put = () => call("put.many", "w", ...words);
    expect(await counted(put)).toEqual({ publish: 1, exists: 1, hset: 10 + 1, hmget: 1, zadd: 1 });
    expect(await counted(put)).toEqual({ exists: 1 + 10, hget: 10, hmget: 1 });
  });

  test("ten completions with ten new jobs ask four things for each job", async () => {
    const jobs = popped(await call("pop", "q", "w", 10));
    const finish = () => call("finish", "w", 10, '["q"]', ...outcomes(jobs));
    const { object, zcard, ...asked } = await counted(finish);
    expect([object ?? 0, zcard ?? 0].every((count) => count <= 3)).toBe(true);
    expect(asked).toMatchObject({ hget: 10, hmget: 10 + 1, exists: 1, publish: 1 });
    expect(asked).toMatchObject({ zrange: 1, zremrangebyrank: 1, hincrby: 1, append: 1 });
    expect(asked.hset).toBe(10 + 10);
    expect(asked.zadd).toBeLessThanOrEqual(3 + 3);
  });
});

test("locks are kept in skip lists once there are some, and nothing is left of how that is done", async () => {
  await redis.flushdb();
  const jids = numbered("job-", 64);
  await call("put.many", "w", ...many(jids));
  const rankings = ["ql:q:q-locks", "ql:w:w:jobs"];
  for (const _ of jids) await call("pop", "q", "w", 1);
  for (const ranking of rankings) {
    expect(await redis.object("ENCODING", ranking)).toBe("skiplist");
    expect(new Set(await redis.zrange(ranking, "0", "-1"))).toEqual(new Set(jids));
  }
});

test("who may not ask how Redis keeps a ranking can work all the same", async () => {
  await redis.flushdb();
  await redis.call("ACL", "SETUSER", "worker", "on", ">secret", "~*", "&*", "+@all", "-object");
  const url = new URL(server.url);
  [url.username, url.password] = ["worker", "secret"];
  const worker = await RedisEngine.open(url.href, { onWarning: () => {} });
  try {
    await call("put.many", "w", ...many(numbered("job-", 64)));
    expect(await worker.call("pop", ["q", "w", 64])).toHaveLength(64);
  } finally {
    await worker.close();
    await redis.call("ACL", "DELUSER", "worker");
  }
});

test("a waiting job weighs less than 400 bytes with a payload of 20, and 1,300 with one of 500", async () => {
  const countsKeysAlone = /redis_version:7\.[02]\./.test(await redis.info("server"));
  for (const [size, most] of [
    [20, 400],
    [500, 1300],
  ] as const) {
    await redis.flushdb();
    const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))![1]);
    const [before, beforeUsed] = [await sizeOfKeys(), await used()];
    const data = JSON.stringify({ text: "x".repeat(size - 11) });
    const jids = numbered("abcdefghijklmnopqr", 5000);
    for (let i = 0; i < jids.length; i += 1000) {
      const words = jids.slice(i, i + 1000).flatMap((jid) => ["q", jid, "klass", data, 0, 0]);
      await call("put.many", "w", ...words);
    }
    expect(await redis.dbsize()).toBeGreaterThan(jids.length);
    if (countsKeysAlone) expect(((await used()) - beforeUsed) / jids.length).toBeLessThan(most);
    expect(((await sizeOfKeys()) - before) / jids.length).toBeLessThan(most);
  }
});

/** What all keys take, in bytes. From Redis 7.4 on, `used_memory` counts the garbage of Lua as well. */
async function sizeOfKeys(): Promise<number> {
  const keys = await redis.keys("*");
  const questions = redis.pipeline(keys.map((key) => ["memory", "usage", key, "SAMPLES", "0"]));
  const sizes = (await questions.exec()) ?? [];
  // The table of all keys has a pointer for each, and up to twice as many places as there are keys.
  return sizes.reduce((all, [, size]) => all + Number(size) + TABLE_BYTES, 0);
}

const TABLE_BYTES = 16;

test("and so they are where one worker after the other takes one job, and one goes on and on", async () => {
  await redis.flushdb();
  await call("put.many", "w", ...many(numbered("job-", 64)));
  for (const worker of ["a", "b", "c"]) await call("pop", "q", worker, 1);
  let jobs = popped(await call("pop", "q", "w", 1));
  for (let i = 0; i < 32; i++) {
    const reply = (await call("finish", "w", 1, '["q"]', ...outcomes(jobs))) as string[];
    jobs = popped(reply.slice(1));
  }
  expect(await redis.object("ENCODING", "ql:q:q-locks")).toBe("skiplist");
  expect(await redis.zcard("ql:q:q-locks")).toBe(4);
});
