/** The callers that wait until the worker has nothing left to do. */
export class Quiet {
  readonly #waiting = new Set<() => void>();
  /** Whether outcomes that may have freed jobs were sent since all queues were last looked at. */
  #mayHaveFreed = false;

  comes(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  outcomesSent(): void {
    this.#mayHaveFreed = true;
  }

  /**
   * Whether all queues must be looked at once more, after which this is false: the call that brought
   * the last outcomes took jobs before it freed those that depended on them.
   */
  takeDoubt(): boolean {
    const isDoubtful = this.#mayHaveFreed && this.#waiting.size > 0;
    if (isDoubtful) this.#mayHaveFreed = false;
    return isDoubtful;
  }

  tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
