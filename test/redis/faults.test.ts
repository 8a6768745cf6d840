import assert from "node:assert/strict";
import { inspect } from "node:util";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Unreachable } from "../../src/engine.ts";
import { freePort, type RedisServer, startRedis } from "../redis-server.ts";
import { always, firstTime, type Rule, startProxy, type Wire } from "./proxy.ts";
import { openEngine, openRedis, rejection } from "./support.ts";

let server: RedisServer;
let proxy: Wire;

beforeEach(async () => {
  server = await startRedis();
  onTestFinished(() => server.stop());
  proxy = await startProxy(server.port);
});

/** How often the fake library has carried out `put`. */
async function carriedOut(namespace: string): Promise<number> {
  return Number(await openRedis(server.url).get(`${namespace}:n`));
}

/** A rule that loses the replies to these calls and to what is behind them on the connection. */
function cutsAt(...places: number[]): Rule {
  let calls = 0;
  return ([name]) => (name === "FCALL" && places.includes(++calls) ? "lose-reply" : "pass");
}

/** How often a Redis command came through the proxy. */
function sent(command: string): number {
  return proxy.requests.filter(([name]) => name === command).length;
}

describe("a reply that got lost", () => {
  test("rejects a command without request id as uncertain, which is not sent again", async () => {
    const engine = await openEngine(proxy.url);
    proxy.requests.length = 0;
    proxy.rule = firstTime("FCALL", "lose-reply");
    const error = await rejection<Unreachable>(engine.call("put", []));
    expect(error).toMatchObject({ code: "CONNECTION_LOST", uncertain: true });
    expect(await engine.call("get", [])).toEqual(["1", "1.0.0", [false]]);
    expect(sent("FCALL")).toBe(1);
  });

  test("is asked for again with the request id, and the command is carried out once", async () => {
    const engine = await openEngine(proxy.url);
    proxy.requests.length = 0;
    proxy.rule = firstTime("FCALL", "lose-reply");
    expect(await engine.call("put", [], { request: "r" })).toBe(1);
    expect(sent("FCALL")).toBe(2);
    expect(await carriedOut(engine.namespace)).toBe(1);
  });

  test("is asked for again where doing it twice does no harm", async () => {
    const engine = await openEngine(proxy.url);
    proxy.requests.length = 0;
    proxy.rule = firstTime("FCALL", "lose-reply");
    expect(await engine.call("put", [], { repeatable: true })).toBe(2);
    expect(sent("FCALL")).toBe(2);
  });

  test("is asked for again where the command only reads", async () => {
    const engine = await openEngine(proxy.url);
    proxy.rule = firstTime("FCALL_RO", "lose-reply");
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
    expect(sent("FCALL_RO")).toBe(2);
  });

  test("leaves every one of many calls with a true account", async () => {
    const engine = await openEngine(proxy.url);
    proxy.rule = cutsAt(60);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, () => engine.call("put", [])),
    );
    const done = outcomes.filter(({ status }) => status === "fulfilled").length;
    const open = outcomes.filter((one) => one.status === "rejected" && one.reason.uncertain).length;
    expect(done + open).toBe(300);
    const count = await carriedOut(engine.namespace);
    expect(count).toBeGreaterThanOrEqual(done);
    expect(count).toBeLessThanOrEqual(done + open);
  });

  test("comes in the end for many calls with request ids, each carried out once", async () => {
    const engine = await openEngine(proxy.url);
    proxy.rule = cutsAt(60, 400, 700);
    const calls = Array.from({ length: 300 }, (_, n) =>
      engine.call("put", [], { request: `r${n}` }),
    );
    expect(new Set(await Promise.all(calls)).size).toBe(300);
    expect(await carriedOut(engine.namespace)).toBe(300);
  });

  test("on reconnecting is not made up for by ioredis", async () => {
    const own = openRedis(proxy.url);
    expect(own.options.autoResendUnfulfilledCommands).toBe(true);
    const engine = await openEngine(own);
    proxy.rule = firstTime("FCALL", "lose-reply");
    await rejection(engine.call("put", []));
    await engine.call("get", []);
    expect(await carriedOut(engine.namespace)).toBe(1);
  });
});

describe("a request that got lost", () => {
  test("is rejected as uncertain, for the two cannot be told apart", async () => {
    const engine = await openEngine(proxy.url);
    proxy.rule = firstTime("FCALL", "lose-request");
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "CONNECTION_LOST", uncertain: true });
    expect(await carriedOut(engine.namespace)).toBe(0);
  });

  test("is sent again with its request id", async () => {
    const engine = await openEngine(proxy.url);
    proxy.rule = firstTime("FCALL", "lose-request");
    expect(await engine.call("put", [], { request: "r" })).toBe(1);
  });
});

