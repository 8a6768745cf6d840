import type { Run } from "./run.ts";

/**
 * The runs whose locks are to be renewed. A Map throws tables away as it turns over, which is one of
 * the larger costs of a job that does nothing; here the last one takes the place of one that goes.
 */
export class Held implements Iterable<Run> {
  readonly #runs: Run[] = [];

  add(run: Run): void {
    run.place = this.#runs.push(run) - 1;
  }

  delete(run: Run): void {
    const { place } = run;
    if (this.#runs[place] !== run) return;
    const last = this.#runs.pop()!;
    if (last === run) return;
    this.#runs[place] = last;
    last.place = place;
  }

  [Symbol.iterator](): Iterator<Run> {
    return this.#runs.values();
  }
}
