import type { Engine } from "../engine.ts";

/** So many jobs and more are worth a call of their own: while it is answered, others are run. */
const MANY = 4;

/**
 * Keeps apart what brings many jobs, one such thing in a turn of the event loop: what one turn leads
 * to leaves before the next begins. Calls that leave together are read and answered together, and
 * then neither overlaps the other; so do those that leave soon after, before the server is awake.
 */
export class Turns {
  /** How many jobs are worth a call of their own: none where nothing is done beside a call. */
  readonly many: number;
  readonly #between: () => void;
  #isTaken = false;

  /** What has ended is sent by `between`. */
  constructor(between: () => void, { isInThread = false }: Pick<Engine, "isInThread">) {
    this.many = isInThread ? Number.POSITIVE_INFINITY : MANY;
    this.#between = between;
  }

  /** Waits for a turn that nobody has taken, and takes it. */
  async own(): Promise<void> {
    while (this.#isTaken) await this.next();
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = false;
    });
  }

  /** Waits for the next turn, and has sent what has ended until then. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#between();
        resolve();
      });
    });
  }
}
