import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LostLock, Timeout, Unreachable } from "../../src/engine.ts";
import { errorFrom, outageIn } from "../../src/redis/errors.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { always, firstTime, startProxy } from "./proxy.ts";
import { openEngine, openRedis, poll, rejection } from "./support.ts";

/** What servers really say, and the code that callers get for it. */
const SAYINGS: [text: string, code: string][] = [
  ["READONLY You can't write against a read only replica.", "READONLY"],
  ["ERR Can not run script with write flag on readonly replica.", "READONLY"],
  ["LOADING Redis is loading the dataset in memory", "LOADING"],
  ["BUSY Redis is busy running a script. You can only call SCRIPT KILL.", "BUSY"],
  ["UNKILLABLE Sorry the script already executed write commands", "UNKILLABLE"],
  ["OOM command not allowed when used memory > 'maxmemory'.", "OOM"],
  ["NOREPLICAS Not enough good replicas to write.", "NOREPLICAS"],
  ["MISCONF Errors writing to the AOF file: No space left on device", "MISCONF"],
  ["CLUSTERDOWN Hash slot not served", "CLUSTERDOWN"],
  ["MASTERDOWN Link with MASTER is down", "MASTERDOWN"],
  ["TRYAGAIN Multiple keys request during rehashing of slot", "TRYAGAIN"],
  [
    "ERR Script attempted to access a non local key in a cluster node script: f, on @u:1.",
    "TRYAGAIN",
  ],
  ["MOVED 866 127.0.0.1:7001", "MOVED"],
  ["Too many Cluster redirections. Last error: ReplyError: MOVED 1 h:1", "REDIRECTED"],
  ["NOAUTH Authentication required.", "NOAUTH"],
  ["WRONGPASS invalid username-password pair or user is disabled.", "WRONGPASS"],
  ["ERR invalid password", "WRONGPASS"],
  ["NOPERM this user has no permissions to run the 'fcall' command", "NOPERM"],
  ["ERR The user executing the script can't run this command or subcommand", "NOPERM"],
  ["ERR ACL failure in script: User u has no permissions to run 'hset'", "NOPERM"],
  ["ERR max number of clients reached", "MAXCLIENTS"],
  ["DENIED Redis is running in protected mode because protected mode is enabled", "DENIED"],
  ["ERR unknown command 'FCALL', with args beginning with: 'a'", "NO_COMMAND"],
  ["ERR Function not found", "NO_FUNCTION"],
  ["NOSCRIPT No matching script. Please use EVAL.", "NOSCRIPT"],
];

/** What Redis answers when it has carried out half of a command, because its slot was moving. */
const TORN = "ERR Script attempted to access a non local key in a cluster node";

describe("an error of the server", () => {
  test.each(SAYINGS)("%s is an outage with its code and advice", (text, code) => {
    const error = errorFrom(text);
    expect(error).toBeInstanceOf(Unreachable);
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(/: .*\. Redis said: /);
  });

  test("is a refusal when the core has its code", () => {
    expect(errorFrom("LOCK_LOST j is held by w")).toEqual(
      new LostLock("LOCK_LOST", "j is held by w"),
    );
  });

  test("with a code of nobody's stays what it is", () => {
    for (const text of [
      "WRONGTYPE Operation against a key",
      "BUSYKEY Target exists",
      "ERR x",
      "",
    ]) {
      expect(outageIn(text)).toBeUndefined();
      expect(errorFrom(text)).toEqual(new Error(text));
    }
  });

  test("that came from inside the script leaves a doubt", () => {
    expect(errorFrom("ERR ACL failure in script: no")).toMatchObject({ uncertain: true });
    expect(errorFrom(TORN)).toMatchObject({ uncertain: true });
    expect(errorFrom(TORN, false)).toMatchObject({ uncertain: false });
    expect(errorFrom("NOPERM no")).toMatchObject({ uncertain: false });
  });
});

