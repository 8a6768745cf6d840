import { execFileSync } from "node:child_process";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { popped } from "../engines.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { lua } from "./client.ts";

/** dist/qless.functions.lua as anybody uses it: loaded with redis-cli, called with FCALL. */

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await redis.function("FLUSH");
  load();
});

function load(...words: string[]): string {
  const args = ["-p", String(server.port), "-x", "FUNCTION", "LOAD", ...words];
  const input = lua("qless.functions.lua");
  return execFileSync("redis-cli", args, { input, encoding: "utf8" }).trim();
}

const fcall = (name: string, ...args: (string | number)[]) =>
  redis.call("FCALL", `qless_${name}`, 1, "ns", ...args);
const fcallRo = (name: string, ...args: (string | number)[]) =>
  redis.call("FCALL_RO", `qless_${name}`, 1, "ns", ...args);

const READING = [
  "config_get",
  "explain",
  "failed",
  "get",
  "jobs",
  "length",
  "multiget",
  "peek",
  "queues",
  "recur_get",
  "search",
  "stats",
  "version",
  "workers",
];

const FREEING = [
  "cancel",
  "cancel_many",
  "complete",
  "config_unset",
  "fail",
  "finish",
  "heartbeat",
  "heartbeat_many",
  "queue_forget",
  "retry",
  "tick",
  "unrecur",
  "worker_deregister",
];

const WRITING = [
  "config_set",
  "depends",
  "log",
  "move",
  "pause",
  "pop",
  "priority",
  "priority_many",
  "put",
  "put_many",
  "recur",
  "recur_tag",
  "recur_untag",
  "recur_update",
  "requeue",
  "tag",
  "tag_many",
  "timeout",
  "track",
  "unfail",
  "unpause",
];

async function flagsByName(): Promise<Map<string, string[]>> {
  const [library] = (await redis.function("LIST", "LIBRARYNAME", "qless")) as unknown[][];
  const functions = library![library!.indexOf("functions") + 1] as string[][];
  return new Map(functions.map((told) => [told[1]!.replace(/^qless_/, ""), [...told[5]!]]));
}

describe("redis-cli", () => {
  test("loads the library as it is", async () => {
    await redis.function("FLUSH");
    expect(load()).toBe("qless");
    expect(await fcall("put", 0, "w", "q", "a", "klass", "{}", 0)).toBe("a");
  });

  test("replaces it only when told to", () => {
    expect(() => expect(load()).toBe("qless")).toThrow();
    expect(load("REPLACE")).toBe("qless");
  });
});

describe("FUNCTION LIST", () => {
  test("names a function for every command, and nothing that is not ours", async () => {
    const names = [...(await flagsByName()).keys()];
    expect(names).toEqual(expect.arrayContaining([...READING, ...FREEING, ...WRITING]));
    const [library] = (await redis.function("LIST")) as unknown[][];
    const functions = library![library!.indexOf("functions") + 1] as string[][];
    for (const told of functions) expect(told[1]).toMatch(/^qless_[a-z_]+$/);
  });

  test("flags commands that read as writing nothing", async () => {
    const flags = await flagsByName();
    for (const name of READING) expect([name, flags.get(name)]).toEqual([name, ["no-writes"]]);
  });

  test("flags commands that finish work or free memory as allowed when it is short", async () => {
    const flags = await flagsByName();
    for (const name of FREEING) expect([name, flags.get(name)]).toEqual([name, ["allow-oom"]]);
  });

  test("flags the others with nothing", async () => {
    const flags = await flagsByName();
    for (const name of WRITING) expect([name, flags.get(name)]).toEqual([name, []]);
  });
});

