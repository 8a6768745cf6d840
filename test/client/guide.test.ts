import { fileURLToPath } from "node:url";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { Guide, type Places } from "../guides.ts";
import { SERVER } from "../redis/certificates.ts";
import { startCluster } from "../redis/cluster.ts";
import { startProxy } from "../redis/proxy.ts";
import { startWatched } from "../redis/sentinel.ts";

const SERVERS = "TLS, Sentinel, Cluster";
const isOfServers = ({ title }: { title: string }) => title.startsWith(SERVERS);

const guide = new Guide("docs/guides/client.md");
guide.declare(guide.examples.filter((example) => !isOfServers(example)));

describe(`the examples under ${SERVERS}`, () => {
  /** The places of an example that there is one of, by what it shows. */
  const runs: [shows: string, places: () => Promise<Places>][] = [
    ["rediss://", secured],
    ["sentinels:", watched],
    ["node-1", clustered],
  ];

  async function secured(): Promise<Places> {
    const { port } = new URL(inject("redisUrl"));
    const { url } = await startProxy(Number(port), SERVER);
    const ca = fileURLToPath(new URL("../redis/tls/ca.pem", import.meta.url));
    return { "rediss://:secret@redis.example.com:6380": url, "ca.pem": ca };
  }

  async function watched(): Promise<Places> {
    const { sentinel } = await startWatched();
    const hosts = { "sentinel-1.example.com": "127.0.0.1", "sentinel-2.example.com": "127.0.0.1" };
    return { ...hosts, "26379": String(sentinel.port), ":secret@": "" };
  }

  async function clustered(): Promise<Places> {
    const cluster = await startCluster(1);
    onTestFinished(() => cluster.stop());
    return { "redis://node-1.example.com:6379": cluster.servers[0]!.url };
  }

  test("are these", () => {
    expect(guide.examples.filter(isOfServers)).toHaveLength(runs.length);
  });

  test.each(runs)(
    "run on such servers, and print what the guide says (%s)",
    async (shows, open) => {
      const found = guide.examples.filter(isOfServers).filter(({ code }) => code.includes(shows));
      expect(found).toHaveLength(1);
      expect(await guide.printedOnRedis(found[0]!.code, await open())).toBe(found[0]!.prints);
    },
  );
});
