import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CommandName } from "../src/engine.ts";
import { RedisEngine } from "../src/redis/engine.ts";
import { refused } from "./engines.ts";
import { allKeys, fillAsQlessCore } from "./foreign.ts";
import { lua } from "./legacy/client.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

/**
 * A namespace that qless-core has filled: its keys have the names of ours and mean something else.
 * Every command must refuse it and change nothing, however it comes to Redis.
 */

const JOB = ["q", "fresh", "klass", "{}", "0", "0"];
const PUT = ["w", "q", "fresh", "klass", "{}", "0"];

/** Calls of each command that would be carried out in a namespace of ours. */
const SAMPLES: Record<CommandName, string[][]> = {
  cancel: [["waiting"], ["waiting", "depending"]],
  "cancel.many": [["waiting"]],
  check: [["0"], ["0", "1"]],
  checkin: [["running", "w", "half"]],
  complete: [
    ["running", "w", "q", "{}"],
    ["running", "w", "q", "{}", "lease", "1"],
  ],
  "config.get": [[], ["heartbeat"]],
  "config.set": [["heartbeat", "30"]],
  "config.unset": [["heartbeat"]],
  "cron.drop": [["recurring"]],
  "cron.due": [[]],
  "cron.fire": [["recurring", "1", "2"]],
  "cron.get": [["recurring"]],
  "cron.list": [[]],
  "cron.pause": [["recurring"]],
  "cron.put": [["c", "q", "klass", "{}", "* * * * *", "UTC", "2000000000"]],
  "cron.unpause": [["recurring"]],
  depends: [
    ["depending", "off", "all"],
    ["depending", "on", "running"],
  ],
  dump: [["0"]],
  explain: [["waiting"]],
  fail: [["running", "w", "g", "m"]],
  failed: [[], ["g"]],
  failures: [[]],
  finish: [
    ["w", "1", '["q"]', "complete", "running", "1", "0"],
    ["w", "1", '["q"]'],
    ["w", "5", '["new","q"]', "complete", "running", "1", "0", "complete", "waiting", "2", "0"],
  ],
  get: [["waiting"], ["missing"]],
  heartbeat: [
    ["running", "w"],
    ["running", "w", "{}", "lease", "1"],
  ],
  "heartbeat.many": [["w", "running", "1", ""]],
  jobs: [["running", "q"], ["scheduled", "q"], ["complete"], ["depends", "q"], ["recurring", "q"]],
  layout: [[]],
  length: [["q"]],
  log: [["waiting", "message"]],
  move: [["q2", "waiting"]],
  multiget: [["waiting", "failed"]],
  note: [["me", "pause"]],
  pause: [["q"]],
  peek: [["q", "10"]],
  pop: [
    ["q", "w", "10"],
    ["new", "w", "1"],
    ["new", "w", "1", "also", '["q"]'],
  ],
  priority: [["waiting", "5"]],
  "priority.many": [["5", "waiting"]],
  put: [
    ["w", "q", "waiting", ...PUT.slice(3), "exists", "keep"],
    PUT,
    ["w", "new", ...PUT.slice(2)],
    ["w", "q", "waiting", ...PUT.slice(3)],
  ],
  "put.many": [
    ["w", ...JOB],
    ["w", "new", ...JOB.slice(1), "q", "g", ...JOB.slice(2)],
  ],
  "queue.forget": [["q"]],
  "queue.pause": [["q"]],
  queues: [[], ["q"]],
  recur: [["q", "r2", "klass", "{}", "interval", "60", "0"]],
  "recur.get": [["recurring"]],
  "recur.pause": [["recurring"]],
  "recur.tag": [["recurring", "y"]],
  "recur.unpause": [["recurring"]],
  "recur.untag": [["recurring", "x"]],
  "recur.update": [["recurring", "interval", "30"]],
  requeue: [["w", "q", "waiting", "klass", "{}", "0"]],
  restore: [["record", "j:x", "klass", "k"]],
  retry: [["running", "q", "w"]],
  search: [["0", "10"]],
  stats: [["q", "1600000000"]],
  tag: [
    ["add", "waiting", "y"],
    ["get", "x"],
  ],
  "tag.many": [["add", '["y"]', "waiting"]],
  tick: [[]],
  timeout: [["running"]],
  track: [[], ["track", "waiting"], ["untrack", "waiting"]],
  unfail: [["q", "g"]],
  "unique.free": [["key"]],
  "unique.get": [["key"]],
  unpause: [["q"]],
  unrecur: [["recurring"]],
  wait: [["w", "10", "q"]],
  "worker.deregister": [["w"]],
  "worker.present": [["w", "60", "{}"]],
  workers: [[], ["w"]],
};

/** What only newer commands know; the legacy script has the others. */
const LEGACY_UNKNOWN = /^ERR user_script:1: Unknown command/;

const JOBS = mkdtempSync(join(tmpdir(), "qless-"));

let server: RedisServer;
let redis: Redis;
let before: [string, string][];
beforeAll(async () => {
  writeFileSync(join(JOBS, "welcome.mjs"), "export default () => {};\n");
  server = await startRedis();
  redis = new Redis(server.url);
  const engine = await RedisEngine.open(server.url, { namespace: "other", onWarning: () => {} });
  await engine.close();
});
afterAll(async () => {
  rmSync(JOBS, { recursive: true });
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await fillAsQlessCore(redis);
  before = await allKeys(redis);
});

type Way = (command: string, words: string[]) => Promise<unknown>;

