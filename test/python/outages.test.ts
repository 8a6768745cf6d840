import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REFUSALS } from "../../src/core/refuse.ts";
import { openClient } from "../client/every-client.ts";
import { served, TOKENS, tokens } from "../http/support.ts";
import { freePort, type RedisServer, startRedis } from "../redis-server.ts";
import { ROOT } from "../sources.ts";
import { everyPython, Python } from "./support.ts";

const LIBRARY = join(ROOT, "dist/qless.functions.lua");
const soon = { timeout: 10_000, interval: 20 };

everyPython("a call of the Python client that is sent twice", (open, way) => {
  test("takes effect once, and gives the same answer", async () => {
    const { client, python } = await open();
    const http = ["POST", "/jobs", { queue: "q", klass: "k", jid: "a" }, "r1"];
    const redis = ["put", "py", "q", "a", "k", "1", 0];
    const put = () =>
      way === "redis" ? python.call("call", redis, { request: "r1" }) : python.call("call", http);
    const first = await put();
    expect(await put()).toEqual(first);
    expect((await client.get("a"))!.history).toHaveLength(1);
  });

  test("that nobody answers ends in time, with a sentence", async () => {
    const { python, options } = await open();
    const port = await freePort();
    const away = { ...options, url: options.url.replace(/:\d+/, `:${port}`), timeout: 0.3 };
    const begun = performance.now();
    await python.call("open", [], away);
    expect(await python.refused("queues")).toBe("ConnectionError");
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  test("to a place that is none is refused", async () => {
    const { python, options } = await open();
    for (const url of ["nonsense", "ftp://127.0.0.1", ""]) {
      const told = await python.refused("tried", [], { ...options, url });
      expect(told).toBe("ValueError");
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

  test("says how to load the library where the server has none", async () => {
    await python.call("open", [], { url: server.url });
    expect(await python.refused("put", ["q", "k"])).toBe("Refused NO_FUNCTION");
    await redis.call("FUNCTION", "LOAD", readFileSync(LIBRARY));
    await python.call("put", ["q", "k"]);
    expect(await python.call("queues")).toMatchObject([{ waiting: 1 }]);
    expect(await python.refused("call", ["nothing"])).toBe("Refused NO_FUNCTION");
  });

  test("goes on over connections that break, and its worker is woken after that", async () => {
    await python.call("open", [], { url: server.url, namespace: "broken" });
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

  test("has its worker wait for a Redis that is not there yet, and stop while it waits", async () => {
    const port = await freePort();
    await python.call("open", [], { url: `redis://127.0.0.1:${port}`, namespace: "late" });
    await python.call("work");
    const begun = performance.now();
    await python.call("work");
    await python.call("stop");
    expect(performance.now() - begun).toBeLessThan(8000);
    const late = await startRedis({ port });
    onTestFinished(() => late.stop());
    const own = new Redis(late.url);
    await own.call("FUNCTION", "LOAD", readFileSync(LIBRARY));
    own.disconnect();
    await python.call("put", ["q", "returns", { n: 1 }]);
    const waiting = async () => (await python.call("queues", ["q"])) as Record<string, number>;
    await expect.poll(waiting, soon).toMatchObject({ waiting: 0, running: 0 });
    await python.call("stop");
    expect(python.said).not.toContain("Traceback");
  });

  test("says at once that a password is wrong, and that a right is missing", async () => {
    await redis.call("ACL", "SETUSER", "poor", "on", ">pw", "~*", "+@connection", "+info");
    const url = (who: string) => server.url.replace("//", `//${who}@`);
    const begun = performance.now();
    for (const who of ["poor:wrong", "poor:pw"]) {
      await python.call("open", [], { url: url(who) });
      expect(await python.refused("queues")).toMatch(
        /^(Authentication|NoPermission|Response)Error$/,
      );
    }
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

test("the Python worker over HTTP waits for a server that is not there yet", async () => {
  const python = new Python("qless_http");
  onTestFinished(() => python.kill());
  const client = await openClient("sqlite");
  onTestFinished(() => client.close());
  const port = await freePort();
  const token = TOKENS.admin;
  await python.call("open", [], { url: `http://127.0.0.1:${port}`, token });
  await python.call("work", [], { poll: 0.3 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await served(client, { tokens: tokens(), port });
  await client.queue("q").put("returns", { n: 1 }, { jid: "late" });
  await expect.poll(async () => (await client.get("late"))!.state, soon).toBe("complete");
  await python.call("stop");
  expect(python.said).not.toContain("Traceback");
});

test("the codes of refusals are those that the Python client knows by their form", () => {
  expect(REFUSALS.filter((code) => !/^([A-Z]+(_[A-Z]+)+|CYCLE)$/.test(code))).toEqual([]);
});
