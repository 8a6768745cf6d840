/** A call that the connection may have to tell something. */
export interface Pending {
  /** Where the connection keeps it. */
  place: number;
  connected(): void;
  fail(error: Error): void;
  /** Ends it because the engine closes. */
  abort(): void;
}

/** How many calls may wait for a connection; further ones are turned away at once. */
export const MAX_WAITING = 10_000;

/** The calls of a connection that are not over, and those of them that wait until it is up. */
export class PendingCalls {
  readonly #all: Pending[] = [];
  readonly #waiting = new Set<Pending>();

  get all(): Pending[] {
    return [...this.#all];
  }

  get waiting(): Pending[] {
    return [...this.#waiting];
  }

  add(call: Pending): void {
    call.place = this.#all.push(call) - 1;
  }

  /**
   * Takes a call out; the last one gets its place. A Set throws tables away as it turns over, and
   * the garbage collector keeps what those hold: a third of the work for a call.
   */
  delete(call: Pending): void {
    const last = this.#all.pop();
    if (last !== undefined && last !== call) {
      this.#all[call.place] = last;
      last.place = call.place;
    }
    if (this.#waiting.size > 0) this.#waiting.delete(call);
  }

  /** Has a call wait; false if too many do. */
  wait(call: Pending): boolean {
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.add(call);
    return true;
  }

  /** Those that waited; none does any more. */
  takeWaiting(): Pending[] {
    const calls = this.waiting;
    this.#waiting.clear();
    return calls;
  }
}
