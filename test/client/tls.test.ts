import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/connect.ts";
import { Invalid, Unreachable } from "../../src/engine.ts";
import type { TlsOptions } from "../../src/redis/tls.ts";
import { CA, CLIENT, NAMED, OTHER_CA, SERVER } from "../redis/certificates.ts";
import { startProxy } from "../redis/proxy.ts";
import { rejection } from "../redis/support.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { connected, liveThrough } from "./connected.ts";

const PASSWORD = "hunter2-secret";
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ args: ["--requirepass", PASSWORD] });
});
afterAll(() => server.stop());

const withPassword = (url: string) => url.replace("://", `://:${PASSWORD}@`);

/** The one sentence that connecting ends in, well before its deadline. */
async function sentenceOf(url: string, tls?: TlsOptions): Promise<string> {
  const begun = Date.now();
  const options = { timeout: "20s", ...(tls && { tls }) } as const;
  const error = await rejection<Unreachable>(connect(withPassword(url), options));
  expect(Date.now() - begun).toBeLessThan(10_000);
  expect(error).toBeInstanceOf(Unreachable);
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain(PASSWORD);
  return `${error.code} ${error.message}`;
}

describe("a client over TLS", () => {
  test("puts, pops, completes and hears of it", async () => {
    const proxy = await startProxy(server.port, SERVER);
    const client = await connected(withPassword(proxy.url), { tls: { ca: CA } });
    await liveThrough(client);
    expect(proxy.requests.some(([name]) => name === "psubscribe")).toBe(true);
  });

  test("puts a thousand jobs of a megabyte in all, and reads them back", async () => {
    const proxy = await startProxy(server.port, SERVER);
    const client = await connected(withPassword(proxy.url), { tls: { ca: CA } });
    const data = "x".repeat(1000);
    await client.putMany(Array.from({ length: 1000 }, () => ({ klass: "k", data })));
    const jobs = await client.queue("k").pop({ count: 1000 });
    expect(jobs.filter((job) => job.data === data)).toHaveLength(1000);
  });

  test("goes on after its connections were cut", async () => {
    const proxy = await startProxy(server.port, SERVER);
    const client = await connected(withPassword(proxy.url), { tls: { ca: CA } });
    await client.put("k", 1, { jid: "a" });
    proxy.cutAll();
    expect((await client.get("a"))!.data).toBe(1);
  });

  test("leaves no socket open when it is closed", async () => {
    const proxy = await startProxy(server.port, SERVER);
    const client = await connected(withPassword(proxy.url), { tls: { ca: CA } });
    await client.events.on({}, () => {});
    expect(await proxy.sockets()).toBe(2);
    await client.close();
    await expect.poll(() => proxy.sockets()).toBe(0);
  });

  test("shows the certificate that a server asks for", async () => {
    const proxy = await startProxy(server.port, { ...SERVER, requestCert: true, ca: CA });
    const client = await connected(withPassword(proxy.url), { tls: { ca: CA, ...CLIENT } });
    await liveThrough(client);
  });

  test("goes by the name that it is told to find in the certificate", async () => {
    const proxy = await startProxy(server.port, NAMED);
    const tls = { ca: CA, servername: "localhost" };
    await liveThrough(await connected(withPassword(proxy.url), { tls }));
  });

  test("takes any certificate where it is told to", async () => {
    const proxy = await startProxy(server.port, NAMED);
    const client = await connected(withPassword(proxy.url), { tls: { rejectUnauthorized: false } });
    await liveThrough(client);
  });

  test("takes the way from an ioredis instance that speaks TLS", async () => {
    const { url } = await startProxy(server.port, SERVER);
    const own = new Redis(withPassword(url), { tls: { ca: CA }, lazyConnect: true });
    await liveThrough(await connected(own));
  });
});

