import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RedisEngine, type RedisEngineOptions } from "../../src/redis/engine.ts";
import { type PoppedJob, popped } from "../engines.ts";
import { type RedisServerOptions, startRedis } from "../redis-server.ts";
import { startProxy } from "./proxy.ts";
import { openRedis, poll } from "./support.ts";

/** Leases stay unique on real servers that lose what they had given out. */

async function serve(options: RedisServerOptions = {}) {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

async function openEngine(url: string, options: RedisEngineOptions = {}): Promise<RedisEngine> {
  const engine = await RedisEngine.open(url, { namespace: "ql", onWarning: () => {}, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

async function take(engine: RedisEngine, worker = "w"): Promise<PoppedJob> {
  const [job] = popped(await engine.call("pop", ["q", worker, 1]));
  return job!;
}

/** Every word of the earlier run about its job is refused. */
async function expectRefused(engine: RedisEngine, { jid, lease }: PoppedJob, worker = "w") {
  const code = async (call: Promise<unknown>) =>
    call.then(String, (error: { code: string }) => error.code);
  expect([
    await code(engine.call("heartbeat", [jid, worker, "", "lease", lease])),
    await code(engine.call("complete", [jid, worker, "q", "{}", "lease", lease])),
    await code(engine.call("fail", [jid, worker, "g", "m", "", "lease", lease])),
    await code(engine.call("retry", [jid, "q", worker, 0, "", "", "lease", lease])),
  ]).toEqual(["LOCK_LOST", "LOCK_LOST", "LOCK_LOST", "LOCK_LOST"]);
  const [answer] = (await engine.call("finish", [
    ...[worker, 0, "[]"],
    ...["complete", jid, lease, 0],
  ])) as string[];
  expect(answer).toMatch(/^LOCK_LOST /);
}

const MODES = ["functions", "scripts"] as const;

test.each(MODES)("a server that restarts from a snapshot gives new leases (%s)", async (mode) => {
  const dir = mkdtempSync(join(tmpdir(), "qless-snapshot-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const before = await serve();
  const engine = await openEngine(before.url, { mode });
  for (const jid of ["a", "b"]) await engine.call("put", ["p", "q", jid, "k", "{}", 0]);
  await take(engine);
  await openRedis(before.url).save();
  copyFileSync(join(before.dir, "dump.rdb"), join(dir, "dump.rdb"));
  const first = await take(engine);
  await before.stop();

  const after = await serve({ args: ["--dir", dir] });
  const again = await openEngine(after.url, { mode });
  const second = await take(again);
  expect(second.jid).toBe(first.jid);
  expect(second.lease).toBeGreaterThan(first.lease);
  await expectRefused(again, first);
  expect(await again.call("complete", [second.jid, "w", "q", "{}", "lease", second.lease])).toBe(
    "complete",
  );
});

test("a server that reloads its data goes on counting", async () => {
  const server = await serve({ args: ["--enable-debug-command", "yes"] });
  const engine = await openEngine(server.url);
  for (const jid of ["a", "b"]) await engine.call("put", ["p", "q", jid, "k", "{}", 0]);
  const first = await take(engine);
  await openRedis(server.url).call("DEBUG", "RELOAD");
  expect((await take(engine)).lease).toBeGreaterThan(first.lease);
});

test.each([
  ["FLUSHALL", ["FLUSHALL"]],
  ["FUNCTION FLUSH", ["FUNCTION", "FLUSH"]],
])("leases grow after %s", async (_, words) => {
  const server = await serve();
  const engine = await openEngine(server.url);
  const [command, ...args] = words as [string, ...string[]];
  await engine.call("put", ["p", "q", "a", "k", "{}", 0]);
  const first = await take(engine);
  await openRedis(server.url).call(command, ...args);
  await engine.call("put", ["p", "q", "b", "k", "{}", 0]);
  const second = await take(engine);
  expect(second.lease).toBeGreaterThan(first.lease);
});

test("the key of the namespace that is restored on a living server gives new leases", async () => {
  const server = await serve();
  const engine = await openEngine(server.url);
  const redis = openRedis(server.url);
  for (const jid of ["a", "b", "c"]) await engine.call("put", ["p", "q", jid, "k", "{}", 0]);
  await take(engine);
  const older = await redis.dumpBuffer("ql");
  const lost = await take(engine);
  await redis.restore("ql", 0, older!, "REPLACE");
  expect((await take(engine)).lease).toBeGreaterThan(lost.lease);
});

test.each(MODES)("a replica that had not heard of a pop gives new leases (%s)", async (mode) => {
  const primary = await serve();
  const wire = await startProxy(primary.port);
  const replica = await serve({ args: ["--replicaof", "127.0.0.1", String(wire.port)] });
  const engine = await openEngine(primary.url, { mode });
  const [at, copy] = [openRedis(primary.url), openRedis(replica.url)];
  for (const jid of ["a", "b"]) await engine.call("put", ["p", "q", jid, "k", "{}", 0]);
  await take(engine);
  const count = () => at.hget("ql", "lease");
  await poll(async () => (await copy.hget("ql", "lease")) === (await count()));
  wire.freeze();
  const first = await take(engine);
  await primary.stop();
  await copy.replicaof("NO", "ONE");

  const promoted = await openEngine(replica.url, { mode });
  const second = await take(promoted);
  expect(second.jid).toBe(first.jid);
  expect(second.lease).toBeGreaterThan(first.lease);
  await expectRefused(promoted, first);
});