describe("FCALL", () => {
  test("takes texts by position, and any client can do a round of work", async () => {
    const put = ["1000", "w", "q", "a", "klass", '{"n":1}', "0", "priority", "3", "tags", '["x"]'];
    expect(await fcall("put", ...put)).toBe("a");
    expect(JSON.parse((await fcall("get", "1000", "a")) as string)).toMatchObject({
      jid: "a",
      state: "waiting",
      priority: 3,
      tags: ["x"],
    });
    const [job] = popped((await fcall("pop", "1001", "q", "w", "1")) as string[]);
    expect(job).toMatchObject({ jid: "a", klass: "klass", queue: "q", data: '{"n":1}' });
    const { lease } = job!;
    expect(await fcall("heartbeat", "1002", "a", "w", "", "lease", lease)).toBe(1062);
    expect(await fcall("complete", "1003", "a", "w", "q", "{}", "lease", lease)).toBe("complete");
  });

  test("takes the server's clock for an empty time", async () => {
    await fcall("put", "", "w", "q", "a", "klass", "{}", 0);
    const { history } = JSON.parse((await fcall("get", "", "a")) as string);
    expect(Math.abs(history[0].when - Date.now() / 1000)).toBeLessThan(60);
  });

  test("works through redis-cli", () => {
    const cli = (...args: string[]) =>
      execFileSync("redis-cli", ["-p", String(server.port), ...args], { encoding: "utf8" }).trim();
    expect(cli("FCALL", "qless_put", "1", "ns", "", "w", "q", "a", "klass", "{}", "0")).toBe("a");
    expect(cli("FCALL", "qless_length", "1", "ns", "", "q")).toBe("1");
    expect(cli("FCALL", "qless_get", "1", "ns", "", "b")).toBe("");
    expect(cli("FCALL", "qless_cancel", "1", "ns", "", "a")).toBe("a");
  });

  test("keeps namespaces apart", async () => {
    await fcall("put", 0, "w", "q", "a", "klass", "{}", 0);
    expect(await redis.call("FCALL", "qless_length", 1, "other", 0, "q")).toBe(0);
    expect(await redis.call("FCALL", "qless_length", 1, "{ns}", 0, "q")).toBe(0);
    const keys = await redis.keys("*");
    expect(keys.filter((key) => key !== "ns" && !key.startsWith("ns:"))).toEqual([]);
  });

  test("refuses by code", async () => {
    await expect(fcall("complete", 0, "a", "w", "q", "{}")).rejects.toThrow(
      /^NO_SUCH_JOB Job a does not exist/,
    );
    await expect(fcall("put", 0, "w")).rejects.toThrow(/^BAD_ARGUMENT /);
    await expect(redis.call("FCALL", "qless_get", 0, 0, "a")).rejects.toThrow(/^BAD_ARGUMENT /);
    await expect(redis.call("FCALL", "qless_get", 1, "ns")).rejects.toThrow(/^BAD_ARGUMENT /);
    await expect(redis.call("FCALL", "qless_get", 1, "a b", 0, "a")).rejects.toThrow(
      /^BAD_ARGUMENT /,
    );
  });
});

test("FCALL_RO runs every command that reads", async () => {
  await fcall("put", 0, "w", "q", "a", "klass", "{}", 0);
  await fcall("recur", 0, "q", "r", "klass", "{}", "interval", 60, 0);
  await fcall("put", 0, "w", "q", "b", "klass", "{}", 5);
  await fcall("pop", 0, "q", "w", 1);
  const args: { [name: string]: (string | number)[] } = {
    config_get: ["heartbeat"],
    explain: ["a"],
    failed: [],
    get: ["a"],
    jobs: ["scheduled", "q"],
    length: ["q"],
    multiget: ["a", "b"],
    peek: ["q", 10],
    queues: ["q"],
    recur_get: ["r"],
    search: ["0", 10],
    stats: ["q", 0],
    workers: ["w"],
  };
  for (const name of READING.filter((each) => each !== "version")) {
    await expect(fcallRo(name, 1000, ...args[name]!), name).resolves.not.toBeNull();
  }
  expect(await redis.call("FCALL_RO", "qless_version", 0)).toMatch(/^\d+\.\d+\.\d+ [0-9a-f]{40}$/);
  await expect(fcallRo("put", 0, "w", "q", "c", "klass", "{}", 0)).rejects.toThrow(/write/i);
});

test("none of the Lua files needs a runtime of the compiler", () => {
  for (const file of ["qless.functions.lua", "qless.script.lua", "qless.lua", "qless-lib.lua"]) {
    expect(lua(file), file).not.toMatch(/__TS__|lualib_bundle/);
    expect(lua(file).length, file).toBeGreaterThan(10_000);
  }
});
