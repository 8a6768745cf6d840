import { afterAll, beforeAll, expect, test } from "vitest";
import type { Announcement } from "../../src/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { openRedis, poll } from "./support.ts";

let server: RedisServer;
let engine: RedisEngine;
beforeAll(async () => {
  server = await startRedis();
  engine = await RedisEngine.open(server.url, { onWarning: () => {} });
});
afterAll(async () => {
  await engine.close();
  await server.stop();
});

const put = (jid: string) => engine.call("put", ["me", "q", jid, "klass", "{}", 0]);

test("passes over workers that died while they waited", async () => {
  for (const [i, worker] of ["alive", "dead-1", "dead-2", "dead-3"].entries()) {
    await engine.call("wait", [worker, 60 + i, "q"]);
  }
  const heard: Announcement[] = [];
  await engine.subscribe((one) => heard.push(one), { worker: "alive" });
  await put("a");
  await poll(async () => heard.length > 0);
  expect(heard.map(({ message }) => JSON.parse(message).event)).toEqual(["wake"]);
  const redis = openRedis(server.url);
  expect(await redis.exists("ql:q:q-idle")).toBe(0);
  expect(await redis.hexists("ql:queue:q", "idle")).toBe(0);
});

test("leaves those in peace that it need not call", async () => {
  for (const worker of ["a", "b", "c"]) await engine.call("wait", [worker, 60, "r"]);
  for (let i = 0; i < 3; i++) await engine.subscribe(() => {}, { worker: ["a", "b", "c"][i]! });
  await engine.call("put", ["me", "r", "one", "klass", "{}", 0]);
  expect(await openRedis(server.url).zrange("ql:q:r-idle", "0", "-1")).toEqual(["a", "b"]);
});
