import {
  Cluster,
  type ClusterOptions,
  Command,
  type DNSLookupFunction,
  Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
} from "ioredis";
import { Invalid } from "../engine.ts";
import { addressFrom } from "./address.ts";
import { Connector } from "./connector.ts";
import { checkedTls, type SecurePlace, type TlsOptions } from "./tls.ts";

/** A connection to one server, or to all of a cluster. */
export type Client = Redis | Cluster;

/** Where Redis is: a redis:// or rediss:// URL, or an ioredis instance that shows how to get there. */
export type Source = string | Client;

/** How to reach a server that a URL alone does not describe. */
export interface ClientOptions {
  /** For `rediss://`: whom to trust and who we are, towards every server, Sentinels and nodes included. */
  tls?: TlsOptions;
  /**
   * Sentinels to ask for the primary; these go to ioredis as they are. Of the URL, only user, password,
   * database and whether it is `rediss://` count then.
   */
  sentinels?: Omit<SentinelConnectionOptions, "path">;
  /**
   * The URL leads to one node of a cluster; these go to ioredis as they are. A URL that turns out to
   * lead to one is treated so by itself.
   */
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
  // The connection selects the database: if Redis refused it, ioredis would go on in database 0.
  db: 0,
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
export function clientFrom(source: Source, { tls, sentinels, cluster }: ClientOptions): Client {
  if (typeof source !== "string") {
    if (tls !== undefined) throw misplacedTls("an ioredis instance brings its own");
    return copyOf(source);
  }
  const address = secured(addressFrom(source), tls);
  if (cluster !== undefined) return clusterFrom(address, cluster);
  const options = sentinels === undefined ? address : withSentinels(address, sentinels);
  return onDatabase(options.db, new Redis({ ...options, ...OURS_ALONE, ...wayOf(options) }));
}

/** Who goes by TLS or by Sentinels, or has a way of their own, is connected by ioredis. */
function wayOf(options: RedisOptions): { Connector?: typeof Connector } {
  return options.tls || options.sentinels || options.Connector ? {} : { Connector };
}

function copyOf(client: Client): Client {
  if (!isCluster(client)) {
    const copy = client.duplicate({ ...OURS_ALONE, ...wayOf(client.options) });
    return onDatabase(client.options.db, copy);
  }
  const redisOptions = ourNodes(client.options.redisOptions);
  return withoutTryingAgain(client.duplicate([], { ...OURS_IN_CLUSTER, redisOptions }));
}

const databases = new WeakMap<Client, number>();

function onDatabase(db: number | undefined, client: Redis): Redis {
  databases.set(client, Number(db ?? 0));
  return client;
}

/** The database that a connection of the client has to select before it can be used. */
export function databaseOf(client: Client): number {
  return databases.get(client) ?? 0;
}

function secured(address: RedisOptions, tls: TlsOptions | undefined): RedisOptions {
  if (tls === undefined) return address;
  if (address.tls === undefined) throw misplacedTls("over redis:// nothing is encrypted");
  return { ...address, tls: checkedTls(tls) };
}

function misplacedTls(reason: string): Invalid {
  return new Invalid("BAD_ARGUMENT", `Option \`tls\` is for rediss:// URLs: ${reason}`);
}

type Sentinels = NonNullable<ClientOptions["sentinels"]>;

function withSentinels(address: RedisOptions, sentinels: Sentinels): RedisOptions {
  if (address.tls === undefined) return { ...address, ...sentinels };
  const tls = { ...sentinels.tls, ...address.tls };
  // Left to itself, ioredis would speak to Sentinels and primary in the clear in spite of `tls`.
  return { ...address, sentinelTLS: tls, ...sentinels, tls, enableTLSForSentinelMode: true };
}

function clusterFrom({ host, port, ...rest }: RedisOptions, options: ClusterOptions): Cluster {
  const tls = rest.tls && { tls: { ...options.redisOptions?.tls, ...rest.tls } };
  const redisOptions = ourNodes({ ...options.redisOptions, ...rest, ...tls });
  const named = tls && { dnsLookup: asNamed };
  const ours = { ...named, ...options, ...OURS_IN_CLUSTER, redisOptions };
  return withoutTryingAgain(new Cluster([{ host, port }], ours));
}

/**
 * Has TRYAGAIN reach the engine, which waits for the slot until the deadline of the call. ioredis
 * would try other nodes, and at the deadline nobody would know that the command was not carried out.
 */
function withoutTryingAgain(cluster: Cluster): Cluster {
  const handle = cluster.handleError;
  cluster.handleError = (error, ttl, handlers) => {
    if (error.message.startsWith("TRYAGAIN")) handlers.defaults();
    else handle.call(cluster, error, ttl, handlers);
  };
  return cluster;
}

/** A certificate is for a name, so the name must not become an address before it is compared. */
const asNamed: DNSLookupFunction = (name, callback) => callback(null, name);

type NodeOptions = NonNullable<ClusterOptions["redisOptions"]>;

function ourNodes(options: NodeOptions = {}): NodeOptions & {
  replyMapping: "legacy";
} {
  // ioredis passes over it.
  if (options.db) {
    const fix = `a cluster has database 0 alone, so leave database ${options.db} out`;
    throw new Invalid("BAD_ARGUMENT", `Cannot use this database: ${fix}`);
  }
  return { ...options, ...OURS };
}

/**
 * A connection to hear the events of a namespace on, not yet connected; undefined while no node is
 * known. In a cluster it is one to the node that has the namespace: no other has its channels.
 */
export function subscriberFrom(client: Client, namespace: string): Redis | undefined {
  const model = isCluster(client)
    ? (ownerOf(client, namespace) ?? anyOf(client.nodes("master")))
    : client;
  // Its owner opens another when it ends, perhaps to another node, and subscribes anew.
  return model?.duplicate({ ...OURS_ALONE, retryStrategy: null, autoResubscribe: false });
}

/** The node that has a key, as far as it is known. */
export function ownerOf(client: Cluster, key: string): Redis | undefined {
  const slot = new Command("get", [key]).getSlot();
  const place = slot === null ? undefined : client.slots[slot]?.[0];
  return client.nodes("master").find((node) => nodeKey(node) === place);
}

/** How ioredis names a node of a cluster. */
export function nodeKey({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}

function anyOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

/** By its own word, since the user may have another copy of ioredis than we. */
export function isCluster(client: Client): client is Cluster {
  return client.isCluster;
}

/** Whether this client speaks TLS. */
export function isSecure(client: Client): boolean {
  const { tls } = isCluster(client) ? (client.options.redisOptions ?? {}) : client.options;
  return tls !== undefined;
}

/** The Sentinels or nodes that are spoken to by TLS before there is a connection to speak of. */
export function securePlaces(client: Client): SecurePlace[] {
  const at = ({ host = "127.0.0.1", port = 26379 }, tls: SecurePlace["tls"] | undefined) =>
    tls === undefined ? [] : [{ host, port, tls }];
  if (!isCluster(client)) {
    const { sentinels, sentinelTLS } = client.options;
    return (sentinels ?? []).flatMap((sentinel) => at(sentinel, sentinelTLS));
  }
  return client.nodes("all").flatMap(({ options }) => at(options, options.tls));
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
