import { isDeepStrictEqual } from "node:util";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Announcement, Reply } from "../../src/engine.ts";
import type { RedisServer } from "../redis-server.ts";
import { beginMove, moveSlot, startCluster, type TestCluster } from "./cluster.ts";
import { firstTime, startProxy } from "./proxy.ts";
import { openEngine, openRedis, poll, rejection } from "./support.ts";

function openCluster({ servers }: TestCluster): Cluster {
  const cluster = new Cluster(servers.map(({ port }) => ({ host: "127.0.0.1", port })));
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

async function functionsIn(server: RedisServer): Promise<string> {
  return JSON.stringify(await openRedis(server.url).call("FUNCTION", "LIST"));
}

describe("a cluster of one node", () => {
  let cluster: TestCluster;
  let server: RedisServer;

  beforeAll(async () => {
    cluster = await startCluster(1);
    server = cluster.servers[0] as RedisServer;
  });
  afterAll(() => cluster.stop());

  function halt(): void {
    process.kill(server.pid, "SIGSTOP");
    onTestFinished(() => void process.kill(server.pid, "SIGCONT"));
  }

  test("takes an ioredis Cluster, which stays open and the user's", async () => {
    const own = openCluster(cluster);
    const engine = await openEngine(own, { namespace: "billing" });
    expect(engine.namespace).toBe("{billing}");
    expect(await engine.call("put", [])).toBe(1);
    await engine.close();
    expect(await own.get("{billing}:n")).toBe("1");
  });

  test("is recognised behind a URL", async () => {
    const engine = await openEngine(server.url, { namespace: "{tagged}" });
    expect(engine.namespace).toBe("{tagged}");
    expect(await engine.call("put", [])).toBe(1);
    expect(await engine.call("get", ["a"])).toEqual(["1", "1.0.0", ["a"]]);
  });

  test("takes the options of ioredis for a URL", async () => {
    const engine = await openEngine(server.url, { cluster: { slotsRefreshInterval: 1000 } });
    expect(await engine.call("put", [])).toBe(1);
  });

  test("is not used through a client of a single server", async () => {
    expect(await rejection(openEngine(openRedis(server.url)))).toMatchObject({ code: "MOVED" });
  });

  test("announces to engines that use functions or scripts", async () => {
    const engine = await openEngine(openCluster(cluster), { namespace: "events" });
    const scripts = await openEngine(openCluster(cluster), {
      namespace: "events",
      mode: "scripts",
    });
    const heard: Announcement[] = [];
    await engine.subscribe((announcement) => heard.push(announcement));
    await scripts.call("put", ["hello"]);
    await poll(async () => heard.length > 0);
    expect(heard).toEqual([{ channel: "log", message: "hello" }]);
  });

  test("gets the library and the scripts again when they are lost", async () => {
    const engine = await openEngine(openCluster(cluster), { namespace: "lost" });
    const scripts = await openEngine(openCluster(cluster), { namespace: "lost", mode: "scripts" });
    const redis = openRedis(server.url);
    await redis.call("FUNCTION", "FLUSH");
    await redis.script("FLUSH");
    expect(await engine.call("put", [])).toBe(1);
    expect(await scripts.call("put", [])).toBe(2);
  });

  test("rejects calls at the deadline while its node does not answer, and recovers", async () => {
    const engine = await openEngine(openCluster(cluster), { timeoutMs: 500 });
    await engine.call("put", []);
    halt();
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "TIMEOUT", uncertain: true });
    process.kill(server.pid, "SIGCONT");
    const isAnswer = (reply: Reply) =>
      Array.isArray(reply) && isDeepStrictEqual(reply.slice(1), ["1.0.0", ["a"]]);
    await poll(() => engine.call("get", ["a"]).then(isAnswer, () => false));
  });

  test("closes while its node does not answer", async () => {
    const engine = await openEngine(openCluster(cluster));
    halt();
    const call = rejection(engine.call("put", []));
    await engine.close();
    expect(await call).toMatchObject({ code: "CLOSED" });
  });

  test("does not send again by itself what was lost with a connection", async () => {
    const proxy = await startProxy(server.port);
    const own = new Cluster([{ host: "127.0.0.1", port: server.port }], {
      natMap: () => ({ host: "127.0.0.1", port: proxy.port }),
    });
    onTestFinished(() => own.disconnect());
    const engine = await openEngine(own, { namespace: "once" });
    proxy.rule = firstTime("FCALL", "lose-reply");
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "CONNECTION_LOST", uncertain: true });
    proxy.rule = firstTime("FCALL", "lose-reply");
    expect(await engine.call("put", [], { request: "r" })).toBe(2);
    expect(await engine.call("get", ["a"])).toEqual(["2", "1.0.0", ["a"]]);
  });
});

describe("a cluster of three nodes", () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster(3);
  });
  afterAll(() => cluster.stop());

  test("has the library on each, and namespaces where their tags belong", async () => {
    const own = openCluster(cluster);
    const engines = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((namespace) => openEngine(own, { namespace })),
    );
    for (const server of cluster.servers) expect(await functionsIn(server)).toContain("qless_put");
    for (const engine of engines) {
      expect(await engine.call("put", [], { request: "r" })).toBe(1);
      expect(await engine.call("complete", [])).toBe(1);
    }
    const sizes = await Promise.all(cluster.servers.map(({ url }) => openRedis(url).dbsize()));
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(1);
  });

  test("has scripts on each for those who use them", async () => {
    const engines = await Promise.all(
      ["g", "h", "i", "j", "k", "l"].map((namespace) =>
        openEngine(openCluster(cluster), { namespace, mode: "scripts" }),
      ),
    );
    for (const engine of engines) expect(await engine.call("put", [])).toBe(1);
  });

  test("waits while a slot moves, and knows at the deadline that nothing was carried out", async () => {
    const engine = await openEngine(openCluster(cluster), { namespace: "slow", timeoutMs: 500 });
    expect(await engine.call("put", [])).toBe(1);
    const end = await beginMove(cluster, "{slow}");
    for (const call of [engine.call("put", []), engine.call("get", ["a"])]) {
      const error = await rejection(call);
      expect(error).toMatchObject({ name: "Unreachable", code: "TRYAGAIN", uncertain: false });
    }
    const waiting = engine.call("put", []);
    await end();
    expect(await waiting).toBe(2);
  });

  test("declares a second key for a namespace in braces, and the library takes one or two", async () => {
    await openEngine(openCluster(cluster), { namespace: "declared" });
    const own = openCluster(cluster);
    expect(await own.call("FCALL", "qless_put", "1", "{declared}", "")).toBe(1);
    expect(await own.call("FCALL", "qless_put", "2", "{declared}", "{declared}:-", "")).toBe(2);
  });

  test("lets a namespace move to another node, which has not got the library", async () => {
    const engine = await openEngine(openCluster(cluster), { namespace: "moving" });
    expect(await engine.call("put", [])).toBe(1);
    await moveSlot(cluster, "{moving}");
    for (const { url } of cluster.servers) await openRedis(url).call("FUNCTION", "FLUSH");
    expect(await engine.call("put", [])).toBe(2);
  });
});