describe("an outage on the way", () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  const passing = ["READONLY", "LOADING", "BUSY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN"];

  test.each(passing)("%s is waited for, and the command carried out once", async (code) => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url);
    let times = 3;
    proxy.rule = ([name]) =>
      name === "FCALL" && times-- > 0 ? { error: `${code} for a moment` } : "pass";
    expect(await engine.call("put", [])).toBe(1);
  });

  test.each(passing)("%s that lasts rejects at the deadline", async (code) => {
    const proxy = await startProxy(server.port);
    // The pauses add up to 1,030 and then 1,430 ms: far from both, it ends between two tries.
    const engine = await openEngine(proxy.url, { timeoutMs: 1230 });
    proxy.rule = always("FCALL", { error: `${code} for good` });
    let error = await rejection(engine.call("put", []));
    // On a machine that is busy, a try can be under way at the deadline: of that one nothing is known.
    for (let more = 5; error instanceof Timeout && more > 0; more--) {
      error = await rejection(engine.call("put", []));
    }
    expect(error).toMatchObject({ name: "Unreachable", code, uncertain: false });
  });

  const lasting = ["OOM", "NOREPLICAS", "MISCONF", "NOAUTH", "NOPERM", "UNKILLABLE", "DENIED"];

  test.each(lasting)("%s rejects at once", async (code) => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url);
    proxy.rule = always("FCALL", { error: `${code} now` });
    expect(await rejection(engine.call("put", []))).toMatchObject({ code, uncertain: false });
    proxy.rule = () => "pass";
    expect(await engine.call("put", [])).toBe(1);
  });

  test("a command that a moving slot has torn is not sent again, even with a request id", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url);
    proxy.rule = firstTime("FCALL", { error: TORN });
    const error = await rejection(engine.call("put", [], { request: "r" }));
    expect(error).toMatchObject({ name: "Unreachable", code: "TRYAGAIN", uncertain: true });
    proxy.rule = firstTime("FCALL_RO", { error: TORN });
    expect(await engine.call("get", ["a"])).toEqual([false, "1.0.0", ["a"]]);
  });

  test("is recognised where the password is a part of its text, and does not show it", async () => {
    for (const [password, name] of [
      ["script", "one"],
      ["NOPERM", "two"],
      ["LOCK_LOST", "three"],
    ]) {
      await openRedis(server.url).acl("SETUSER", name!, "on", `>${password}`, "~*", "&*", "+@all");
      const proxy = await startProxy(server.port);
      const engine = await openEngine(proxy.url.replace("//", `//${name}:${password}@`));
      proxy.rule = always("FCALL", { error: `ERR ACL failure in script: no ${password}` });
      const inside = await rejection(engine.call("put", []));
      expect(inside).toMatchObject({ name: "Unreachable", code: "NOPERM", uncertain: true });
      proxy.rule = always("FCALL", { error: "NOPERM this user has no permissions" });
      const noperm = await rejection(engine.call("put", []));
      expect(noperm).toMatchObject({ name: "Unreachable", code: "NOPERM" });
      proxy.rule = always("FCALL", { error: `LOCK_LOST j is held by ${password}` });
      const refused = await rejection(engine.call("put", []));
      expect(refused).toMatchObject({ name: "LostLock", code: "LOCK_LOST" });
      for (const { message } of [inside, refused]) expect(message).toContain("***");
      expect(refused.message).not.toContain(password);
    }
  });

  test("READONLY makes it connect anew, as after a failover", async () => {
    const proxy = await startProxy(server.port);
    const engine = await openEngine(proxy.url);
    const before = proxy.requests.filter(([name]) => name?.toUpperCase() === "HELLO").length;
    let times = 1;
    proxy.rule = ([name]) => (name === "FCALL" && times-- > 0 ? { error: "READONLY no" } : "pass");
    await engine.call("put", []);
    const after = proxy.requests.filter(([name]) => name?.toUpperCase() === "HELLO").length;
    expect(after).toBe(before + 1);
  });
});

