import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addReplica, moveSlot, ownerOf, startCluster, type TestCluster } from "../redis/cluster.ts";
import { ROOT } from "../sources.ts";
import { Python } from "./support.ts";

const ARGS = ["--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no"];
const NAMESPACE = "{py}";
/** Far less than the five seconds after which a worker looks by itself. */
const woken = { timeout: 3000, interval: 20 };
const soon = { timeout: 30_000, interval: 50 };

let cluster: TestCluster;
let python: Python;
beforeAll(async () => {
  cluster = await startCluster(3, ARGS);
  for (const { url } of cluster.servers) {
    const redis = new Redis(url);
    await redis.call("FUNCTION", "LOAD", readFileSync(join(ROOT, "dist/qless.functions.lua")));
    redis.disconnect();
  }
  python = new Python("qless");
});
afterAll(async () => {
  python.kill();
  await cluster.stop();
});

/** The URL of a node that does not have the namespace. */
async function another(): Promise<string> {
  const owner = await ownerOf(cluster, NAMESPACE);
  return cluster.servers.find(({ url }) => url !== owner.url)!.url;
}

const counts = async () => (await python.call("queues", ["q"])) as Record<string, number>;

/** Waits until the worker has nothing to do and says so. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 1000));

test("the Python client finds the node of its namespace, and its worker is woken there", async () => {
  await python.call("open", [], { url: await another(), namespace: NAMESPACE, timeout: 20 });
  await python.call("work");
  await idle();
  await python.call("put", ["q", "returns", { n: 1 }], { jid: "first" });
  await expect.poll(counts, woken).toMatchObject({ waiting: 0, running: 0 });
  for (let i = 0; i < 200; i++) await python.call("put", ["later", "returns", { n: i }]);
  for (let move = 0; move < 2; move++) {
    const moved = moveSlot(cluster, NAMESPACE, { pipe: 10, pauseMs: 2 });
    for (let i = 0; i < 20; i++) await python.call("put", ["q", "returns", { n: i }]);
    await moved;
    await expect.poll(counts, soon).toMatchObject({ waiting: 0, running: 0 });
    await idle();
    await python.call("put", ["q", "returns", { n: 1 }]);
    await expect.poll(counts, woken).toMatchObject({ waiting: 0, running: 0 });
  }
  await python.call("stop");
  expect(await python.call("stats", ["q"])).toMatchObject({ run: { count: 43 }, failures: 0 });
}, 60_000);

test("the Python worker goes on after a failover", async () => {
  await python.call("open", [], { url: await another(), namespace: NAMESPACE, timeout: 20 });
  await python.call("work");
  const first = await ownerOf(cluster, NAMESPACE);
  await addReplica(cluster, first, ARGS);
  await first.stop();
  cluster.servers.splice(cluster.servers.indexOf(first), 1);
  const put = () => python.attempt("put", ["q", "returns", { n: 1 }], { jid: "after" });
  await expect.poll(put, soon).toHaveProperty("value");
  await expect.poll(counts, soon).toMatchObject({ waiting: 0, running: 0 });
  await python.call("stop");
}, 90_000);
