/** A timer takes no more. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
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
    const bounded = Math.min(ms, MAX_TIMER_MS);
    if (performance.now() + bounded >= this.#at) return;
    this.#at = performance.now() + bounded;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#pass, bounded);
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
