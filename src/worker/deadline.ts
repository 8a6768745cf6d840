import { startTimer } from "../timers.ts";

/** Who stops waits no longer for calls that an engine does not answer, in milliseconds. */
export const LEAVE_MS = 2000;

/** The moment until which something is waited for. It can be moved nearer, and not away. */
export class Deadline {
  readonly #passed: Promise<false>;
  #pass!: () => void;
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(ms: number) {
    this.#passed = new Promise((resolve) => {
      this.#pass = () => resolve(false);
    });
    this.within(ms);
  }

  /** Has it come in so many milliseconds, unless it comes sooner anyway. */
  within(ms: number): void {
    if (performance.now() + ms >= this.#at) return;
    this.#at = performance.now() + ms;
    clearTimeout(this.#timer);
    this.#timer = startTimer(this.#pass, ms);
  }

  /** Whether it came to pass before the deadline. */
  async meets(done: Promise<unknown>): Promise<boolean> {
    try {
      return await Promise.race([done.then(() => true), this.#passed]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
