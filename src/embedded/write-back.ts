/**
 * What was read from the file and is written back when the transaction ends.
 *
 * The calls of one transaction mostly share their queue, its statistics and its worker, so these
 * are written once and not once per call. What is kept stays good for the next transaction, until
 * another connection has written or one of ours was rolled back: then `forget` must be called.
 */

/** How many entries stay in memory from one transaction to the next. */
const KEPT = 1000;

export interface Entry {
  changed: boolean;
}

/** How entries come from the file and go back. */
export interface Shelf<E extends Entry> {
  read(key: string): E;
  write(entry: E): void;
}

export class WriteBack<E extends Entry> {
  readonly #shelf: Shelf<E>;
  readonly #kept = new Map<string, E>();
  readonly #changed: E[] = [];

  constructor(shelf: Shelf<E>) {
    this.#shelf = shelf;
  }

  /** The entry of that key, of which there is one, be it in the file or not. */
  get(key: string): E {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const entry = this.#shelf.read(key);
    this.#kept.set(key, entry);
    return entry;
  }

  /** Notes that the entry must be written. */
  change(entry: E): void {
    if (entry.changed) return;
    entry.changed = true;
    this.#changed.push(entry);
  }

  /** Writes what has changed. */
  flush(): void {
    for (const entry of this.#changed) {
      entry.changed = false;
      this.#shelf.write(entry);
    }
    this.#changed.length = 0;
  }

  /** Lets go of everything when it has become too much; only after `flush`. */
  trim(): void {
    if (this.#kept.size > KEPT) this.#kept.clear();
  }

  /** Lets go of everything, changed or not. */
  forget(): void {
    this.#kept.clear();
    this.#changed.length = 0;
  }
}
