import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { MISSED } from "../../src/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { addReplica, moveSlot, ownerOf, startCluster, type TestCluster } from "./cluster.ts";
import { counted, openRedis, poll } from "./support.ts";

/** In a cluster, events go by channels of the namespace's slot: its node alone has them. */

const ARGS = ["--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no"];

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster(3, ARGS);
});
afterAll(() => cluster.stop());

async function opened(namespace: string, timeoutMs = 20_000): Promise<RedisEngine> {
  const engine = await RedisEngine.open(cluster.servers[0]!.url, {
    namespace,
    onWarning: () => {},
    timeoutMs,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** The node of a namespace. */
const nodeOf = async ({ namespace }: RedisEngine): Promise<Redis> =>
  openRedis((await ownerOf(cluster, namespace)).url);

let jids = 0;
const put = (engine: RedisEngine) =>
  engine.call("put", ["p", "q", `j${jids++}`, "k", "{}", 0], { request: `r${jids}` });

/** What an engine hears, of everything or as one worker. */
async function hearing(engine: RedisEngine, worker?: string): Promise<string[]> {
  const heard: string[] = [];
  const options = worker === undefined ? {} : { worker };
  await engine.subscribe(
    ({ channel, message }) => heard.push(channel === MISSED ? "missed" : message),
    options,
  );
  return heard;
}

/**
 * Puts jobs until a listener hears of them again, after it had missed something, and until it listens
 * at the primary. A node that does not know yet that it is one no longer may have taken it first.
 */
async function hearsAgain(engine: RedisEngine, heard: string[]): Promise<void> {
  await poll(async () => heard.includes("missed"));
  await poll(async () => {
    await pause(50);
    return (await listenersOf(engine).catch(() => 0)) === 1;
  });
  heard.length = 0;
  await poll(async () => {
    await put(engine);
    await pause(50);
    return heard.some((message) => message.includes('"put"'));
  });
  heard.length = 0;
}

/** How many listen to the log, by the count of the node that has the namespace. */
async function listenersOf(engine: RedisEngine): Promise<number> {
  const redis = new Redis((await ownerOf(cluster, engine.namespace)).url);
  try {
    const told = await redis.call("PUBSUB", "SHARDNUMSUB", `${engine.namespace}:log`);
    return Number((told as unknown[])[1]);
  } finally {
    redis.disconnect();
  }
}

describe("in a cluster", () => {
  test("a put wakes exactly one of twelve idle workers", async () => {
    const engine = await opened("wake");
    const names = Array.from({ length: 12 }, (_, i) => `w${i}`);
    const hears = await Promise.all(names.map(async (name) => hearing(await opened("wake"), name)));
    const node = await nodeOf(engine);
    for (let round = 1; round <= 5; round++) {
      for (const name of names) await engine.call("wait", [name, 60, "q"]);
      await put(engine);
      // Whoever hears this has heard all that was announced before.
      for (const name of names) await node.spublish(`${engine.namespace}:w:${name}`, "fence");
      await poll(async () => hears.every((heard) => heard.includes("fence")));
      const woken = hears.flat().filter((message) => message.includes('"wake"'));
      expect(woken).toHaveLength(1);
      for (const heard of hears) heard.length = 0;
      await engine.call("pop", ["q", "other", 1]);
    }
  });

  test("a worker that does not listen any more is passed over", async () => {
    const engine = await opened("gone");
    const heard = await hearing(await opened("gone"), "there");
    await engine.call("wait", ["there", 50, "q"]);
    for (const name of ["a", "b", "c"]) await engine.call("wait", [name, 60, "q"]);
    await put(engine);
    await poll(async () => heard.some((message) => message.includes('"wake"')));
  });

  test("a listener hears the log and tracked jobs, and no other node is told", async () => {
    const engine = await opened("log");
    const heard = await hearing(await opened("log"));
    await engine.call("put", ["p", "q", "tracked", "k", "{}", 0]);
    await engine.call("track", ["track", "tracked"]);
    await engine.call("pop", ["q", "w", 1]);
    await poll(async () => heard.length >= 3);
    expect(heard).toEqual(['{"event":"put","jid":"tracked","queue":"q"}', "tracked", "tracked"]);
    for (const { url } of cluster.servers) {
      const told = String(await openRedis(url).call("CLUSTER", "INFO"));
      expect(told).not.toMatch(/cluster_stats_messages_publish\w*_received/);
    }
  });

  test("what one worker is told is heard by its name, also through the client", async () => {
    const client = new Client(await opened("named"), { name: "me" });
    const events: unknown[] = [];
    await client.events.on({ worker: "w" }, (event) => events.push(event));
    await client.put("k", {}, { jid: "a" });
    await client.queue("k").pop({ worker: "w" });
    await client.cancel(["a"]);
    await poll(async () => events.length > 0);
    expect(events).toMatchObject([{ channel: "worker", to: "w", event: "canceled", jid: "a" }]);
  });

  test("nothing is announced on the log while nobody listens", async () => {
    const engine = await opened("silent");
    const node = await nodeOf(engine);
    for (let i = 0; i < 10; i++) await put(engine);
    await counted(node);
    const begun = performance.now();
    await Promise.all(Array.from({ length: 1000 }, () => put(engine)));
    const took = performance.now() - begun;
    const { spublish = 0, publish = 0 } = await counted(node);
    expect(spublish).toBeLessThan(3 + took / 4);
    expect(publish).toBe(0);
  });

  test("events are heard again after the slot has moved, and the listener is told that it may have missed some", async () => {
    const engine = await opened("moved");
    const listener = await opened("moved");
    const [log, worker] = [await hearing(listener), await hearing(listener, "w")];
    await put(engine);
    await poll(async () => log.length > 0);
    await moveSlot(cluster, engine.namespace);
    await hearsAgain(engine, log);
    expect(worker).toEqual(["missed"]);
    await moveSlot(cluster, engine.namespace);
    await hearsAgain(engine, log);
  }, 20_000);
});

describe("after a failover", () => {
  test("events are heard from the new primary", async () => {
    const engine = await opened("over");
    // Whether it listens at the right node is looked at as often.
    const listener = await opened("over", 2000);
    const first = await ownerOf(cluster, engine.namespace);
    const second = await addReplica(cluster, first, ARGS);
    const heard = await hearing(listener);
    await openRedis(second.url).call("CLUSTER", "FAILOVER");
    await hearsAgain(engine, heard);
    expect((await ownerOf(cluster, engine.namespace)).port).toBe(second.port);
    // The old primary follows now. It takes over when the new one dies.
    const old = openRedis(first.url);
    await poll(async () => (await old.info("replication")).includes("master_link_status:up"));
    await second.stop();
    cluster.servers.splice(cluster.servers.indexOf(second), 1);
    await hearsAgain(engine, heard);
  }, 60_000);
});
