import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { startProxy, type Wire } from "../redis/proxy.ts";
import { freePort, type RedisServer, startRedis } from "../redis-server.ts";
import { deferred, listening, sleep, workerOf } from "./support.ts";

let server: RedisServer;
let wire: Wire;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  wire = await startProxy(server.port);
});

let namespaces = 0;

/** Two clients in a namespace of their own: one whose way the test may cut, and one beside it. */
async function clients() {
  const namespace = `outage-${namespaces++}`;
  const open = async (url: string) => {
    const options = { namespace, timeoutMs: 1000, onWarning: () => {} };
    const client = new Client(await RedisEngine.open(url, options));
    onTestFinished(() => client.close());
    return client;
  };
  return { cut: await open(wire.url), client: await open(server.url) };
}

const isCall = (name: string) => (words: string[]) => words.includes(`qless_${name}`);

describe("a worker whose answers are lost", () => {
  test.each(["lose-reply", "lose-request"] as const)(
    "runs every job, and each once in the record (%s)",
    async (fate) => {
      const { cut, client } = await clients();
      const jobs = Array.from({ length: 60 }, (_, i) => ({ klass: "k", data: i }));
      const put = await client.queue("q").putMany(jobs);
      const ran = new Map<number, number>();
      const worker = workerOf(cut, { concurrency: 4 }).handle("k", (job) => {
        const n = job.data as number;
        ran.set(n, (ran.get(n) ?? 0) + 1);
      });
      let calls = 0;
      wire.rule = (words) => (isCall("finish")(words) && ++calls % 4 === 2 ? fate : "pass");
      await worker.start();
      for (const { jid } of put) await client.waitFor(jid, { timeout: "20s" });
      expect(calls).toBeGreaterThan(10);
      expect([...ran.values()].every((count) => count === 1)).toBe(true);
      expect(ran.size).toBe(60);
      expect(await client.queue("q").counts()).toMatchObject({
        running: 0,
        waiting: 0,
        stalled: 0,
      });
      expect(await client.maintenance.check()).toEqual([]);
      for (const { jid } of put) {
        const { history, remaining } = (await client.get(jid))!;
        expect(history.filter(({ what }) => what === "done")).toHaveLength(1);
        expect(remaining).toBe(5);
      }
    },
    30_000,
  );

  test("keeps running what it has while there is no way, says so once, and goes on after", async () => {
    const { cut, client } = await clients();
    const { logger, told } = listening();
    let ran = 0;
    const worker = workerOf(cut, { concurrency: 2, logger }).handle("k", async () => {
      await sleep(20);
      ran += 1;
    });
    await worker.start();
    const jobs = Array.from({ length: 100 }, (_, i) => ({ klass: "k", data: i }));
    const first = await client.queue("q").putMany(jobs);
    await expect.poll(() => ran).toBeGreaterThan(0);
    wire.target = await freePort();
    wire.cutAll();
    await expect.poll(() => told.error.length, { timeout: 10_000 }).toBe(1);
    wire.target = server.port;
    const later = await client.queue("q").putMany(jobs);
    for (const { jid } of [...first, ...later]) await client.waitFor(jid, { timeout: "15s" });
    expect(ran).toBe(200);
    expect(told.error).toHaveLength(1);
    expect(told.info).toEqual(["The engine answers again"]);
  }, 30_000);

  test("stops in time while there is no way, and then tries nothing any more", async () => {
    const { cut, client } = await clients();
    const { logger, told } = listening();
    const begun = deferred();
    const gate = deferred();
    const worker = workerOf(cut, { logger }).handle("k", async () => {
      begun.resolve();
      await gate.promise;
    });
    await worker.start();
    await client.queue("q").put("k", 1);
    await begun.promise;
    wire.target = await freePort();
    wire.cutAll();
    gate.resolve();
    const at = performance.now();
    await worker.stop({ grace: 200 });
    expect(performance.now() - at).toBeLessThan(8000);
    wire.target = server.port;
    await sleep(1200);
    const { requests } = wire;
    const finishes = () => requests.filter(isCall("finish")).length;
    const before = finishes();
    const lines = told.error.length + told.info.length;
    await sleep(1200);
    expect(finishes()).toBe(before);
    expect(told.error.length + told.info.length).toBe(lines);
  }, 30_000);

  test("hears of jobs again after a link that only seemed open", async () => {
    const { cut, client } = await clients();
    let ran = 0;
    const worker = workerOf(cut).handle("k", () => void ran++);
    await worker.start();
    await client.queue("q").put("k", 1);
    await expect.poll(() => ran).toBe(1);
    wire.freeze();
    await client.queue("q").put("k", 2);
    await sleep(300);
    expect(ran).toBe(1);
    // New connections get through; those that stand do not, and nobody is told that they are dead.
    await expect.poll(() => ran, { timeout: 15_000 }).toBe(2);
  }, 20_000);
});

describe("a worker on a server that is killed", () => {
  test("goes on when another is there in its place", async () => {
    const first = await startRedis();
    const client = new Client(
      await RedisEngine.open(first.url, { timeoutMs: 2000, onWarning: () => {} }),
    );
    onTestFinished(() => client.close());
    let ran = 0;
    const worker = workerOf(client).handle("k", () => void ran++);
    await worker.start();
    await client.queue("q").put("k", 1);
    await expect.poll(() => ran).toBe(1);
    await first.stop();
    await sleep(300);
    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    await expect
      .poll(
        () =>
          client
            .queue("q")
            .put("k", 2)
            .catch(() => undefined),
        { timeout: 10_000 },
      )
      .toBeDefined();
    await expect.poll(() => ran, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  }, 30_000);
});
