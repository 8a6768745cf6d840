import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { startProxy } from "../redis/proxy.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { listening, sleep, workerOf } from "./support.ts";

/** Jobs that a delayed request takes in a worker's name, after the worker has given it up. */

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

let namespaces = 0;
const fresh = () => `strays-${namespaces++}`;

async function clientAt(url: string, namespace: string): Promise<Client> {
  const options = { namespace, timeoutMs: 1000, onWarning: () => {} };
  const engine =
    url === "sqlite"
      ? await EmbeddedEngine.open(":memory:", { namespace })
      : await RedisEngine.open(url, options);
  const client = new Client(engine);
  onTestFinished(() => client.close());
  return client;
}

const whatsOf = async (client: Client, jid: string) =>
  (await client.get(jid))!.history.map(({ what }) => what);

/** The job was given back at no cost, and ran. */
async function expectRun(client: Client, jid: string, retries: number): Promise<void> {
  await client.waitFor(jid, { timeout: "15s" });
  expect(await client.get(jid)).toMatchObject({ state: "complete", remaining: retries });
  expect(await whatsOf(client, jid)).not.toContain("timed-out");
}

describe.each(["sqlite", "redis"])("a worker (%s)", (home) => {
  const open = () => clientAt(home === "redis" ? server.url : home, fresh());

  test("gives back and runs what an old request took while it was paused", async () => {
    const client = await open();
    await client.config.set("heartbeat", "30s");
    const ran: string[] = [];
    const worker = workerOf(client, { name: "w1" }).handle("k", (job) => void ran.push(job.jid));
    await worker.start();
    worker.pause();
    await sleep(100);
    await client.queue("q").put("k", {}, { jid: "a", retries: 0 });
    await client.engine.call("finish", ["w1", 1, '["q"]']);
    worker.resume();
    await expectRun(client, "a", 0);
    expect(ran).toEqual(["a"]);
  }, 30_000);

  test("gives back at its next look what an old request took while it idled", async () => {
    const client = await open();
    const { logger, told } = listening();
    const worker = workerOf(client, { name: "w1", logger }).handle("k", () => {});
    await worker.start();
    await sleep(300);
    // The worker is not listed there, so nobody wakes it for the job.
    await client.queue("other").put("k", {}, { jid: "a", retries: 0 });
    await client.engine.call("finish", ["w1", 1, '["other"]']);
    await expect
      .poll(() => client.get("a"), { timeout: 12_000 })
      .toMatchObject({
        state: "waiting",
        remaining: 0,
      });
    expect(await whatsOf(client, "a")).not.toContain("timed-out");
    expect(told.error).toEqual([]);
  }, 30_000);

  test("leaves alone what an earlier process of its name holds", async () => {
    const client = await open();
    await client.queue("q").put("k", {}, { jid: "old" });
    await client.engine.call("pop", ["q", "w1", 1]);
    await sleep(50);
    const worker = workerOf(client, { name: "w1" }).handle("k", () => {});
    await worker.start();
    await sleep(1000);
    expect(await client.get("old")).toMatchObject({ state: "running", worker: "w1" });
    expect(await whatsOf(client, "old")).toEqual(["put", "popped"]);
  });
});

describe("a request that is delivered after its connection was cut", () => {
  /** A worker whose next request for jobs is kept by the network, and a way to deliver it. */
  async function kept() {
    const namespace = fresh();
    const wire = await startProxy(server.port);
    const [cut, client] = [
      await clientAt(wire.url, namespace),
      await clientAt(server.url, namespace),
    ];
    let words: string[] | undefined;
    const { logger, told } = listening();
    const worker = workerOf(cut, { name: "w1", concurrency: 1, logger }).handle("k", () => {});
    await worker.start();
    await sleep(200);
    wire.rule = (request) => {
      if (words !== undefined || !request.includes("qless_finish")) return "pass";
      words = request;
      return "lose-request";
    };
    await client.queue("q").put("k", {}, { jid: "first" });
    await expect.poll(() => words).toBeDefined();
    const deliver = async () => {
      const [command, ...rest] = words!;
      return (await redis.call(command!, ...rest)) as string[];
    };
    return { client, worker, deliver, told };
  }

  test("takes a job that is given back at no cost", async () => {
    const { client, worker, deliver } = await kept();
    await client.waitFor("first", { timeout: "10s" });
    worker.pause();
    await client.queue("q").put("k", {}, { jid: "a", retries: 0 });
    await sleep(300);
    expect((await deliver()).at(-1)).toMatch(/^a\t/);
    worker.resume();
    await expectRun(client, "a", 0);
  }, 30_000);

  test("takes nothing once its deadline has passed", async () => {
    const { client, worker, deliver, told } = await kept();
    await client.waitFor("first", { timeout: "10s" });
    worker.pause();
    await client.queue("q").put("k", {}, { jid: "a", retries: 0 });
    await sleep(3000);
    expect(await deliver()).toEqual([]);
    expect(await client.get("a")).toMatchObject({ state: "waiting" });
    worker.resume();
    await expectRun(client, "a", 0);
    expect(told.warn.filter((sentence) => sentence.includes("given back"))).toEqual([]);
  }, 30_000);
});

test("a busy worker gives back what it hears of when it reports its presence", async () => {
  const client = await clientAt(server.url, fresh());
  let end = () => {};
  const running = new Promise<void>((resolve) => {
    end = resolve;
  });
  const worker = workerOf(client, { name: "w1", concurrency: 1 }).handle("k", () => running);
  await worker.start();
  await client.queue("q").put("k", {}, { jid: "long" });
  await expect.poll(() => client.get("long")).toMatchObject({ state: "running" });
  await client.queue("q").put("k", {}, { jid: "a", retries: 0 });
  await client.engine.call("finish", ["w1", 1, '["q"]']);
  expect(await client.get("a")).toMatchObject({ state: "running" });
  await expect
    .poll(() => client.get("a"), { timeout: 25_000 })
    .toMatchObject({
      state: "waiting",
      remaining: 0,
    });
  end();
  await expectRun(client, "a", 0);
  expect(await client.get("long")).toMatchObject({ state: "complete" });
}, 60_000);
