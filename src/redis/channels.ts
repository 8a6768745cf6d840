import type { Redis } from "ioredis";
import { sleep } from "../timers.ts";

/** What a listener hears that hears everything. */
export const ALL = "*";

/**
 * For some milliseconds after an announcement on the log that nobody has heard, the library makes no
 * others there (`lua/silence.ts`). Whoever begins to listen then is certain to hear after these, by
 * the server's clock and not by ours, so it is twice as long.
 */
const SILENT_MS = 10;

/** The channels that one connection hears, or is about to; their names are without the prefix. */
export class Channels {
  readonly #link: Redis;
  readonly #prefix: string;
  readonly #joined = new Map<string, Promise<unknown>>();

  constructor(link: Redis, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** Resolves when the channel is heard. */
  join(channel: string): Promise<unknown> {
    const name = this.#prefix + channel;
    const joined =
      this.#joined.get(channel) ??
      (channel === ALL ? this.#joinAll(name) : this.#link.subscribe(name));
    this.#joined.set(channel, joined);
    return joined;
  }

  async #joinAll(name: string): Promise<void> {
    await this.#link.psubscribe(name);
    await sleep(SILENT_MS);
  }

  leave(channel: string): void {
    if (!this.#joined.delete(channel)) return;
    const name = this.#prefix + channel;
    const left = channel === ALL ? this.#link.punsubscribe(name) : this.#link.unsubscribe(name);
    // Where the connection breaks, it has left as well.
    left.catch(() => {});
  }
}
