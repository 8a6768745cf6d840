import type { Calls } from "./calls.ts";
import { engineTime } from "./engine-time.ts";

/**
 * The engine's time, by which locks expire and jobs are due: this machine's clock may be minutes
 * off. It is asked for now and then, and reckoned in between.
 */
export class EngineClock {
  readonly #calls: Calls;
  readonly #freshMs: number;
  /** The engine's time, less this process's milliseconds. */
  #offset = 0;
  #asked = Number.NEGATIVE_INFINITY;

  /** `freshMs` is how long the difference of the two clocks is believed. */
  constructor(calls: Calls, freshMs: number) {
    this.#calls = calls;
    this.#freshMs = freshMs;
  }

  /** Milliseconds since 1970. */
  async now(): Promise<number> {
    const begun = performance.now();
    if (begun - this.#asked > this.#freshMs) {
      const time = await engineTime(this.#calls);
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
