import type { Cluster, Redis } from "ioredis";
import { Client } from "./client/client.ts";
import { CLIENT_OPTIONS, type ClientOptions } from "./client/client-options.ts";
import { checkKnown, type Known } from "./client/known.ts";
import type { AnyJobs, Registry } from "./client/registry.ts";
import { type Duration, milliseconds } from "./client/times.ts";
import { type Engine, Invalid } from "./engine.ts";
import type { RedisEngineOptions } from "./redis/engine.ts";

/** How to open an engine; everything may be left out. */
export interface EngineOptions
  extends Pick<
    RedisEngineOptions,
    "tls" | "sentinels" | "cluster" | "mode" | "whenDown" | "onWarning"
  > {
  /** What every key begins with, so that several systems can share a database; default `ql`. */
  namespace?: string;
  /** On Redis: how long a call may take in all, waiting for a connection included; default 10 s. */
  timeout?: Duration;
  /**
   * On SQLite: `full` (default) answers when a change is on the disk; with `normal` a power cut may
   * lose the last changes, and the file stays whole.
   */
  synchronous?: "full" | "normal";
  /** On SQLite: what the engine takes for the time, in milliseconds. For tests. */
  clock?: () => number;
}

/** How to open a client; everything may be left out. */
export interface ConnectOptions<Jobs extends Registry = AnyJobs>
  extends EngineOptions,
    ClientOptions<Jobs> {}

const ENGINE_OPTIONS: Known<EngineOptions> = {
  ...{ namespace: true, timeout: true, synchronous: true, clock: true, tls: true },
  ...{ sentinels: true, cluster: true, mode: true, whenDown: true, onWarning: true },
};
const CONNECT_OPTIONS: Known<ConnectOptions> = { ...CLIENT_OPTIONS, ...ENGINE_OPTIONS };

/** Where a queue is: a URL, or an ioredis instance that shows how to get there. */
export type Source = string | Redis | Cluster;

/** Where a queue is, and what its keys begin with, when nobody says. */
export const DEFAULTS = { url: "sqlite:./qless.db", namespace: "ql" } as const;

/**
 * Opens what a URL names: `sqlite:<file>`, `sqlite::memory:`, `redis://` or `rediss://`. Without
 * one, `QLESS_URL` decides, and then a file in the current folder.
 */
export async function connect<Jobs extends Registry = AnyJobs>(
  source?: Source,
  options: ConnectOptions<Jobs> = {},
): Promise<Client<Jobs>> {
  checkKnown("of connect", options, CONNECT_OPTIONS);
  const { jobs, name, logger, requests, requestsByContent, ...rest } = options;
  const { onWarning = logger && ((sentence: string) => logger.warn({}, sentence)) } = rest;
  const engine = await openEngine(source, { ...rest, ...(onWarning && { onWarning }) });
  return new Client<Jobs>(engine, { jobs, name, logger, requests, requestsByContent });
}

/** Opens the engine alone, for those who speak in commands. The driver that is not used is not loaded. */
export async function openEngine(source?: Source, options: EngineOptions = {}): Promise<Engine> {
  checkKnown("of openEngine", options, ENGINE_OPTIONS);
  const target = source ?? process.env.QLESS_URL ?? DEFAULTS.url;
  const namespace = options.namespace ?? process.env.QLESS_NAMESPACE ?? DEFAULTS.namespace;
  if (typeof target === "string" && target.startsWith("sqlite:")) {
    const { EmbeddedEngine } = await import("./embedded/engine.ts");
    const { clock = Date.now, synchronous = "full" } = options;
    if (synchronous !== "full" && synchronous !== "normal") {
      throw new Invalid("BAD_ARGUMENT", 'synchronous must be "full" or "normal"');
    }
    return EmbeddedEngine.open(target.slice("sqlite:".length), { namespace, clock, synchronous });
  }
  if (typeof target !== "string" || /^rediss?:\/\//.test(target)) {
    const { RedisEngine } = await import("./redis/engine.ts");
    const { timeout, clock: _, synchronous: __, ...rest } = options;
    const timeoutMs = timeout === undefined ? {} : { timeoutMs: milliseconds(timeout, "timeout") };
    return RedisEngine.open(target, { ...rest, ...timeoutMs, namespace });
  }
  const known = "sqlite:<file>, redis://<host> or rediss://<host>";
  throw new Invalid("BAD_ARGUMENT", `This is not the URL of a queue; use ${known}`);
}
