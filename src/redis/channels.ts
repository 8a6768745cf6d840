import type { Redis } from "ioredis";

/** What a listener hears that hears everything. */
export const ALL = "*";

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
      (channel === ALL ? this.#link.psubscribe(name) : this.#link.subscribe(name));
    this.#joined.set(channel, joined);
    return joined;
  }

  leave(channel: string): void {
    if (!this.#joined.delete(channel)) return;
    const name = this.#prefix + channel;
    const left = channel === ALL ? this.#link.punsubscribe(name) : this.#link.unsubscribe(name);
    // Where the connection breaks, it has left as well.
    left.catch(() => {});
  }
}
