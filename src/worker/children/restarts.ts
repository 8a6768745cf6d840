import { startTimer } from "../../timers.ts";

/** Rests before a child is started in the place of one that died, in milliseconds. */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * When to start children in the place of those that died: the first time at once, and then, as
 * long as they die without bringing any job to its end, later and later.
 */
export class Restarts {
  #deaths = 0;
  #timer: NodeJS.Timeout | undefined;

  get isResting(): boolean {
    return this.#timer !== undefined;
  }

  /** A job has been brought to its end: whatever was wrong is over. */
  reset(): void {
    this.#deaths = 0;
  }

  died(again: () => void): void {
    this.#deaths += 1;
    if (this.#deaths < 2) return;
    const ms = Math.min(FIRST_MS * 2 ** (this.#deaths - 2), LONGEST_MS);
    this.#timer ??= startTimer(
      () => {
        this.#timer = undefined;
        again();
      },
      ms * (0.5 + Math.random() / 2),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