const script = lua("qless.script.lua");
const legacyScript = lua("qless.lua");

const WAYS: Record<string, Way> = {
  functions: (command, words) =>
    redis.call("FCALL", `qless_${command.replaceAll(".", "_")}`, 1, "ql", "", ...words),
  scripts: (command, words) => redis.eval(script, 1, "ql", command, "", ...words),
  "the legacy script": (command, words) =>
    redis.eval(legacyScript, 0, command, "1700000000", ...words),
};

const SENTENCE = /holds data of qless-core, which this version cannot read: use another database/;

describe.each(Object.entries(WAYS))("by way of %s", (way, call) => {
  test.each(Object.entries(SAMPLES))(
    "%s refuses it and changes nothing",
    async (command, calls) => {
      for (const words of calls) {
        const error = await call(command, words).then(
          (reply) => expect.fail(`${command} ${words} answered ${JSON.stringify(reply)}`),
          (thrown: Error) => thrown.message,
        );
        if (way === "the legacy script" && LEGACY_UNKNOWN.test(error)) return;
        expect(error).toMatch(SENTENCE);
        if (way !== "the legacy script") expect(error).toMatch(/^FOREIGN_LAYOUT Namespace ql /);
        expect(await allKeys(redis), `${command} ${words}`).toEqual(before);
      }
    },
  );
});

test.each([
  ["one queue that was forgotten", ["ql:queues"]],
  ["nothing but completed jobs", ["ql:queues", "ql:failures", "ql:paused_queues", "ql:workers"]],
  ["nothing but failed jobs", ["ql:queues", "ql:completed", "ql:paused_queues", "ql:workers"]],
])("what is left of it is recognised: %s", async (_what, removed) => {
  await redis.del(removed);
  for (const words of [["waiting"], ["missing"]]) {
    await expect(WAYS.functions!("get", words)).rejects.toThrow(/^FOREIGN_LAYOUT /);
  }
  await expect(WAYS.functions!("put", PUT)).rejects.toThrow(/^FOREIGN_LAYOUT /);
});

test("a queue of it whose listing was forgotten is left alone by put and pop", async () => {
  await redis.flushall();
  await redis.zadd("ql:q:q-work", 1, "somebody");
  await expect(WAYS.functions!("put", PUT)).rejects.toThrow(/^FOREIGN_LAYOUT /);
  await expect(WAYS.functions!("pop", ["q", "w", "1"])).rejects.toThrow(/^FOREIGN_LAYOUT /);
  expect(await redis.keys("*")).toEqual(["ql:q:q-work"]);
});

test("a namespace of ours that was emptied and filled by qless-core is seen at once", async () => {
  await redis.flushall();
  const engine = await RedisEngine.open(server.url, { onWarning: () => {} });
  await engine.call("put", ["w", "q", "a", "klass", "{}", 0]);
  expect(await engine.call("pop", ["q", "w", 1])).toHaveLength(1);
  await redis.flushall();
  await fillAsQlessCore(redis);
  for (const command of ["put", "put.many", "pop", "finish", "tick", "queues"] as const) {
    for (const words of SAMPLES[command]) {
      await refused(engine.call(command, words), "FOREIGN_LAYOUT", SENTENCE);
    }
  }
  expect(await allKeys(redis)).toEqual(before);
  await engine.close();
});

test("another database of the same server does not matter", async () => {
  const engine = await RedisEngine.open(`${server.url}/1`, { onWarning: () => {} });
  const foreign = (command: string, words: string[]) => WAYS.functions!(command, words);
  for (let i = 0; i < 3; i++) {
    await engine.call("put", ["w", "q", `a${i}`, "klass", "{}", 0]);
    await expect(foreign("put", PUT)).rejects.toThrow(/^FOREIGN_LAYOUT /);
    expect(await engine.call("pop", ["q", "w", 1])).toHaveLength(1);
    await expect(foreign("pop", ["q", "w", "1"])).rejects.toThrow(/^FOREIGN_LAYOUT /);
  }
  await engine.close();
});

test("data that earlier versions have written without a mark is ours", async () => {
  await redis.flushall();
  await WAYS.functions!("put", PUT);
  await WAYS.functions!("config.set", ["heartbeat", "30"]);
  await redis.del("ql");
  expect(await WAYS.functions!("length", ["q"])).toBe(1);
  expect(await WAYS.functions!("pop", ["q", "w", "1"])).toHaveLength(1);
  await redis.flushall();
  await redis.zadd("ql:workers", Date.now(), "w");
  expect(await WAYS.functions!("pop", ["q", "w", "1"])).toEqual([]);
});

test("an engine does not connect to it", async () => {
  await refused(RedisEngine.open(server.url, { onWarning: () => {} }), "FOREIGN_LAYOUT", SENTENCE);
  expect(await allKeys(redis)).toEqual(before);
});

const QLESS = fileURLToPath(new URL("../dist/cli/qless.js", import.meta.url));

test.each([
  ["doctor"],
  ["work", "--queues", "q", "--jobs", JOBS],
  ["serve", "--port", "0", "--insecure"],
])("qless %s says so and ends", async (...words) => {
  const run = promisify(execFile)(process.execPath, [QLESS, ...words, "--url", server.url]);
  const { code, stdout, stderr } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(stdout + stderr).toMatch(SENTENCE);
  expect(code).toBeGreaterThan(0);
  expect(await allKeys(redis)).toEqual(before);
});
