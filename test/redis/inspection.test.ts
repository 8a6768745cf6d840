import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { RedisEngine } from "../../src/redis/engine.ts";
import { isNewer } from "../../src/redis/version.ts";
import { startRedis } from "../redis-server.ts";
import { fakeArtefacts } from "./fake-library.ts";
import { startProxy } from "./proxy.ts";
import { openEngine, openRedis, rejection } from "./support.ts";

const KEPT = ["--save", "60 1"];
const EVICTING = ["--maxmemory-policy", "allkeys-lru"];

/** The warnings on opening a server, as a user with these rights. */
async function warnings(args: readonly string[], may = "+@all"): Promise<string[]> {
  const server = await startRedis({ args });
  onTestFinished(() => server.stop());
  await openRedis(server.url).acl("SETUSER", "u", "on", ">pw", "~*", "&*", ...may.split(" "));
  const heard: string[] = [];
  const url = server.url.replace("//", "//u:pw@");
  await openEngine(url, { onWarning: (sentence) => heard.push(sentence) });
  return heard;
}

describe("opening warns", () => {
  test("of nothing where all is well", async () => {
    expect(await warnings(KEPT)).toEqual([]);
    expect(await warnings(["--appendonly", "yes"])).toEqual([]);
  });

  test("of eviction", async () => {
    expect(await warnings([...KEPT, ...EVICTING])).toEqual([
      expect.stringMatching(/allkeys-lru.*noeviction/),
    ]);
  });

  test("of persistence being off", async () => {
    expect(await warnings([])).toEqual([expect.stringMatching(/disk.*appendonly/)]);
  });

  test("of what INFO shows to a user who may not see CONFIG", async () => {
    expect(await warnings([...KEPT, ...EVICTING], "+@all -config")).toEqual([
      expect.stringMatching(/allkeys-lru/),
      expect.stringMatching(/append-only file.*snapshots/),
    ]);
  });

  test("of nothing to a user who may see neither", async () => {
    expect(await warnings(EVICTING, "+@all -config -info")).toEqual([]);
  });

  test("the process, once for each danger, where nobody else listens", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const heard: Error[] = [];
    const hear = (warning: Error) => heard.push(warning);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    for (let round = 0; round < 2; round++) {
      const engine = await RedisEngine.open(server.url, { artefacts: fakeArtefacts() });
      await engine.close();
    }
    expect(heard.filter(({ name }) => name === "QlessWarning")).toHaveLength(1);
  });
});

describe("opening", () => {
  test("is refused by a server that is too old, and says so", async () => {
    const url = await startImpostor(
      "*4\r\n$7\r\nversion\r\n$5\r\n6.2.7\r\n$4\r\nmode\r\n$1\r\ns\r\n",
    );
    const error = await rejection(openEngine(url));
    expect(error).toMatchObject({ code: "OLD_SERVER" });
    expect(error.message).toContain("Redis 6.2.7");
  });

  test("works where HELLO is not known", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const proxy = await startProxy(server.port);
    proxy.rule = ([name]) =>
      name?.toUpperCase() === "HELLO" ? { error: "ERR unknown command 'HELLO'" } : "pass";
    const engine = await openEngine(proxy.url);
    expect(await engine.call("put", [])).toBe(1);
  });
});

/** Starts something that gives one answer to whatever it is asked. */
async function startImpostor(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket
      .on("error", () => {})
      .on("data", (bytes) => {
        for (const _request of String(bytes).matchAll(/^\*\d+\r$/gm)) socket.write(answer);
      });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a version", () => {
  const ORDER = [
    "0.9.0",
    "0.10.0-alpha",
    "0.10.0-alpha.1",
    "0.10.0-alpha.beta",
    "0.10.0-rc.2",
    "0.10.0-rc.10",
    "0.10.0",
    "0.10.1",
    "1.0.0",
    "1.0.10",
    "10.0.0",
  ];

  test("is newer than those before it", () => {
    for (const [n, version] of ORDER.entries()) {
      for (const [m, other] of ORDER.entries()) {
        expect([version, other, isNewer(version, other)]).toEqual([version, other, n > m]);
      }
    }
  });

  test("is no newer for its build", () => {
    expect(isNewer("1.0.0+build.2", "1.0.0")).toBe(false);
  });
});
