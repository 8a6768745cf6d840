import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import type { Source } from "../../src/redis/client.ts";
import { RedisEngine, type RedisEngineOptions } from "../../src/redis/engine.ts";
import { fakeArtefacts } from "./fake-library.ts";

let namespaces = 0;

/** A namespace that no other test of this file uses. */
export function freshNamespace(): string {
  namespaces++;
  return `t${namespaces}`;
}

/** An engine on the fake library, in a namespace of its own, closed when the test is over. */
export async function openEngine(
  source: Source,
  options: RedisEngineOptions = {},
): Promise<RedisEngine> {
  const engine = await RedisEngine.open(source, {
    artefacts: fakeArtefacts(),
    namespace: freshNamespace(),
    onWarning: () => {},
    ...options,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** A plain client to look at the server and meddle with it, closed when the test is over. */
export function openRedis(url: string): Redis {
  const redis = new Redis(url);
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** What a promise is rejected with. */
export async function rejection<E extends Error>(promise: Promise<unknown>): Promise<E> {
  try {
    await promise;
  } catch (error) {
    return error as E;
  }
  throw new Error("It was not rejected");
}

/** Asks until the answer is yes, of things that nobody announces. */
export async function poll(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}

/** How often each command was called since this was last asked, those inside of scripts included. */
export async function counted(redis: Redis): Promise<Record<string, number>> {
  const lines = (await redis.info("commandstats")).matchAll(/cmdstat_([a-z|]+):calls=(\d+)/g);
  await redis.config("RESETSTAT");
  const calls = [...lines].map(([, name, count]) => [name!, Number(count)] as const);
  return Object.fromEntries(calls.filter(([name]) => !/^(config|info)/.test(name)));
}

/** How many of these calls clients have sent; all others were made inside of functions. */
export function sent(counts: Record<string, number>): number {
  const isSent = (name: string) => /^(fcall|fcall_ro|evalsha|ping|p?subscribe)$/.test(name);
  return sum(Object.fromEntries(Object.entries(counts).filter(([name]) => isSent(name))));
}

export const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((a, b) => a + b, 0);
