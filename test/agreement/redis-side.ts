import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { inject } from "vitest";
import type { Announcement } from "../../src/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";

/** A database of the shared server that no other test uses, so that it may be emptied. */
const DATABASE = 200;

/** An engine in Redis that plays many histories, one after the other, in one namespace. */
export class RedisSide {
  readonly engine: RedisEngine;
  /** Looks at the data past the engine. */
  readonly client: Redis;
  #heard: Announcement[] = [];
  #awaited: { message: string; resolve: () => void } | undefined;

  private constructor(engine: RedisEngine, client: Redis) {
    this.engine = engine;
    this.client = client;
  }

  static async open(): Promise<RedisSide> {
    const url = `${inject("redisUrl")}/${DATABASE}`;
    const namespace = `agreement-${randomBytes(4).toString("hex")}`;
    const engine = await RedisEngine.open(url, {
      namespace,
      mode: "functions",
      onWarning: () => {},
    });
    const side = new RedisSide(engine, new Redis(url));
    await engine.subscribe((announcement) => side.#hear(announcement));
    return side;
  }

  /** Empties the database for the next history. */
  async clear(): Promise<void> {
    await this.heard();
    await this.client.flushdb();
    this.#heard = [];
  }

  /** Everything announced since the last `clear`; waits for what is still on its way. */
  async heard(): Promise<Announcement[]> {
    const message = `last ${randomBytes(6).toString("hex")}`;
    const arrived = new Promise<void>((resolve) => {
      this.#awaited = { message, resolve };
    });
    await this.client.publish(`${this.engine.namespace}:last`, message);
    await arrived;
    return this.#heard;
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.client.disconnect();
  }

  #hear(announcement: Announcement): void {
    if (announcement.channel !== "last") this.#heard.push(announcement);
    else if (announcement.message === this.#awaited?.message) this.#awaited.resolve();
  }
}
