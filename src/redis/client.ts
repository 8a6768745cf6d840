import {
  Cluster,
  type ClusterOptions,
  Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
} from "ioredis";
import { Invalid } from "../engine.ts";

/** A connection to one server, or to all of a cluster. */
export type Client = Redis | Cluster;

/** Where Redis is: a redis:// or rediss:// URL, or an ioredis instance that shows how to get there. */
export type Source = string | Client;

/** How to reach a server that a URL alone does not describe; these go to ioredis as they are. */
export interface ClientOptions {
  /** Sentinels to ask for the primary. Of the URL, only user, password and database count then. */
  sentinels?: Omit<SentinelConnectionOptions, "path">;
  /** The URL leads to one node of a cluster. A URL that turns out to is treated so by itself. */
  cluster?: ClusterOptions;
}

/**
 * What our connections must be like, whatever the user's are.
 *
 * ioredis resends what had no answer when a connection broke, and so runs a command twice. Here the
 * engine alone may send again, and knows when: so no resending and no pipelining behind its back,
 * and answers as Redis gave them.
 */
const OURS = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  reconnectOnError: null,
  commandTimeout: undefined,
  socketTimeout: undefined,
  keyPrefix: "",
  replyMapping: "legacy",
  stringNumbers: false,
  disableClientInfo: true,
  disconnectTimeout: 50,
} as const satisfies RedisOptions;

/** For a connection to one server, which nothing may wait in: the engine does the waiting. */
const OURS_ALONE = {
  ...OURS,
  enableOfflineQueue: false,
  lazyConnect: true,
  readOnly: false,
  retryStrategy: reconnectDelay,
} as const satisfies RedisOptions;

const OURS_IN_CLUSTER = {
  lazyConnect: true,
  // What waits here for a node to come up counts as sent.
  enableOfflineQueue: true,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  scaleReads: "master",
  keyPrefix: "",
  clusterRetryStrategy: reconnectDelay,
  // Zero keeps ioredis from sending again what was lost with a connection.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
} as const satisfies ClusterOptions;

function reconnectDelay(times: number): number {
  return Math.min(25 * 2 ** Math.min(times - 1, 6), 1000);
}

/** A client of our own for the source, not yet connected; the user's instance is left alone. */
export function clientFrom(source: Source, options: ClientOptions): Client {
  if (typeof source !== "string") return copyOf(source);
  const address = addressFrom(source);
  if (options.cluster !== undefined) return clusterFrom(address, options.cluster);
  return new Redis({ ...address, ...options.sentinels, ...OURS_ALONE });
}

function copyOf(client: Client): Client {
  if (!isCluster(client)) return client.duplicate(OURS_ALONE);
  const redisOptions = ourNodes(client.options.redisOptions);
  return client.duplicate([], { ...OURS_IN_CLUSTER, redisOptions });
}

function clusterFrom({ host, port, ...rest }: RedisOptions, options: ClusterOptions): Cluster {
  const redisOptions = ourNodes({ ...options.redisOptions, ...rest });
  return new Cluster([{ host, port }], { ...options, ...OURS_IN_CLUSTER, redisOptions });
}

type NodeOptions = NonNullable<ClusterOptions["redisOptions"]>;

function ourNodes(options: NodeOptions = {}): NodeOptions & { replyMapping: "legacy" } {
  return { ...options, ...OURS };
}

/** A connection to hear events on, not yet connected; undefined while no node is known. */
export function subscriberFrom(client: Client): Redis | undefined {
  const model = isCluster(client) ? anyOf(client.nodes("master")) : client;
  // Its owner opens another when it ends, perhaps to another node, and subscribes anew.
  return model?.duplicate({ ...OURS_ALONE, retryStrategy: null, autoResubscribe: false });
}

function anyOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

/** By its own word, since the user may have another copy of ioredis than we. */
export function isCluster(client: Client): client is Cluster {
  return client.isCluster;
}

/** The parts of a URL that ioredis wants; its own reading would let a query undo our settings. */
function addressFrom(source: string): RedisOptions {
  try {
    return addressIn(new URL(source));
  } catch {
    // Not the error of URL or of decoding, which quotes the text and with it the password.
    throw new Invalid(
      "BAD_ARGUMENT",
      "The URL is not redis://[user:password@]host[:port][/database]",
    );
  }
}

function addressIn(url: URL): RedisOptions {
  const database = url.pathname.slice(1);
  if (!/^rediss?:$/.test(url.protocol) || !/^\d*$/.test(database)) throw new Error("not ours");
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1",
    port: Number(url.port || 6379),
    db: Number(database),
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === "rediss:" ? { tls: {} } : {}),
  };
}

/** Names the server for people, without user and password. */
export function placeOf(client: Client): string {
  if (isCluster(client)) return "the cluster";
  const { sentinels, name, path, host, port } = client.options;
  if (sentinels) return `the primary ${name}`;
  return path ?? `${host}:${port}`;
}

/** The text with every password of this client made unreadable. */
export function redacted(client: Client, text: string): string {
  const options: RedisOptions = isCluster(client)
    ? (client.options.redisOptions ?? {})
    : client.options;
  for (const secret of [options.password, options.sentinelPassword]) {
    if (!secret) continue;
    for (const form of [secret, encodeURIComponent(secret)]) text = text.replaceAll(form, "***");
  }
  return text;
}
