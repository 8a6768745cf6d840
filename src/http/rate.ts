import { HttpError } from "./errors.ts";

/** Callers that are remembered; the one that was silent for longest is forgotten first. */
const MAX_CALLERS = 10_000;
/** Seconds' worth of requests that may come at once. */
const BURST_S = 2;

interface Bucket {
  left: number;
  at: number;
}

/** Lets each caller make so many requests a second, and twice as many at once. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a request, or refuses it. */
  spend(caller: string, now = performance.now()): void {
    const most = Math.max(this.#perSecond * BURST_S, 1);
    const { left, at } = this.#buckets.get(caller) ?? { left: most, at: now };
    const filled = Math.min(most, left + ((now - at) / 1000) * this.#perSecond);
    // Behind all others: the order of the map is that of their last requests.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: filled < 1 ? filled : filled - 1, at: now });
    if (this.#buckets.size > MAX_CALLERS) this.#forgetOldest();
    if (filled >= 1) return;
    const after = Math.ceil((1 - filled) / this.#perSecond);
    const message = `More than ${this.#perSecond} requests a second; try again in ${after} s`;
    throw new HttpError(429, "TOO_MANY", message, after);
  }

  #forgetOldest(): void {
    for (const caller of this.#buckets.keys()) {
      this.#buckets.delete(caller);
      return;
    }
  }
}
