import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, connect } from "../../src/index.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";

let server: RedisServer;
const clients: Client[] = [];
const instances: Redis[] = [];

beforeAll(async () => {
  server = await startRedis({ args: ["--unixsocket", "redis.sock"] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const redis of instances) redis.disconnect();
  await server.stop();
});

async function open(source: string | Redis): Promise<Client> {
  const client = await connect(source, { onWarning: () => {} });
  clients.push(client);
  return client;
}

function instance(options: object): Redis {
  const redis = new Redis({ ...options, lazyConnect: true });
  instances.push(redis);
  return redis;
}

const local = () => ({ host: "127.0.0.1", port: server.port });

/** Text of which no two pieces are alike. */
const textOf = (name: string, bytes: number) =>
  Array.from({ length: Math.ceil(bytes / 16) }, (_, i) => `${name}${i}`.padEnd(16, "ä")).join("");

const WAYS: [string, () => string | Redis][] = [
  ["a URL", () => server.url],
  ["a name that has several addresses", () => `redis://localhost:${server.port}`],
  ["an instance of ioredis", () => instance(local())],
  ["a socket of the file system", () => instance({ path: join(server.dir, "redis.sock") })],
  ["a user and a database", () => instance({ ...local(), db: 3, username: "default" })],
];

describe.each(WAYS)("by %s", (_, way) => {
  test("answers of any length come whole, and each to its asker", async () => {
    const client = await open(way());
    const sizes = [1, 60_000, 65_536, 65_537, 300_000, 2_000_000];
    const asked = sizes.map(async (bytes, i) => {
      const text = textOf(`n${i}`, bytes);
      const { jid } = await client.queue("long").put("k", { text });
      return [(await client.get(jid))?.data, { text }];
    });
    for (const [got, wanted] of await Promise.all(asked)) expect(got).toEqual(wanted);
  });
});

test("connections do not get in each other's way", async () => {
  const both = [await open(server.url), await open(server.url)];
  const rounds = Array.from({ length: 40 }, async (_, i) => {
    const client = both[i % 2]!;
    const text = textOf(`c${i}-`, 20_000 + 5_000 * i);
    const { jid } = await client.queue("both").put("k", { text });
    expect((await client.get(jid))?.data).toEqual({ text });
  });
  await Promise.all(rounds);
});
