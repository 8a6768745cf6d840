import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { RedisEngine } from "../../src/redis/engine.ts";
import { freshNamespace, redisUrl, refused } from "../engines.ts";

const namespace = freshNamespace();
const redis = new Redis(redisUrl());
afterAll(() => redis.disconnect());

test("pop leaves a queue alone that the original qless-core has filled, and says so", async () => {
  await redis.zadd(`${namespace}:queues`, 0, "q");
  await redis.zadd(`${namespace}:q:q-work`, 0, "0123456789abcdef0123456789abcdef");
  const engine = await RedisEngine.open(redisUrl(), { namespace, onWarning: () => {} });
  await refused(engine.call("pop", ["q", "w", 1]), "FOREIGN_LAYOUT", /^Queue q was filled by/);
  expect(await engine.call("pop", ["other", "w", 1, "also", '["q"]'])).toEqual([]);
  expect(await redis.zcard(`${namespace}:q:q-work`)).toBe(1);
  await engine.close();
});