describe("the deadline", () => {
  test("rejects a call to a server that has stopped, which answers the next call rightly", async () => {
    const engine = await openEngine(server.url, { timeoutMs: 300 });
    process.kill(server.pid, "SIGSTOP");
    const [write, read] = await Promise.all([
      rejection(engine.call("put", [])),
      rejection(engine.call("get", [])),
    ]);
    expect(write).toMatchObject({ code: "TIMEOUT", uncertain: true });
    // The other's deadline ends the connection; on a slow machine this one hears of that first.
    const code = expect.stringMatching(/^(TIMEOUT|CONNECTION_LOST)$/);
    expect(read).toMatchObject({ code, uncertain: false });
    const later = await rejection(engine.call("put", []));
    expect(later).toMatchObject({ code: "NO_CONNECTION", uncertain: false });
    process.kill(server.pid, "SIGCONT");
    expect(await engine.call("get", ["mine"])).toEqual([expect.anything(), "1.0.0", ["mine"]]);
  });

  test("rejects a call on a connection that is half open, and the next has another", async () => {
    const engine = await openEngine(proxy.url, { timeoutMs: 300 });
    proxy.freeze();
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "TIMEOUT", uncertain: true });
    expect(await engine.call("get", ["mine"])).toEqual([false, "1.0.0", ["mine"]]);
  });

  test("never hands a late answer to another caller", async () => {
    const engine = await openEngine(proxy.url, { timeoutMs: 200 });
    proxy.freeze();
    await rejection(engine.call("get", ["first"]));
    proxy.thaw();
    expect(await engine.call("get", ["second"])).toEqual([false, "1.0.0", ["second"]]);
  });

  test("rejects a call for which there is no connection, and says why", async () => {
    const engine = await openEngine(server.url, { timeoutMs: 300 });
    await server.stop();
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "NO_CONNECTION", uncertain: false });
    expect(error.message).toContain("ECONNREFUSED");
  });

  test("rejects opening where nobody listens", async () => {
    const error = await rejection(
      openEngine(`redis://127.0.0.1:${await freePort()}`, { timeoutMs: 200 }),
    );
    expect(error).toMatchObject({ code: "NO_CONNECTION" });
  });

  test("rejects opening where someone listens and says nothing", async () => {
    process.kill(server.pid, "SIGSTOP");
    const error = await rejection(openEngine(server.url, { timeoutMs: 200 }));
    expect(error).toMatchObject({ code: "NO_CONNECTION" });
  });

  test("lets a call wait until the server is back", async () => {
    const engine = await openEngine(server.url);
    await server.stop();
    const call = engine.call("put", []);
    server = await startRedis({ port: server.port });
    onTestFinished(() => server.stop());
    expect(await call).toBe(1);
  });

  test("does not disturb a connection that came up while the call waited", async () => {
    const engine = await openEngine(proxy.url, { timeoutMs: 400 });
    proxy.rule = always("FCALL", { error: "BUSY Redis is busy running a script." });
    const hellos = sent("HELLO");
    expect(await rejection(engine.call("put", []))).toMatchObject({ code: "BUSY" });
    expect(sent("HELLO")).toBe(hellos);
  });

  test("turns calls away when too many wait already", async () => {
    const engine = await openEngine(server.url, { timeoutMs: 500 });
    await server.stop();
    const calls = Array.from({ length: 10_002 }, () =>
      rejection<Unreachable>(engine.call("get", [])),
    );
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    expect(codes.filter((code) => code === "TOO_MANY_CALLS").length).toBeGreaterThan(0);
    expect(codes.filter((code) => code === "NO_CONNECTION").length).toBeGreaterThanOrEqual(10_000);
  });
});

describe("a call that cannot be put into bytes", () => {
  test("is rejected, and the next is answered", async () => {
    const engine = await openEngine(server.url);
    const wordless = { toString: () => assert.fail("no words") } as unknown as string;
    const error = await rejection(engine.call("put", [wordless]));
    expect(error.message).toBe("An argument must be a text or a finite number, not object");
    expect(await engine.call("put", [])).toBe(1);
  });
});

describe("a password", () => {
  test("is in no error", async () => {
    const canary = "c4nary%2Fsecret";
    const guarded = await startRedis({ args: ["--requirepass", "right"] });
    onTestFinished(() => guarded.stop());
    const url = `redis://:${canary}@127.0.0.1:${guarded.port}`;
    const error = await rejection(openEngine(url));
    expect(error).toMatchObject({ code: "WRONGPASS" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/c4nary/);
    const unreachable = `redis://u:${canary}@127.0.0.1:${await freePort()}`;
    const other = await rejection(openEngine(unreachable, { timeoutMs: 100 }));
    expect(inspect(other, { depth: 9, showHidden: true })).not.toMatch(/c4nary/);
  });
});
