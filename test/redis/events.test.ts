import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Announcement } from "../../src/engine.ts";
import type { RedisEngine } from "../../src/redis/engine.ts";
import { freePort, type RedisServer, startRedis } from "../redis-server.ts";
import { startProxy } from "./proxy.ts";
import { openEngine, openRedis, poll, rejection } from "./support.ts";

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
});
beforeEach(() => {
  redis = openRedis(server.url);
});
afterAll(() => server.stop());

/** Listens, and lets a test wait for a message. */
async function listen(engine: RedisEngine) {
  const heard: Announcement[] = [];
  let wake = () => {};
  const stop = await engine.subscribe((announcement) => {
    heard.push(announcement);
    wake();
  });
  const until = async (message: string) => {
    while (!heard.some((one) => one.message === message)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { heard, stop, until, messages: () => heard.map(({ message }) => message) };
}

/** How many connections of the server hear events. */
async function subscribers(): Promise<number> {
  const list = String(await redis.client("LIST", "TYPE", "PUBSUB"));
  return list.split("\n").filter((line) => line !== "").length;
}

/** Announces until someone hears it; events before a subscription is back are lost. */
async function announceUntilHeard(engine: RedisEngine, listener: { heard: Announcement[] }) {
  const before = listener.heard.length;
  await poll(async () => {
    await engine.call("put", ["again"]);
    return listener.heard.length > before;
  });
}

describe("subscribing", () => {
  test("hears what is announced in the namespace, in order, without its name", async () => {
    const engine = await openEngine(server.url);
    const listener = await listen(engine);
    await Promise.all(Array.from({ length: 100 }, (_, n) => engine.call("put", [`m${n}`])));
    await listener.until("m99");
    expect(listener.messages()).toEqual(Array.from({ length: 100 }, (_, n) => `m${n}`));
    expect(new Set(listener.heard.map(({ channel }) => channel))).toEqual(new Set(["log"]));
  });

  test("hears what other engines do, and nothing of other namespaces", async () => {
    const engine = await openEngine(server.url, { namespace: "x" });
    const listener = await listen(engine);
    for (const namespace of ["xx", "X", "x-", "{x}", "x.y"]) {
      await (await openEngine(server.url, { namespace })).call("put", ["foreign"]);
    }
    await (await openEngine(server.url, { namespace: "x" })).call("put", ["own"]);
    await listener.until("own");
    expect(listener.messages()).toEqual(["own"]);
  });

  test("takes a namespace in braces as it is", async () => {
    const engine = await openEngine(server.url, { namespace: "{a.b-c_d}" });
    const listener = await listen(engine);
    await engine.call("put", ["own"]);
    await listener.until("own");
    expect(listener.heard).toEqual([{ channel: "log", message: "own" }]);
  });

  test("shares one connection, opened by the first and closed by the last listener", async () => {
    const engine = await openEngine(server.url);
    const before = await subscribers();
    const listeners = await Promise.all([listen(engine), listen(engine), listen(engine)]);
    expect(await subscribers()).toBe(before + 1);
    await engine.call("put", ["all"]);
    for (const listener of listeners) await listener.until("all");
    for (const { stop } of listeners) await stop();
    await poll(async () => (await subscribers()) === before);
    const another = await listen(engine);
    await engine.call("put", ["later"]);
    await another.until("later");
    expect(listeners.map(({ messages }) => messages())).toEqual([["all"], ["all"], ["all"]]);
  });

  test("lets one listener be added twice and removed once", async () => {
    const engine = await openEngine(server.url);
    const heard: string[] = [];
    const listener = ({ message }: Announcement) => heard.push(message);
    const stop = await engine.subscribe(listener);
    await engine.subscribe(listener);
    const last = await listen(engine);
    await engine.call("put", ["twice"]);
    await last.until("twice");
    await stop();
    await stop();
    await engine.call("put", ["once"]);
    await last.until("once");
    expect(heard).toEqual(["twice", "twice", "once"]);
  });

  test("hears again after its connection was killed", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url);
    const listener = await listen(engine);
    await redis.call("CLIENT", "KILL", "TYPE", "pubsub");
    await announceUntilHeard(engine, listener);
  });

  test("hears again after a restart of the server", async () => {
    const own = await startRedis();
    const engine = await openEngine(own.url);
    const listener = await listen(engine);
    await own.stop();
    const next = await startRedis({ port: own.port });
    onTestFinished(() => next.stop());
    await announceUntilHeard(engine, listener);
  });

  test("finds out that its connection is half open, and hears again", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url, { timeoutMs: 200 });
    const other = await openEngine(server.url, { namespace: engine.namespace });
    const listener = await listen(engine);
    proxy.freeze();
    await announceUntilHeard(other, listener);
  });

  test("is rejected at the deadline where nobody listens", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url, { timeoutMs: 300 });
    proxy.target = await freePort();
    expect(await rejection(engine.subscribe(() => {}))).toMatchObject({ code: "NO_CONNECTION" });
    proxy.target = server.port;
    await listen(engine);
  });

  test("is rejected at once where the user may not", async () => {
    await redis.acl("SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all");
    const engine = await openEngine(server.url.replace("//", "//deaf:pw@"));
    expect(await rejection(engine.subscribe(() => {}))).toMatchObject({ code: "NOPERM" });
  });

  test("is rejected when the engine closes meanwhile", async () => {
    const engine = await openEngine(server.url);
    const subscribing = rejection(engine.subscribe(() => {}));
    await engine.close();
    expect(await subscribing).toMatchObject({ code: "CLOSED" });
  });

  test("keeps on for the others when a listener throws", async () => {
    const engine = await openEngine(server.url);
    const thrown: unknown[] = [];
    const catches = (error: unknown) => thrown.push(error);
    const previous = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", catches);
    onTestFinished(() => {
      process.removeAllListeners("uncaughtException");
      for (const listener of previous) process.on("uncaughtException", listener);
    });
    await engine.subscribe(() => {
      throw new Error("mine");
    });
    const listener = await listen(engine);
    await engine.call("put", ["one"]);
    await engine.call("put", ["two"]);
    await listener.until("two");
    expect(listener.messages()).toEqual(["one", "two"]);
    expect(thrown).toEqual([new Error("mine"), new Error("mine")]);
  });
});
