import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { poll } from "./support.ts";

const SLOTS = 16384;

/** Some servers that share the slots of one cluster. */
export interface TestCluster {
  servers: RedisServer[];
  stop(): Promise<void>;
}

/** Starts a cluster of so many masters; it takes Redis two seconds to trust itself. */
export async function startCluster(size: number, args: string[] = []): Promise<TestCluster> {
  const starting = Array.from({ length: size }, () => startRedis({ cluster: true, args }));
  const servers = await Promise.all(starting);
  await Promise.all(servers.map((server, n) => join(server, n, servers)));
  await Promise.all(servers.map((server) => formed(server, size)));
  return {
    servers,
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

async function join(server: RedisServer, n: number, servers: RedisServer[]): Promise<void> {
  const bound = (index: number) => Math.floor((SLOTS * index) / servers.length);
  await talk(server, async (redis) => {
    await redis.call("CLUSTER", "ADDSLOTSRANGE", bound(n), bound(n + 1) - 1);
    for (const { port } of servers) await redis.call("CLUSTER", "MEET", "127.0.0.1", port);
  });
}

async function formed(server: RedisServer, size: number): Promise<void> {
  await talk(server, (redis) =>
    poll(async () => {
      const info = String(await redis.call("CLUSTER", "INFO"));
      return info.includes("cluster_state:ok") && info.includes(`cluster_size:${size}\r`);
    }),
  );
}

/** How a slot is moved. */
export interface Move {
  /** The number of keys that move at once. */
  pipe?: number;
  /** Milliseconds between two of these. */
  pauseMs?: number;
}

/** Moves the slot of a key, with its data, from its node to the next, as redis-cli does. */
export async function moveSlot(cluster: TestCluster, key: string, move?: Move): Promise<void> {
  const end = await beginMove(cluster, key, move);
  await end();
}

/** Puts a slot on its way to the next node; the answer moves its keys, and ends the move. */
export async function beginMove(
  { servers }: TestCluster,
  key: string,
  { pipe = 100, pauseMs = 0 }: Move = {},
): Promise<() => Promise<void>> {
  const ask = (node: number, ...words: (string | number)[]) =>
    talk(servers[node] as RedisServer, (redis) => redis.call("CLUSTER", ...words));
  const slot = Number(await ask(0, "KEYSLOT", key));
  const owners = await Promise.all(servers.map((server) => owns(server, slot)));
  const from = owners.indexOf(true);
  const to = (from + 1) % servers.length;
  const [fromId, toId] = [String(await ask(from, "MYID")), String(await ask(to, "MYID"))];
  await ask(to, "SETSLOT", slot, "IMPORTING", fromId);
  await ask(from, "SETSLOT", slot, "MIGRATING", toId);
  return async () => {
    await moveKeys(servers[from] as RedisServer, servers[to] as RedisServer, slot, pipe, pauseMs);
    for (const node of [to, from]) await ask(node, "SETSLOT", slot, "NODE", toId);
  };
}

function moveKeys(
  from: RedisServer,
  { port }: RedisServer,
  slot: number,
  pipe: number,
  pauseMs: number,
): Promise<void> {
  return talk(from, async (redis) => {
    for (;;) {
      const keys = (await redis.call("CLUSTER", "GETKEYSINSLOT", slot, pipe)) as string[];
      if (keys.length === 0) return;
      await redis.call("MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", ...keys);
      await pause(pauseMs);
    }
  });
}

/** The node that has the slot of a key. */
export async function ownerOf({ servers }: TestCluster, key: string): Promise<RedisServer> {
  const slot = Number(
    await talk(servers[0] as RedisServer, (redis) => redis.call("CLUSTER", "KEYSLOT", key)),
  );
  for (const server of servers) if (await owns(server, slot)) return server;
  throw new Error(`Nobody has slot ${slot}`);
}

/** Adds a node that follows another, and waits until it could take its place. */
export async function addReplica(cluster: TestCluster, of: RedisServer, args: string[]) {
  const replica = await startRedis({ cluster: true, args });
  const id = String(await talk(of, (redis) => redis.call("CLUSTER", "MYID")));
  await talk(replica, async (redis) => {
    await redis.call("CLUSTER", "MEET", "127.0.0.1", of.port);
    const isKnown = async () => {
      const nodes = String(await redis.call("CLUSTER", "NODES"));
      return nodes.includes(id) && nodes.trim().split("\n").length > cluster.servers.length;
    };
    await poll(isKnown);
    await redis.call("CLUSTER", "REPLICATE", id);
    await poll(async () => (await redis.info("replication")).includes("master_link_status:up"));
  });
  for (const server of cluster.servers) await knowsReplicaOf(server, id);
  cluster.servers.push(replica);
  return replica;
}

async function knowsReplicaOf(server: RedisServer, id: string): Promise<void> {
  const isReplica = new RegExp(`slave ${id}`);
  await talk(server, (redis) =>
    poll(async () => isReplica.test(String(await redis.call("CLUSTER", "NODES")))),
  );
}

/** Whether a node has a slot, by its own word. */
async function owns(server: RedisServer, slot: number): Promise<boolean> {
  const nodes = await talk(server, (redis) => redis.call("CLUSTER", "NODES"));
  const own =
    String(nodes)
      .split("\n")
      .find((line) => line.includes("myself")) ?? "";
  const ranges = own
    .split(" ")
    .slice(8)
    .map((range) => range.split("-").map(Number));
  return ranges.some(([first = NaN, last = first]) => slot >= first && slot <= last);
}

/** Has the only node of a cluster tell clients that it is found there, which is before it. */
export async function announce(server: RedisServer, host: string, port: number): Promise<void> {
  await talk(server, async (redis) => {
    await redis.config("SET", "cluster-announce-hostname", host);
    await redis.config("SET", "cluster-preferred-endpoint-type", "hostname");
    await redis.config("SET", "cluster-announce-port", port);
  });
}

async function talk<T>(server: RedisServer, action: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url);
  try {
    return await action(redis);
  } finally {
    redis.disconnect();
  }
}
