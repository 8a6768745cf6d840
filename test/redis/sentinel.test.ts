import { describe, expect, onTestFinished, test } from "vitest";
import { type RedisServer, type RedisServerOptions, startRedis } from "../redis-server.ts";
import { openEngine, openRedis, poll } from "./support.ts";

async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

/** A Sentinel that watches a primary and knows its replica to be of use. */
async function startSentinel(primary: RedisServer): Promise<RedisServer> {
  const sentinel = await start({
    sentinel: [
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      "sentinel down-after-milliseconds main 500",
      "sentinel failover-timeout main 2000",
    ],
  });
  const redis = openRedis(sentinel.url);
  await poll(async () => {
    const replicas = await redis.call("SENTINEL", "REPLICAS", "main");
    return JSON.stringify(replicas).includes('"master-link-status","ok"');
  });
  return sentinel;
}

describe("Sentinel", () => {
  test("leads to the primary, and to the next one after a failover", async () => {
    const primary = await start();
    await start({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
    const { port } = await startSentinel(primary);
    const engine = await openEngine("redis://unused", {
      sentinels: { sentinels: [{ host: "127.0.0.1", port }], name: "main" },
      timeoutMs: 25_000,
    });
    expect(await engine.call("put", [], { request: "a" })).toBe(1);
    expect(await openRedis(primary.url).wait(1, 5000)).toBe(1);
    await primary.stop();
    expect(await engine.call("put", [], { request: "b" })).toBe(2);
  }, 30_000);
});