describe("a real", () => {
  async function start(options: Parameters<typeof startRedis>[0] = {}): Promise<RedisServer> {
    const server = await startRedis(options);
    onTestFinished(() => server.stop());
    return server;
  }

  test("replica answers reading and turns writing away", async () => {
    const primary = await start();
    await openEngine(primary.url);
    const replica = await start({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
    await linked(replica);
    const warnings: string[] = [];
    const engine = await openEngine(replica.url, {
      timeoutMs: 2000,
      onWarning: (sentence) => warnings.push(sentence),
    });
    expect(warnings.join()).toContain("replica");
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
    const error = await rejection(engine.call("put", []));
    expect(error).toMatchObject({ code: "READONLY", uncertain: false });
  });

  test("failover is followed by a call that waits, and finds the library again", async () => {
    const primary = await start();
    const replica = await start({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
    const proxy = await startProxy(primary.port);
    const engine = await openEngine(proxy.url);
    await linked(replica);
    expect(await engine.call("put", [])).toBe(1);
    // WAIT is about what its own connection wrote, and so about all that was written before.
    const last = openRedis(primary.url);
    await last.set("last", "words");
    expect(await last.wait(1, 5000)).toBe(1);
    proxy.target = replica.port;
    await primary.stop();
    const call = engine.call("put", [], { request: "r" });
    await openRedis(replica.url).replicaof("NO", "ONE");
    expect(await call).toBe(2);
  });

  test("lack of memory turns away what needs more and lets through what frees some", async () => {
    const server = await start();
    const [engine, scripts] = [
      await openEngine(server.url),
      await openEngine(server.url, { mode: "scripts" }),
    ];
    await openRedis(server.url).config("SET", "maxmemory", "1");
    for (const one of [engine, scripts]) {
      expect(await rejection(one.call("put", []))).toMatchObject({ code: "OOM", uncertain: false });
      expect(await one.call("complete", [])).toBe(1);
      expect(await one.call("get", [])).toEqual([false, "1.0.0", [false]]);
    }
  });

  test("lack of memory does not keep an engine from opening", async () => {
    const server = await start({ maxmemory: "1" });
    const engine = await openEngine(server.url);
    expect(engine.mode).toBe("scripts");
    expect(await engine.call("complete", [])).toBe(1);
  });

  test("lack of replicas turns writing away", async () => {
    const server = await start();
    const engine = await openEngine(server.url);
    await openRedis(server.url).config("SET", "min-replicas-to-write", "1");
    expect(await rejection(engine.call("put", []))).toMatchObject({ code: "NOREPLICAS" });
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
  });

  test("lack of a password is told at once", async () => {
    const server = await start({ args: ["--requirepass", "secret"] });
    expect(await rejection(openEngine(server.url))).toMatchObject({ code: "NOAUTH" });
    const wrong = server.url.replace("//", "//:wrong@");
    expect(await rejection(openEngine(wrong))).toMatchObject({ code: "WRONGPASS" });
    const engine = await openEngine(server.url.replace("//", "//:secret@"));
    expect(await engine.call("put", [])).toBe(1);
  });

  test("lack of room for clients is told at the deadline", async () => {
    const server = await start();
    const redis = openRedis(server.url);
    await redis.config("SET", "maxclients", "1");
    const error = await rejection(openEngine(server.url, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: "MAXCLIENTS" });
    await redis.config("SET", "maxclients", "100");
    await openEngine(server.url);
  });

  test("busy script is waited for", async () => {
    const server = await start({ args: ["--busy-reply-threshold", "10"] });
    const engine = await openEngine(server.url);
    const [redis, other] = [openRedis(server.url), openRedis(server.url)];
    await Promise.all([redis.ping(), other.ping()]);
    const busy = rejection(redis.eval("while true do end", 0));
    const call = engine.call("put", []);
    await killScript(other);
    expect((await busy).message).toContain("killed");
    expect(await call).toBe(1);
  });
});

/** Resolves when the replica has its first copy of the data. */
async function linked(replica: RedisServer): Promise<void> {
  const redis = openRedis(replica.url);
  await poll(async () => (await redis.info("replication")).includes("master_link_status:up"));
}

/** Kills the running script, once Redis admits that it runs one. */
async function killScript(redis: ReturnType<typeof openRedis>): Promise<void> {
  await poll(async () => (await redis.script("KILL").catch(() => "NOTBUSY")) === "OK");
}
