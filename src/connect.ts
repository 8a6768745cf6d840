import { type Engine, Refused } from "./engine.ts";

export interface ConnectOptions {
  /** What every key begins with, so that several systems can share a database. */
  namespace?: string;
}

const DEFAULT_URL = "sqlite:./qless.db";

/**
 * Opens the engine that a URL names: `sqlite:<file>`, `sqlite::memory:`, `redis://` or `rediss://`.
 * Without one, `QLESS_URL` decides, and then a file in the current folder. The driver that is not
 * used is not loaded.
 */
export async function connect(url?: string, options: ConnectOptions = {}): Promise<Engine> {
  const target = url ?? process.env.QLESS_URL ?? DEFAULT_URL;
  const namespace = options.namespace ?? process.env.QLESS_NAMESPACE ?? "ql";
  if (target.startsWith("sqlite:")) {
    const { EmbeddedEngine } = await import("./embedded/engine.ts");
    return EmbeddedEngine.open(target.slice("sqlite:".length), { namespace });
  }
  if (/^rediss?:\/\//.test(target)) {
    const { RedisEngine } = await import("./redis/engine.ts");
    return RedisEngine.open(target, { namespace });
  }
  const known = "sqlite:<file>, redis://<host> or rediss://<host>";
  throw new Refused("BAD_ARGUMENT", `This is not the URL of a queue; use ${known}`);
}
