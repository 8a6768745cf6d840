import { describe, expect, test } from "vitest";
import type { QlessEvent } from "../../src/client/event-types.ts";
import { connect } from "../../src/connect.ts";
import { CA, NAMED, OTHER_CA, SERVER } from "../redis/certificates.ts";
import { startProxy } from "../redis/proxy.ts";
import { startWatched, type Watched } from "../redis/sentinel.ts";
import { rejection } from "../redis/support.ts";
import { connected, liveThrough } from "./connected.ts";

/** The URL says who and how, not where. */
const URL = "redis://unused";
const SECURE_URL = "rediss://unused";

describe("a client that asks Sentinel for the primary", () => {
  test("goes on after a failover, with all that was put before", async () => {
    const { sentinels, failOver } = await startWatched();
    const client = await connected(URL, { sentinels, timeout: "25s" });
    const heard: QlessEvent["event"][] = [];
    await client.events.on({}, ({ event }) => heard.push(event));
    await client.put("k", 1, { jid: "before" });
    const ended = client.waitFor("before", { timeout: "25s" });
    await failOver();
    expect(await client.put("k", 2, { jid: "after" })).toEqual({
      jid: "after",
      outcome: "created",
    });
    const jobs = await client.queue("k").pop({ count: 5 });
    expect(jobs.map(({ jid }) => jid)).toEqual(["before", "after"]);
    for (const job of jobs) await job.complete();
    expect(await ended).toMatchObject({ state: "complete" });
    await expect.poll(() => heard).toContain("missed");
    expect(await client.maintenance.check()).toEqual([]);
  }, 40_000);

  test("tells which primary it did not find", async () => {
    const { sentinels } = await startWatched();
    const options = { sentinels: { ...sentinels, name: "other" }, timeout: 300 };
    const error = await rejection(connect(URL, options));
    expect(error).toMatchObject({ name: "Unreachable", code: "NO_CONNECTION" });
    expect(error.message).toContain("the primary other");
  });
});

/** Puts TLS before all servers: Sentinel tells the addresses behind it, and the map those in front. */
async function secured(watched: Watched, { sentinel = SERVER, primary = SERVER } = {}) {
  const front = await startProxy(watched.sentinel.port, sentinel);
  const wires = await Promise.all(
    [watched.primary, watched.replica].map(({ port }) => startProxy(port, primary)),
  );
  const ports = new Map([watched.primary, watched.replica].map(({ port }, i) => [port, wires[i]]));
  const natMap = (address: string) => {
    const port = ports.get(Number(address.split(":")[1]))?.port;
    return port === undefined ? null : { host: "127.0.0.1", port };
  };
  const sentinels = { name: "main", sentinels: [{ host: "127.0.0.1", port: front.port }], natMap };
  return { sentinels, front, wires };
}

describe("a client that asks Sentinel over TLS", () => {
  test("speaks TLS to Sentinel and to each primary", async () => {
    const watched = await startWatched();
    const { sentinels, front, wires } = await secured(watched);
    const client = await connected(SECURE_URL, { sentinels, tls: { ca: CA }, timeout: "25s" });
    await liveThrough(client);
    await watched.failOver();
    await client.put("k", 2);
    expect(await client.queue("k").length()).toBe(1);
    for (const wire of [front, ...wires]) expect(wire.requests.length).toBeGreaterThan(0);
    await client.close();
    for (const wire of [front, ...wires]) await expect.poll(() => wire.sockets()).toBe(0);
  }, 40_000);

  test("may speak to Sentinel itself without", async () => {
    const watched = await startWatched();
    const { sentinels } = await secured(watched);
    const open = { ...sentinels, ...watched.sentinels, sentinelTLS: undefined };
    await liveThrough(await connected(SECURE_URL, { sentinels: open, tls: { ca: CA } }));
  });

  test("tells what is wrong with the certificate of a Sentinel", async () => {
    const { sentinels, front } = await secured(await startWatched());
    const options = { sentinels, tls: { ca: OTHER_CA }, timeout: "20s" } as const;
    const error = await rejection(connect(SECURE_URL, options));
    expect(error).toMatchObject({ name: "Unreachable", code: "BAD_CERTIFICATE" });
    expect(error.message).toContain(`at 127.0.0.1:${front.port} is signed by an authority that`);
    await expect.poll(() => front.sockets()).toBe(0);
  });

  test("tells what is wrong with the certificate of the primary", async () => {
    const { sentinels } = await secured(await startWatched(), { primary: NAMED });
    const options = { sentinels, tls: { ca: CA }, timeout: "20s" } as const;
    const error = await rejection(connect(SECURE_URL, options));
    expect(error).toMatchObject({ name: "Unreachable", code: "BAD_CERTIFICATE" });
    expect(error.message).toContain("at the primary main is for DNS:localhost and not for");
  });
});
