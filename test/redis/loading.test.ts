import type { Redis } from "ioredis";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { scriptsOf } from "../../src/redis/artefacts.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { fakeArtefacts } from "./fake-library.ts";
import { type Fate, startProxy } from "./proxy.ts";
import { openEngine, openRedis, rejection } from "./support.ts";

// The library belongs to the whole server, so each test has a server of its own.
let server: RedisServer;
let redis: Redis;

beforeEach(async () => {
  server = await startRedis();
  onTestFinished(() => server.stop());
  redis = openRedis(server.url);
});

/** How often the server was told to load a library, or a script. */
async function loads(what: "function" | "script" = "function"): Promise<number> {
  const stats = await redis.info("commandstats");
  return Number(new RegExp(`cmdstat_${what}\\|load:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

async function loadedVersion(): Promise<unknown> {
  return redis.call("FCALL", "qless_version", "1", "ql", "");
}

describe("loading", () => {
  test("puts the library where there is none", async () => {
    const engine = await openEngine(server.url);
    expect(engine.mode).toBe("functions");
    expect(await loadedVersion()).toBe("1.0.0 abc");
  });

  test("does not happen twice", async () => {
    await openEngine(server.url);
    await openEngine(server.url);
    expect(await loads()).toBe(1);
  });

  test("succeeds for all who do it at once", async () => {
    const engines = await Promise.all(Array.from({ length: 12 }, () => openEngine(server.url)));
    for (const engine of engines) expect(await engine.call("put", [])).toBe(1);
  });

  test("replaces an older version", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("0.9.12") });
    await openEngine(server.url, { artefacts: fakeArtefacts("0.10.0") });
    expect(await loadedVersion()).toBe("0.10.0 abc");
  });

  test("replaces a pre-release by its release", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("1.0.0-beta.2") });
    await openEngine(server.url, { artefacts: fakeArtefacts("1.0.0") });
    expect(await loadedVersion()).toBe("1.0.0 abc");
  });

  test("keeps a newer version and uses it", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("2.0.0") });
    const engine = await openEngine(server.url, { artefacts: fakeArtefacts("1.9.9") });
    expect(await loadedVersion()).toBe("2.0.0 abc");
    expect(await engine.call("get", [])).toEqual([false, "2.0.0", [false]]);
  });

  test("replaces another build of its own version", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("1.0.0", "one") });
    await openEngine(server.url, { artefacts: fakeArtefacts("1.0.0", "two") });
    expect(await loadedVersion()).toBe("1.0.0 two");
  });

  test("puts a newer version back that came while it was replacing an old one", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("1.0.0") });
    const proxy = await startProxy(server.port);
    proxy.rule = async ([name]): Promise<Fate> => {
      if (name === "MULTI") {
        proxy.rule = () => "pass";
        await openEngine(server.url, { artefacts: fakeArtefacts("3.0.0") });
      }
      return "pass";
    };
    await openEngine(proxy.url, { artefacts: fakeArtefacts("2.0.0") });
    expect(await loadedVersion()).toBe("3.0.0 abc");
  });

  test("leaves the newest of many versions that start at once", async () => {
    await openEngine(server.url, { artefacts: fakeArtefacts("0.1.0") });
    const versions = Array.from({ length: 9 }, (_, n) => `0.${n + 2}.0`);
    await Promise.all(
      versions.map((version) => openEngine(server.url, { artefacts: fakeArtefacts(version) })),
    );
    expect(await loadedVersion()).toBe("0.10.0 abc");
  });
});

describe("a library that got lost", () => {
  test("comes back with the next call after FUNCTION FLUSH, which is carried out once", async () => {
    const engine = await openEngine(server.url);
    expect(await engine.call("put", [])).toBe(1);
    await redis.call("FUNCTION", "FLUSH");
    expect(await engine.call("put", [])).toBe(2);
  });

  test("is loaded once for many calls that miss it", async () => {
    const engine = await openEngine(server.url);
    await redis.call("FUNCTION", "FLUSH");
    const counts = await Promise.all(Array.from({ length: 50 }, () => engine.call("put", [])));
    expect(counts.map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    expect(await loads()).toBe(2);
  });

  test("fails no call while it is lost again and again", async () => {
    const engine = await openEngine(server.url);
    for (let round = 1; round <= 30; round++) {
      const [count] = await Promise.all([engine.call("put", []), redis.call("FUNCTION", "FLUSH")]);
      expect(count).toBe(round);
    }
  });

  test("comes back after a restart without persistence", async () => {
    const engine = await openEngine(server.url);
    await engine.call("put", []);
    await server.stop();
    server = await startRedis({ port: server.port });
    onTestFinished(() => server.stop());
    expect(await engine.call("put", [])).toBe(1);
  });
});

describe("scripts", () => {
  test("give the same answers as functions", async () => {
    const engine = await openEngine(server.url, { mode: "scripts" });
    expect(engine.mode).toBe("scripts");
    expect(await engine.call("put", ["a"], { request: "r" })).toBe(1);
    expect(await engine.call("complete", [])).toBe(1);
    expect(await engine.call("get", ["é"])).toEqual(["1", "1.0.0", ["é"]]);
    expect(await loads()).toBe(0);
  });

  test("are sent to a server that lacks one of them, and to no other", async () => {
    await openEngine(server.url, { mode: "scripts" });
    expect(await loads("script")).toBe(3);
    await openEngine(server.url, { mode: "scripts" });
    expect(await loads("script")).toBe(3);
    for (const [kind, { text }] of Object.entries(scriptsOf(fakeArtefacts()))) {
      await redis.script("FLUSH");
      for (const other of Object.values(scriptsOf(fakeArtefacts()))) {
        if (other.text !== text) await redis.script("LOAD", other.text);
      }
      const before = await loads("script");
      await openEngine(server.url, { mode: "scripts" });
      expect((await loads("script")) - before, `without ${kind}`).toBe(3);
    }
  });

  test("fail no call where they are lost again while they are being loaded", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url, { mode: "scripts" });
    let losses = 5;
    proxy.rule = async ([name]): Promise<Fate> => {
      // After the loading, before the proof that it has worked.
      if (name === "EVALSHA_RO" && losses-- > 0) await redis.script("FLUSH");
      return "pass";
    };
    await redis.script("FLUSH");
    expect(await engine.call("put", [])).toBe(1);
    expect(losses).toBeLessThan(1);
  });

  test("that are removed again and again are an outage that says so", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url, { mode: "scripts" });
    proxy.rule = ([name]) =>
      /^EVALSHA/.test(name ?? "") ? { error: "NOSCRIPT No matching script." } : "pass";
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ name: "Unreachable", code: "NOSCRIPT", uncertain: false });
    expect(error.message).toContain("SCRIPT FLUSH");
    expect(error.message).not.toContain("may not load");
    expect(await loads("script")).toBeLessThan(100);
  });

  test("come back after SCRIPT FLUSH, and the call is carried out once", async () => {
    const engine = await openEngine(server.url, { mode: "scripts" });
    expect(await engine.call("put", [])).toBe(1);
    await redis.script("FLUSH");
    expect(await engine.call("put", [])).toBe(2);
    await redis.script("FLUSH");
    expect(await engine.call("get", [])).toEqual(["2", "1.0.0", [false]]);
  });
});
