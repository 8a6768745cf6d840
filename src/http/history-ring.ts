/** What is kept of a queue for each step. */
export const SERIES = ["waiting", "running", "open", "completed", "failed"] as const;
export type Series = (typeof SERIES)[number];

/** How a queue was at one moment, and what ended in it since the last. */
export type Point = Readonly<Record<Series, number>>;

/** What ended is added up within a step; of the rest, the last look counts. */
const ADDED: ReadonlySet<Series> = new Set(["completed", "failed"]);

/** So much stands for a step of which nothing is known. */
const NOTHING = 0xff_ff_ff_ff;

/**
 * A stretch of time in equal steps, of which the last so many are kept: four bytes for each number,
 * whatever happens. A step that nobody looked at is told as null.
 */
export class HistoryRing {
  /** Seconds. */
  readonly step: number;
  readonly steps: number;
  readonly #cells: Uint32Array;
  /** The last step that was noted; steps are counted from 1970. */
  #last = Number.NEGATIVE_INFINITY;

  constructor(step: number, steps: number) {
    this.step = step;
    this.steps = steps;
    this.#cells = new Uint32Array(steps * SERIES.length).fill(NOTHING);
  }

  /** Notes a point at a moment, in seconds; one that is older than the last is passed over. */
  note(at: number, point: Point): void {
    const slot = Math.floor(at / this.step);
    if (slot < this.#last) return;
    this.#forget(slot);
    this.#last = slot;
    SERIES.forEach((name, i) => {
      const cell = this.#cell(slot, i);
      const before = this.#cells[cell]!;
      const value = ADDED.has(name) && before !== NOTHING ? before + point[name] : point[name];
      this.#cells[cell] = Math.min(value, NOTHING - 1);
    });
  }

  /** A series of all steps up to the one of that moment, the oldest first. */
  told(series: Series, now: number): (number | null)[] {
    const end = Math.floor(now / this.step);
    const i = SERIES.indexOf(series);
    return Array.from({ length: this.steps }, (_, back) => {
      const slot = end - this.steps + 1 + back;
      if (slot > this.#last || slot <= this.#last - this.steps) return null;
      const value = this.#cells[this.#cell(slot, i)]!;
      return value === NOTHING ? null : value;
    });
  }

  /** Clears the steps that come to lie between the last and this one. */
  #forget(slot: number): void {
    const first = Math.max(this.#last + 1, slot - this.steps + 1);
    for (let one = first; one <= slot; one++) {
      for (let i = 0; i < SERIES.length; i++) this.#cells[this.#cell(one, i)] = NOTHING;
    }
  }

  #cell(slot: number, series: number): number {
    return (slot % this.steps) * SERIES.length + series;
  }
}
