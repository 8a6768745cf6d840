import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REFUSALS } from "../../src/core/refuse.ts";
import { freePort, type RedisServer, startRedis } from "../redis-server.ts";
import { ROOT } from "../sources.ts";
import { everyPython, held, Python } from "./support.ts";

const LIBRARY = join(ROOT, "dist/qless.functions.lua");
const soon = { timeout: 10_000, interval: 20 };

everyPython("a call of the Python client that is sent twice", (open, way) => {
  test("takes effect once, and gives the same answer", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a" });
    await client.queue("q").put("k", 1, { jid: "b" });
    const [job] = await python.call("pop", ["q"]);
    const ended = [[held(job), { $outcome: ["complete"] }]];
    const finish = () => python.call("finish", ["py", ended, "q"], { count: 1, request: "r1" });
    const first = await finish();
    expect(first).toMatchObject([["complete"], [{ jid: "b" }]]);
    expect(await finish()).toEqual(first);
    await python.call("complete", [held(first[1][0])]);
  });

  test("that nobody answers ends in time, with a sentence", async () => {
    const { python, options } = await open();
    const port = await freePort();
    const away = { ...options, url: options.url.replace(/:\d+/, `:${port}`), timeout: 0.3 };
    const begun = performance.now();
    const isLazy = way !== "redis";
    if (isLazy) await python.call("open", [], away);
    const told = await python.refused(isLazy ? "queues" : "open", [], isLazy ? {} : away);
    expect(told).toBe("Unreachable UNREACHABLE");
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  test("to a place that is none is refused", async () => {
    const { python, options } = await open();
    for (const url of ["nonsense", "ftp://127.0.0.1", ""]) {
      expect(await python.refused("open", [], { ...options, url })).toBe("Refused BAD_ARGUMENT");
    }
  });

  if (way === "redis") return;

  test("with a token that is not known, or may not, is refused", async () => {
    const { python, options } = await open();
    await python.call("open", [], { ...options, token: "nobody-0123456789" });
    expect(await python.refused("queues")).toBe("Refused NO_TOKEN");
    await python.call("open", [], { ...options, token: "work-0123456789abcdef" });
    expect(await python.refused("put", ["q", "k"])).toBe("Refused NOT_PERMITTED");
    expect(await python.call("now")).toBeGreaterThan(Date.now() / 1000 - 5);
  });
});

describe("the Python client on a Redis of its own", () => {
  let server: RedisServer;
  let redis: Redis;
  let python: Python;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    python = new Python("qless");
  });
  afterAll(async () => {
    python.kill();
    redis.disconnect();
    await server.stop();
  });

  test("says how to load the library, or loads it, also when the server loses it", async () => {
    const { url } = server;
    expect(await python.refused("open", [], { url })).toBe("Unreachable NO_FUNCTION");
    const library = "nowhere.lua";
    expect(await python.refused("open", [], { url, library })).toBe("Unreachable NO_FUNCTION");
    await python.call("open", [], { url, library: LIBRARY });
    await python.call("put", ["q", "k"]);
    await redis.call("FUNCTION", "FLUSH");
    expect(await python.call("queues")).toMatchObject([{ waiting: 1 }]);
    expect(await python.refused("call", ["nothing"])).toBe("Unreachable NO_FUNCTION");
  });

  test("goes on over connections that break, and its worker is woken after that", async () => {
    await python.call("open", [], { url: server.url, namespace: "broken", library: LIBRARY });
    await python.call("work", [], { concurrency: 2 });
    for (let i = 0; i < 20; i++) {
      if (i % 4 === 0) await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      if (i === 8) await redis.call("CLIENT", "KILL", "TYPE", "pubsub");
      await python.call("put", ["q", "returns", { n: i }]);
    }
    const waiting = async () => (await python.call("queues", ["q"])) as Record<string, number>;
    await expect.poll(waiting, soon).toMatchObject({ waiting: 0, running: 0 });
    expect(await python.call("stats", ["q"])).toMatchObject({ run: { count: 20 }, failures: 0 });
    await python.call("stop");
  });

  test("says at once that a password is wrong, and that a right is missing", async () => {
    await redis.call("ACL", "SETUSER", "poor", "on", ">pw", "~*", "+@connection", "+info");
    const url = (who: string) => server.url.replace("//", `//${who}@`);
    const begun = performance.now();
    for (const who of ["poor:wrong", "poor:pw"]) {
      const told = await python.refused("open", [], { url: url(who) });
      expect(told).toBe("Unreachable UNREACHABLE");
    }
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

test("the codes of refusals are those that the Python client knows by their form", () => {
  expect(REFUSALS.filter((code) => !/^([A-Z]+(_[A-Z]+)+|CYCLE)$/.test(code))).toEqual([]);
});
