import type { Client } from "../client/client.ts";
import { engineTime } from "../client/engine-time.ts";

/** How long the difference of the two clocks is believed, in milliseconds. */
const FRESH_MS = 10_000;

/** The engine's time, by which locks expire and jobs are due; it is asked for now and then. */
export class EngineClock {
  readonly #client: Client;
  /** The engine's time, less this process's milliseconds. */
  #offset = 0;
  #asked = Number.NEGATIVE_INFINITY;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Milliseconds since 1970. */
  async now(): Promise<number> {
    const begun = performance.now();
    if (begun - this.#asked > FRESH_MS) {
      const time = await engineTime(this.#client.parts.calls);
      this.#offset = time.getTime() - (begun + performance.now()) / 2;
      this.#asked = begun;
    }
    return this.estimate();
  }

  /** The same by what was learned last, without asking. */
  estimate(): number {
    return this.#offset + performance.now();
  }
}
