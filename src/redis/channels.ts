import type { Redis } from "ioredis";
import type { TrackedEvent } from "../core/events.ts";
import { sleep } from "../timers.ts";

/** The channel of a listener that wants everything. */
export const ALL = "*";

/**
 * For some milliseconds after an announcement on the log that nobody has heard, the library makes no
 * others there (`lua/silence.ts`). Whoever begins to listen then is certain to hear after these, by
 * the server's clock and not by ours, so it is twice as long.
 */
const SILENT_MS = 10;

const TRACKED: Record<TrackedEvent, true> = {
  put: true,
  popped: true,
  completed: true,
  failed: true,
  stalled: true,
  canceled: true,
  progress: true,
  track: true,
  untrack: true,
};

/** Sharded channels have no patterns: there, everything is all but what single workers hear. */
const SHARED = ["log", ...Object.keys(TRACKED)];

/** Whether a namespace, or whatever begins with it, announces on sharded channels. */
export function isSharded(prefix: string): boolean {
  return prefix.startsWith("{");
}

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
    const joined = this.#joined.get(channel) ?? this.#join(channel);
    this.#joined.set(channel, joined);
    return joined;
  }

  leave(channel: string): void {
    if (!this.#joined.delete(channel)) return;
    // Where the connection breaks, it has left as well.
    this.#leave(channel).catch(() => {});
  }

  async #join(channel: string): Promise<void> {
    const names = this.#names(channel);
    if (isSharded(this.#prefix)) await this.#link.ssubscribe(...names);
    else if (channel === ALL) await this.#link.psubscribe(...names);
    else await this.#link.subscribe(...names);
    if (channel === ALL) await sleep(SILENT_MS);
  }

  #leave(channel: string): Promise<unknown> {
    const names = this.#names(channel);
    if (isSharded(this.#prefix)) return this.#link.sunsubscribe(...names);
    return channel === ALL ? this.#link.punsubscribe(...names) : this.#link.unsubscribe(...names);
  }

  #names(channel: string): string[] {
    const all = channel === ALL && isSharded(this.#prefix) ? SHARED : [channel];
    return all.map((name) => this.#prefix + name);
  }
}
