import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/connect.ts";
import { CA, NAMED, OTHER_CA } from "../redis/certificates.ts";
import { announce, moveSlot, startCluster, type TestCluster } from "../redis/cluster.ts";
import { startProxy } from "../redis/proxy.ts";
import { openRedis, rejection } from "../redis/support.ts";
import type { RedisServer } from "../redis-server.ts";
import { connected, liveThrough } from "./connected.ts";

describe("a client of a cluster", () => {
  let cluster: TestCluster;
  let urls: string[];

  beforeAll(async () => {
    cluster = await startCluster(3);
    urls = cluster.servers.map(({ url }) => url);
  });
  afterAll(() => cluster.stop());

  test("finds all of it by the URL of any node, and puts its namespace in braces", async () => {
    for (const [n, url] of urls.entries()) {
      const client = await connected(url, { namespace: `shop-${n}` });
      expect(client.engine.namespace).toBe(`{shop-${n}}`);
      await liveThrough(client);
    }
  });

  test("takes the options of ioredis, and a namespace that has its braces", async () => {
    const options = { namespace: "{shop}", cluster: { slotsRefreshInterval: 1000 } };
    const client = await connected(urls[0]!, options);
    expect(client.engine.namespace).toBe("{shop}");
    await liveThrough(client);
  });

  test("uses scripts as well as functions", async () => {
    await liveThrough(await connected(urls[0]!, { mode: "scripts" }));
  });

  test("hears of what another does that came by another node", async () => {
    const [one, two] = [
      await connected(urls[0]!, { namespace: "shared" }),
      await connected(urls[1]!, { namespace: "shared" }),
    ];
    const { jid } = await one.put("k", 1);
    const ended = one.waitFor(jid, { timeout: "10s" });
    const [job] = await two.queue("k").pop();
    await job!.complete();
    expect(await ended).toMatchObject({ state: "complete", job: { jid } });
  });

  test("goes on when its namespace moves to another node", async () => {
    const client = await connected(urls[0]!, { namespace: "moving" });
    await client.put("k", 1, { jid: "a" });
    await moveSlot(cluster, "{moving}");
    const [job] = await client.queue("k").pop();
    expect(job).toMatchObject({ jid: "a", data: 1 });
    await job!.complete();
    await liveThrough(client);
  });

  test("leaves no socket open when it is closed", async () => {
    const watchers = urls.map(openRedis);
    const sockets = async () => (await Promise.all(watchers.map(clientsOf))).flat();
    const before = new Set(await sockets());
    const added = async () => (await sockets()).filter((address) => !before.has(address));
    const client = await connected(urls[0]!);
    await client.events.on({}, () => {});
    await client.put("k", 1);
    expect(await added()).not.toEqual([]);
    await client.close();
    await expect.poll(added).toEqual([]);
  });
});

/** Who is connected to a server, by address. */
async function clientsOf(redis: Redis): Promise<string[]> {
  return String(await redis.client("LIST")).match(/\baddr=\S+/g) ?? [];
}

describe("a client of a cluster over TLS", () => {
  let cluster: TestCluster;
  let server: RedisServer;

  beforeAll(async () => {
    cluster = await startCluster(1);
    server = cluster.servers[0]!;
  });
  afterAll(() => cluster.stop());

  /** A way in by TLS, by which the cluster tells clients to come. */
  async function front(host: string) {
    const proxy = await startProxy(server.port, NAMED);
    await announce(server, host, proxy.port);
    return { ...proxy, url: `rediss://localhost:${proxy.port}` };
  }

  test.each([
    ["finds it by the URL of a node", {}],
    ["takes the options of ioredis", { cluster: { slotsRefreshInterval: 1000 } }],
  ])("%s, by its name", async (_, options) => {
    const proxy = await front("localhost");
    const client = await connected(proxy.url, { tls: { ca: CA }, ...options });
    await liveThrough(client);
    await client.close();
    await expect.poll(() => proxy.sockets()).toBe(0);
  });

  test("takes nodes that go by other names for the one that it is told", async () => {
    const { url } = await front("127.0.0.1");
    const client = await connected(url, { tls: { ca: CA, servername: "localhost" } });
    await liveThrough(client);
  });

  test("tells which node has a certificate for another name", async () => {
    const { url, port } = await front("127.0.0.1");
    const error = await rejection(connect(url, { tls: { ca: CA }, timeout: "20s" }));
    expect(error).toMatchObject({ name: "Unreachable", code: "BAD_CERTIFICATE" });
    expect(error.message).toContain(`Redis at 127.0.0.1:${port} is for DNS:localhost and not for`);
  });

  test.each([
    ["found by itself", {}],
    ["given as one", { cluster: {} }],
  ])("tells what is wrong with the certificate of a cluster %s", async (_, options) => {
    const { url, port } = await front("localhost");
    const tls = { ca: OTHER_CA };
    const error = await rejection(connect(url, { tls, timeout: "20s", ...options }));
    expect(error).toMatchObject({ name: "Unreachable", code: "BAD_CERTIFICATE" });
    expect(error.message).toContain(`at localhost:${port} is signed by an authority`);
  });
});
