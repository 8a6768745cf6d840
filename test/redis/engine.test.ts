import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refused, Unreachable } from "../../src/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { fakeArtefacts } from "./fake-library.ts";
import { openEngine, openRedis, rejection } from "./support.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

describe("a call", () => {
  test("answers with what the library gives, nil being false", async () => {
    const engine = await openEngine(server.url);
    expect(await engine.call("get", [])).toEqual([false, "1.0.0", [false]]);
    expect(await engine.call("put", ["a"])).toBe(1);
    expect(await engine.call("get", ["é", 5])).toEqual(["1", "1.0.0", ["é"]]);
  });

  test("is refused with the code and reason of the core", async () => {
    const engine = await openEngine(server.url);
    const error = await rejection<Refused>(engine.call("get", ["refused"]));
    expect(error).toBeInstanceOf(Refused);
    expect(error).toMatchObject({ code: "NO_SUCH_JOB", message: "refused" });
  });

  test("lets an error through that is no refusal", async () => {
    const engine = await openEngine(server.url);
    const error = await rejection(engine.call("get", ["broken"]));
    expect(error).not.toBeInstanceOf(Refused);
    expect(error).not.toBeInstanceOf(Unreachable);
    expect(error.message).toBe("ERR broken in the middle");
  });

  test("of a command that does not exist is refused", async () => {
    const engine = await openEngine(server.url);
    for (const name of ["nope", "constructor", "__proto__"]) {
      const error = await rejection(engine.call(name as "get", []));
      expect(error).toMatchObject({ code: "UNKNOWN_COMMAND" });
    }
  });

  test("with a request id that was used before gives the first answer", async () => {
    const engine = await openEngine(server.url);
    expect(await engine.call("put", [], { request: "r" })).toBe(1);
    expect(await engine.call("put", [], { request: "r" })).toBe(1);
    expect(await engine.call("put", [], { request: "s" })).toBe(2);
  });
});

describe("opening", () => {
  test("refuses a namespace that cannot begin a key", async () => {
    const error = await rejection(openEngine(server.url, { namespace: "a:b" }));
    expect(error).toMatchObject({ code: "BAD_ARGUMENT" });
  });

  test("refuses a URL of something else without quoting it", async () => {
    for (const url of [
      "http://u:canary@h",
      "redis://u:canary@h/x",
      "redis://u:canary%@h",
      "canary",
    ]) {
      const error = await rejection(openEngine(url));
      expect(error).toMatchObject({ code: "BAD_ARGUMENT" });
      expect(error.stack).not.toContain("canary");
    }
  });

  test("uses namespace ql where none is given", async () => {
    const artefacts = fakeArtefacts();
    const engine = await RedisEngine.open(server.url, { artefacts, onWarning: () => {} });
    expect(engine.namespace).toBe("ql");
    await engine.close();
  });

  test("takes the database from the URL", async () => {
    const engine = await openEngine(`${server.url}/3`);
    await engine.call("put", []);
    expect(await openRedis(`${server.url}/3`).get(`${engine.namespace}:n`)).toBe("1");
  });

  test("leaves the user's own client as it was, and open", async () => {
    const own = openRedis(server.url);
    const options = { ...own.options };
    const engine = await openEngine(own);
    await engine.call("put", []);
    await engine.close();
    expect(own.options).toEqual(options);
    expect(await own.get(`${engine.namespace}:n`)).toBe("1");
  });

  test("does not let the settings of the user's client change calls", async () => {
    const own = new Redis(server.url, {
      keyPrefix: "mine:",
      stringNumbers: true,
      replyMapping: "resp3",
      enableAutoPipelining: true,
    });
    const engine = await openEngine(own as unknown as Redis);
    expect(await engine.call("put", [])).toBe(1);
    own.disconnect();
    expect(await openRedis(server.url).get(`${engine.namespace}:n`)).toBe("1");
  });
});

describe("closing", () => {
  test("ends every socket and timer", async () => {
    const before = handles();
    const engine = await RedisEngine.open(server.url, { artefacts: fakeArtefacts() });
    await engine.subscribe(() => {});
    await engine.call("put", []);
    const calls = Array.from({ length: 10 }, () => rejection(engine.call("get", [])));
    await engine.close();
    await engine.close();
    await Promise.all(calls);
    // Sockets of the test before may have gone in the meantime.
    const left = handles();
    for (const handle of before) if (left.includes(handle)) left.splice(left.indexOf(handle), 1);
    expect(left).toEqual([]);
  });

  test("rejects the calls that are under way and those that come later", async () => {
    const engine = await openEngine(server.url);
    const reading = rejection(engine.call("get", []));
    const writing = rejection(engine.call("put", []));
    await engine.close();
    const closed = { code: "CLOSED", message: "The engine is closed" };
    expect(await reading).toMatchObject({ ...closed, uncertain: false });
    expect(await writing).toMatchObject({ ...closed, uncertain: true });
    expect(await rejection(engine.call("put", []))).toMatchObject({ ...closed, uncertain: false });
    expect(await rejection(engine.subscribe(() => {}))).toMatchObject(closed);
  });
});

/** What keeps a process alive, without what belongs to the test runner. */
function handles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|Timeout/.test(name))
    .sort();
}
