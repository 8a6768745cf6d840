import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { openEngine, openRedis, rejection } from "./support.ts";

/** Users by what they may not do, or may. */
const USERS = {
  nofunctions: "+@all -fcall -fcall_ro -function",
  nofcall: "+@all -fcall",
  noreadcall: "+@all -fcall_ro",
  noload: "+@all -function",
  noscript: "+@all -fcall -fcall_ro -function -script",
  callonly: "+@all -@scripting +fcall +fcall_ro",
  readonly: "+@all -@scripting -@write +fcall_ro",
  evalshaonly: "+@all -@scripting +evalsha +evalsha_ro",
  nothing: "+@all -@scripting",
};

let server: RedisServer;

beforeAll(async () => {
  const users = Object.entries(USERS).map(([name, may]) => `user ${name} on >pw ~* &* ${may}`);
  server = await startRedis({ aclfile: ["user default on nopass ~* &* +@all", ...users] });
});
afterAll(() => server.stop());

function as(user: keyof typeof USERS): string {
  return server.url.replace("//", `//${user}:pw@`);
}

/** Leaves a server without library and scripts behind. */
async function forget(): Promise<void> {
  const redis = openRedis(server.url);
  await redis.call("FUNCTION", "FLUSH");
  await redis.script("FLUSH");
}

async function load(): Promise<void> {
  await openEngine(server.url);
  await openEngine(server.url, { mode: "scripts" });
}

describe("a user", () => {
  test.each(["nofunctions", "nofcall", "noload", "noscript"] as const)(
    "%s gets scripts, with the same answers",
    async (user) => {
      await forget();
      const engine = await openEngine(as(user));
      expect(engine.mode).toBe("scripts");
      expect(await engine.call("put", ["a"])).toBe(1);
      expect(await engine.call("complete", [])).toBe(1);
      expect(await engine.call("get", ["é"])).toEqual(["1", "1.0.0", ["é"]]);
      expect(await rejection(engine.call("get", ["refused"]))).toMatchObject({
        code: "NO_SUCH_JOB",
      });
      await openRedis(server.url).script("FLUSH");
      expect(await engine.call("put", ["a"])).toBe(2);
    },
  );

  test("who may not load functions uses those that another has loaded", async () => {
    await load();
    for (const user of ["noload", "callonly"] as const) {
      const engine = await openEngine(as(user));
      expect(engine.mode).toBe("functions");
      expect(await engine.call("put", [])).toBe(1);
    }
  });

  test("who may not call functions that read calls them as if they wrote", async () => {
    await load();
    const engine = await openEngine(as("noreadcall"));
    expect(engine.mode).toBe("functions");
    expect(await Promise.all([engine.call("get", []), engine.call("get", [])])).toHaveLength(2);
    expect(engine.mode).toBe("functions");
  });

  test("who may only read reads, and is told so when writing", async () => {
    await load();
    const engine = await openEngine(as("readonly"));
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
    expect(await rejection(engine.call("put", []))).toMatchObject({
      code: "NOPERM",
      uncertain: false,
    });
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
  });

  test("who may run scripts but not load them uses those that another has loaded", async () => {
    await load();
    const engine = await openEngine(as("evalshaonly"));
    expect(engine.mode).toBe("scripts");
    expect(await engine.call("put", [])).toBe(1);
    await forget();
    expect(await rejection(engine.call("put", []))).toMatchObject({ code: "NOSCRIPT" });
  });

  test("who may do neither is told at once which command is not permitted", async () => {
    await load();
    const error = await rejection(openEngine(as("nothing")));
    expect(error).toMatchObject({ code: "NOPERM" });
    expect(error.message).toContain("'fcall'");
  });

  test("who loses the right to call functions goes on with scripts", async () => {
    await load();
    const redis = openRedis(server.url);
    await redis.acl("SETUSER", "fallen", "on", ">pw", "~*", "&*", "+@all");
    const engine = await openEngine(server.url.replace("//", "//fallen:pw@"));
    expect(engine.mode).toBe("functions");
    await redis.acl("SETUSER", "fallen", "-fcall");
    const counts = await Promise.all(Array.from({ length: 5 }, () => engine.call("put", [])));
    expect(counts).toEqual([1, 2, 3, 4, 5]);
    expect(engine.mode).toBe("scripts");
  });

  test("bound to functions by option does not get scripts", async () => {
    await forget();
    const error = await rejection(openEngine(as("nofunctions"), { mode: "functions" }));
    expect(error).toMatchObject({ code: "NOPERM" });
  });

  test("who may not touch the keys is told at once", async () => {
    await load();
    const redis = openRedis(server.url);
    await redis.acl("SETUSER", "keyless", "on", ">pw", "~other*", "&*", "+@all");
    onTestFinished(async () => void (await redis.acl("DELUSER", "keyless")));
    const error = await rejection(openEngine(server.url.replace("//", "//keyless:pw@")));
    expect(error).toMatchObject({ code: "NOPERM", uncertain: false });
  });
});
