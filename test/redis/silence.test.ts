import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { RedisEngine } from "../../src/redis/engine.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { counted, freshNamespace, openRedis, poll } from "./support.ts";

/** What nobody hears is not announced, and whoever listens hears all of it. */

let server: RedisServer;
let redis: Redis;
let engine: RedisEngine;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = openRedis(server.url);
  engine = await opened(server.url);
});

async function opened(url: string): Promise<RedisEngine> {
  const namespace = freshNamespace();
  const one = await RedisEngine.open(url, { namespace, onWarning: () => {} });
  onTestFinished(() => one.close());
  return one;
}

const put = (jid: string, now?: number) =>
  engine.call("put", ["w", "q", jid, "klass", "{}", 0], now === undefined ? {} : { now });

const putMany = (count: number, from: string, now?: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => put(`${from}${i}`, now)));

/** How many announcements Redis was asked for. */
const announced = async () => (await counted(redis)).publish ?? 0;

describe("where nobody listens", () => {
  test("one announcement in some milliseconds is enough to find that out", async () => {
    await putMany(10, "before-");
    await counted(redis);
    const begun = performance.now();
    await putMany(2000, "job-");
    const took = performance.now() - begun;
    // The first two of a library are made in any case, and one when a silence is over.
    expect(await announced()).toBeLessThan(3 + took / 4);
  });

  test("a batch is not put into words either", async () => {
    await putMany(10, "before-");
    const jobs = (from: string) =>
      Array.from({ length: 300 }, (_, i) => ["q", `${from}${i}`, "klass", "{}", 0, 0]).flat();
    for (let i = 0; i < 20; i++) await engine.call("put.many", ["w", ...jobs(`warm-${i}-`)]);
    await counted(redis);
    const begun = performance.now();
    for (let i = 0; i < 20; i++) await engine.call("put.many", ["w", ...jobs(`job-${i}-`)]);
    const took = performance.now() - begun;
    expect(await announced()).toBeLessThan(3 * (3 + took / 4));
  });

  test("calls that bring their own time announce as if somebody listened", async () => {
    await putMany(100, "before-");
    await counted(redis);
    await putMany(100, "job-", 1_000_000);
    expect(await announced()).toBe(100);
  });
});

describe("whoever begins to listen", () => {
  test("hears all that is announced from then on, though all was silent before", async () => {
    for (let round = 0; round < 20; round++) {
      await putMany(20, `silent-${round}-`);
      const heard: string[] = [];
      const stop = await engine.subscribe(({ message }) => heard.push(message));
      await putMany(20, `heard-${round}-`);
      await poll(async () => heard.length >= 20);
      expect(heard.filter((one) => one.includes(`"heard-${round}-`))).toHaveLength(20);
      await stop();
    }
  });

  test("hears it by a plain SUBSCRIBE after some milliseconds", async () => {
    const listener = openRedis(server.url);
    await putMany(20, "silent-");
    await listener.subscribe(`${engine.namespace}:log`);
    const heard: string[] = [];
    listener.on("message", (_channel, message: string) => heard.push(message));
    let puts = 0;
    await poll(async () => {
      await put(`some-${puts++}`);
      return heard.length > 0;
    });
    await putMany(20, "heard-");
    await poll(async () => heard.filter((one) => one.includes('"heard-')).length === 20);
    // Of those put every 10 ms, only the first may have come into the silence.
    expect(heard.length).toBeGreaterThanOrEqual(puts - 1 + 20);
  });
});

test("a server with a replica announces all, for somebody may listen there", async () => {
  const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(server.port)] });
  onTestFinished(() => replica.stop());
  await poll(async () => (await redis.info("replication")).includes("state=online"));
  const listener = openRedis(replica.url);
  await listener.subscribe(`${engine.namespace}:log`);
  let heard = 0;
  listener.on("message", () => {
    heard++;
  });
  // It is known for a second at most that a server is alone.
  const until = performance.now() + 1100;
  for (let i = 0; performance.now() < until; i++) await put(`before-${i}`);
  const before = heard;
  await counted(redis);
  await putMany(100, "job-");
  expect(await announced()).toBe(100);
  await poll(async () => heard >= before + 100);
});

test("a user who may not ask whether the server is alone announces all", async () => {
  await redis.call("ACL", "SETUSER", "mute", "on", ">secret", "~*", "&*", "+@all", "-info");
  onTestFinished(async () => void (await openRedis(server.url).call("ACL", "DELUSER", "mute")));
  const url = new URL(server.url);
  [url.username, url.password] = ["mute", "secret"];
  engine = await opened(url.href);
  // Nobody else has asked within the last second, so that it is not known.
  const until = performance.now() + 1100;
  for (let i = 0; performance.now() < until; i++) await put(`before-${i}`);
  await counted(redis);
  await putMany(100, "job-");
  expect(await announced()).toBe(100);
});
