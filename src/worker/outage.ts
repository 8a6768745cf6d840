import type { Logger } from "../client/observing.ts";
import { Unreachable } from "../engine.ts";
import { startTimer } from "../timers.ts";

const FIRST_MS = 100;
const LAST_MS = 5000;

/** Knows whether the engine answers; says so once when it does not, and once when it does again. */
export class Outage {
  readonly #log: Logger;
  #failures = 0;
  #since: Date | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether nothing should be tried just now. */
  get isResting(): boolean {
    return this.#rest !== undefined;
  }

  /** Notes a call that failed, and rests a while before the next, the longer the more have. */
  restAfter(error: unknown, then: () => void): void {
    const ms = this.failed(error);
    this.#rest ??= startTimer(() => {
      this.#rest = undefined;
      then();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#rest);
  }

  /** Notes a call that failed; tells how long to rest, in milliseconds. */
  failed(error: unknown): number {
    if (this.#since === undefined) {
      this.#since = new Date();
      const what = error instanceof Unreachable ? "The engine does not answer" : "A call failed";
      this.#log.error({ err: error }, `${what}; running jobs go on, and it is tried again`);
    }
    const ms = Math.min(FIRST_MS * 2 ** this.#failures, LAST_MS);
    this.#failures += 1;
    return ms * (0.5 + Math.random() / 2);
  }

  /** Notes a call that was answered. */
  answered(): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((Date.now() - this.#since.getTime()) / 100) / 10;
    this.#since = undefined;
    this.#failures = 0;
    this.#log.info({ seconds }, "The engine answers again");
  }
}