describe("a certificate that cannot be accepted", () => {
  const untrusted =
    /^BAD_CERTIFICATE The certificate of Redis at 127\.0\.0\.1:\d+ is signed by an authority that is not trusted here \(.+\): give the certificate of that authority as option `ca` of `tls`$/;

  test.each([
    ["without a word on TLS", undefined],
    ["with another authority", { ca: OTHER_CA }],
  ])("is refused %s", async (_, tls) => {
    const proxy = await startProxy(server.port, SERVER);
    expect(await sentenceOf(proxy.url, tls)).toMatch(untrusted);
    expect(proxy.requests).toEqual([]);
    await expect.poll(() => proxy.sockets()).toBe(0);
  });

  test("is refused for another host", async () => {
    const { url, port } = await startProxy(server.port, NAMED);
    expect(await sentenceOf(url, { ca: CA })).toBe(
      `BAD_CERTIFICATE The certificate of Redis at 127.0.0.1:${port} is for DNS:localhost and not for 127.0.0.1: ` +
        "connect by a name that it is for, or give that as option `servername` of `tls`",
    );
  });

  test.each([["TLSv1.2"], ["TLSv1.3"]] as const)(
    "is missed by a server that asks for one in %s",
    async (version) => {
      const asking = { ...SERVER, requestCert: true, ca: CA, maxVersion: version };
      const { url, port } = await startProxy(server.port, asking);
      const sentence = await sentenceOf(url, { ca: CA });
      const start = `CERTIFICATE_WANTED Redis at 127.0.0.1:${port} does not accept this client's`;
      expect(sentence.slice(0, start.length)).toBe(start);
      expect(sentence).toMatch(/: give one that it trusts as options `cert` and `key` of `tls`$/);
    },
  );

  test("ends the calls of a client that was connected before", async () => {
    const good = await startProxy(server.port, SERVER);
    const client = await connected(withPassword(good.url), { tls: { ca: CA }, timeout: "20s" });
    good.secure(NAMED);
    good.cutAll();
    const error = await rejection<Unreachable>(client.queues());
    expect(error).toMatchObject({ name: "Unreachable", code: "BAD_CERTIFICATE" });
    good.secure(SERVER);
    await expect.poll(() => client.queues().catch(() => "not yet")).toEqual([]);
  });
});

describe("TLS and its absence", () => {
  test("are told apart where TLS meets a server without", async () => {
    const error = await rejection(
      connect(`rediss://127.0.0.1:${server.port}`, { timeout: 300, tls: { ca: CA } }),
    );
    expect(error).toMatchObject({ name: "Unreachable", code: "NO_CONNECTION" });
    expect(error.message).toContain("is the address right, and does it speak TLS?");
  });

  test("are told apart where a server with TLS is met without", async () => {
    const { port } = await startProxy(server.port, SERVER);
    const error = await rejection(connect(`redis://127.0.0.1:${port}`, { timeout: 300 }));
    expect(error).toMatchObject({ name: "Unreachable", code: "NO_CONNECTION" });
    expect(error.message).toContain("and does it want TLS (rediss://)?");
  });
});

describe("options of TLS", () => {
  const refusals: [name: string, tls: TlsOptions, sentence: string, url?: string][] = [
    [
      "for a URL without TLS",
      { ca: CA },
      "Option `tls` is for rediss:// URLs: over redis:// nothing is encrypted",
      "redis://:hunter2-secret@127.0.0.1:1",
    ],
    [
      "with the path of a certificate in place of it",
      { ca: "certificates/ca.pem" },
      "Option `tls` cannot be used: `ca` must be the text of a PEM file, not its path",
    ],
    [
      "with a certificate and no key",
      { cert: CLIENT.cert },
      "Option `tls` cannot be used: `cert` and `key` go together",
    ],
    [
      "with the key of another certificate",
      { cert: CLIENT.cert, key: SERVER.key },
      "Option `tls` cannot be used: key values mismatch",
    ],
  ];

  test.each(refusals)("are refused %s", async (_, tls, sentence, url = "rediss://127.0.0.1:1") => {
    const error = await rejection(connect(url, { tls }));
    expect(error).toBeInstanceOf(Invalid);
    expect(error.message).toBe(sentence);
  });

  test("are refused for an ioredis instance, which has its own", async () => {
    const own = new Redis({ lazyConnect: true });
    const error = await rejection(connect(own, { tls: { ca: CA } }));
    expect(error).toBeInstanceOf(Invalid);
    expect(error.message).toBe(
      "Option `tls` is for rediss:// URLs: an ioredis instance brings its own",
    );
  });
});
