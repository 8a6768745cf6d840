import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { counted, openRedis, sent, sum } from "../redis/support.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { deferred, sleep, workerOf } from "./support.ts";

/** What workers cost Redis while they have nothing to do, counted by the server itself. */

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

async function openClient(): Promise<Client> {
  const client = new Client(await RedisEngine.open(server.url, { onWarning: () => {} }));
  onTestFinished(() => client.close());
  return client;
}

test("an idle process with 50 queues makes less than one call in two seconds on three connections", async () => {
  const client = await openClient();
  const redis = openRedis(server.url);
  const queues = Array.from({ length: 50 }, (_, i) => `queue-${i}`);
  const worker = workerOf(client, { queues, concurrency: 25 }).handle("k", () => {});
  await worker.start();
  // It looks once at the start, and does its first round of upkeep within a second or so.
  await sleep(1800);
  await counted(redis);
  // Two or three looks, half a round of upkeep, one note of its presence every 20 s, and PING.
  await sleep(12_000);
  expect(sent(await counted(redis))).toBeLessThan(12 * 0.5);
  const clients = String(await redis.client("LIST"))
    .trim()
    .split("\n");
  expect(clients.length - 1).toBeLessThanOrEqual(3);
}, 30_000);

test("a look at 1,000 queues asks four things of each, and a bounded number for all", async () => {
  const client = await openClient();
  const redis = openRedis(server.url);
  const queues = Array.from({ length: 1000 }, (_, i) => `queue-${i}`);
  await client.engine.call("wait", ["w", 15, ...queues]);
  await counted(redis);
  await client.engine.call("wait", ["w", 15, ...queues]);
  expect(sum(await counted(redis))).toBeLessThanOrEqual(4 * 1000 + 5);
});

test("one job wakes one of fifty idle processes, and few others come in vain", async () => {
  const producer = await openClient();
  const redis = openRedis(server.url);
  const begun = deferred();
  let runs = 0;
  for (let i = 0; i < 50; i++) {
    const worker = workerOf(await openClient(), { queues: ["herd"], concurrency: 4 });
    worker.handle("k", () => {
      runs += 1;
      begun.resolve();
    });
    await worker.start();
  }
  await sleep(1500);
  await counted(redis);
  await producer.queue("herd").put("k", 1);
  await begun.promise;
  await sleep(300);
  const { zpopmin = 0, zrange = 0 } = await counted(redis);
  expect(runs).toBe(1);
  expect(zpopmin + zrange - 1).toBeLessThanOrEqual(5);
}, 30_000);

test("jobs that end in one turn are sent together, and the next are taken with them", async () => {
  const client = await openClient();
  const redis = openRedis(server.url);
  const jobs = Array.from({ length: 1000 }, (_, i) => ({ klass: "k", data: i }));
  await client.queue("busy").putMany(jobs);
  await counted(redis);
  const worker = workerOf(client, { queues: "busy", concurrency: 100 }).handle("k", () => {});
  await worker.drain({ timeout: "10s" });
  const { fcall = 0 } = await counted(redis);
  // A call per fifty jobs, some to begin and to end with, and no more of each kind than its part.
  expect(fcall).toBeLessThan(1000 / 50 + 20);
}, 20_000);
