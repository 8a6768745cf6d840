import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { builtArtefacts } from "../../src/redis/artefacts.ts";
import type { RedisEngine } from "../../src/redis/engine.ts";
import type { Mode } from "../../src/redis/library.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { startCluster, type TestCluster } from "./cluster.ts";
import { KINDS } from "./fake-library.ts";
import { openEngine, rejection } from "./support.ts";

const NOW = { now: 1_700_000_000_000 };

/** One job from put to complete, and calls that touch the other kinds of keys; all the answers. */
async function story(engine: RedisEngine): Promise<unknown[]> {
  const call = (...[command, args]: Parameters<RedisEngine["call"]>) =>
    engine.call(command, args, NOW);
  return [
    await call("put", ["w", "q", "j", "k", '{"a":[]}', 0, "tags", '["t"]']),
    await call("put", ["w", "q", "later", "k", "{}", 60, "depends", '["j"]']),
    await call("recur", ["q", "r", "k", "{}", "interval", 60, 0]),
    await call("pop", ["q", "w", 1]),
    await rejection(call("complete", ["j", "other", "q", "{}"])),
    await call("complete", ["j", "w", "q", "{}"]),
    await call("get", ["j"]),
    await call("queues", []),
    await call("stats", ["q", 1_700_000_000]),
    await call("tick", []),
  ];
}

describe("the built library", () => {
  test("is to be treated as the core says", async () => {
    expect((await builtArtefacts()).kinds).toEqual(KINDS);
  });

  let server: RedisServer;
  let cluster: TestCluster;

  beforeAll(async () => {
    [server, cluster] = await Promise.all([startRedis(), startCluster(3)]);
  });
  afterAll(async () => void (await Promise.all([server.stop(), cluster.stop()])));

  const modes: Mode[] = ["functions", "scripts"];

  test("answers alike by functions and scripts, on one server and on a cluster", async () => {
    const own = new Cluster(cluster.servers.map(({ port }) => ({ host: "127.0.0.1", port })));
    onTestFinished(() => own.disconnect());
    const artefacts = await builtArtefacts();
    const stories: unknown[][] = [];
    for (const source of [server.url, own]) {
      for (const mode of modes) {
        const engine = await openEngine(source, { artefacts, mode });
        stories.push(await story(engine));
        expect(await engine.call("check", ["0"])).toContain('"problems":[]');
      }
    }
    const [first, ...others] = stories;
    for (const other of others) expect(other).toEqual(first);
    expect(first?.[0]).toBe("j");
    expect(first?.[4]).toMatchObject({ name: "LostLock", code: "LOCK_LOST" });
  });
});
