import { onTestFinished } from "vitest";
import type { RedisEngineOptions } from "../../src/redis/engine.ts";
import { type RedisServer, type RedisServerOptions, startRedis } from "../redis-server.ts";
import { openRedis, poll } from "./support.ts";

/** A primary with a replica, and a Sentinel that will let the one follow the other. */
export interface Watched {
  primary: RedisServer;
  replica: RedisServer;
  sentinel: RedisServer;
  /** What a client is told to find the primary by. */
  sentinels: NonNullable<RedisEngineOptions["sentinels"]>;
  /** Kills the primary, once the replica has all that it was told. */
  failOver(): Promise<void>;
}

/** Starts them; they end with the test. */
export async function startWatched(): Promise<Watched> {
  const primary = await start();
  const replica = await start({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
  const sentinel = await startSentinel(primary);
  return {
    primary,
    replica,
    sentinel,
    sentinels: { sentinels: [{ host: "127.0.0.1", port: sentinel.port }], name: "main" },
    failOver: async () => {
      const redis = openRedis(primary.url);
      // WAIT is about what its own connection wrote, and so about all that was written before.
      await redis.set("last", "words");
      if ((await redis.wait(1, 5000)) < 1) throw new Error("The replica has not got everything");
      await primary.stop();
    },
  };
}

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
