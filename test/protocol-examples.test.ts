import { execFileSync } from "node:child_process";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, startRedis } from "./redis-server.ts";
import { blocksOf, sectionOf } from "./sections.ts";
import { ROOT, read } from "./sources.ts";

const protocol = read("docs/protocol.md");

describe("the examples of the protocol", () => {
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

  test("run as they stand, from loading the library to a completed job", () => {
    const lines = blocksOf(sectionOf(protocol, "## In five minutes"), "sh").join("\n");
    const script = lines.replaceAll("redis-cli", `redis-cli -e -u ${server.url}`);
    const output = execFileSync("sh", ["-ec", script], { cwd: ROOT, encoding: "utf8" });
    const last = JSON.parse(output.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ jid: "job-1", state: "complete", data: '{"sent":true}' });
  });

  test("compose the core with Lua of one's own", async () => {
    const [own = ""] = blocksOf(
      sectionOf(protocol, "## Scripts of your own"),
      "lua file=order-paid.lua",
    );
    const script = `${read("dist/qless-lib.lua")}\n${own}`;
    expect(await redis.eval(script, 2, "own", "order:7", "r-7", '{"order":7}')).toBe("r-7");
    expect(await redis.hgetall("order:7")).toEqual({ state: "paid", receipt: "r-7" });
    expect(await redis.hget("own:j:r-7", "data")).toBe('{"order":7}');
  });

  test("raise a refusal before the script's own writes", async () => {
    const [own = ""] = blocksOf(
      sectionOf(protocol, "## Scripts of your own"),
      "lua file=order-paid.lua",
    );
    const script = `${read("dist/qless-lib.lua")}\n${own}`;
    const call = redis.eval(script, 2, "own", "order:8", "no\nname", "{}");
    await expect(call).rejects.toThrow(/^BAD_ARGUMENT /);
    expect(await redis.exists("order:8")).toBe(0);
  });

  test("give enough rights to a user, and no more than the namespace", async () => {
    const loading = sectionOf(protocol, "## Loading the library");
    const rights = blocksOf(loading, "acl").join("").trim().split(/\s+/);
    await redis.call("ACL", "SETUSER", "client", "on", ">pw", "resetchannels", ...rights);
    const options = { username: "client", password: "pw", enableReadyCheck: false };
    const client = new Redis(server.port, options);
    const call = (name: string, namespace: string, ...args: string[]) =>
      client.call("FCALL", `qless_${name}`, 1, namespace, "", ...args);
    try {
      await redis.call("FUNCTION", "LOAD", "REPLACE", read("dist/qless.functions.lua"));
      await call("put", "ql", "me", "q", "j", "k", "{}", "0", "tags", '["t"]');
      expect(await call("pop", "ql", "q", "w", "1")).toHaveLength(1);
      for (const name of ["tick", "queues", "workers"]) await call(name, "ql");
      await expect(call("check", "ql", "0")).rejects.toThrow(/can't run this command/);
      await redis.call("ACL", "SETUSER", "client", "+scan");
      await call("check", "ql", "0");
      await expect(call("pop", "other", "q", "w", "1")).rejects.toThrow(/NOPERM/);
    } finally {
      client.disconnect();
    }
  });
});
