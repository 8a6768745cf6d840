/** Leases of an example, which differ from run to run: the documents show those of one run. */
export class ExampleLeases {
  /** The real lease of each that the document shows. */
  readonly #real = new Map<string, string>();

  /** The text of the document with the leases of this run, as far as they are known. */
  inText(text: string): string {
    let replaced = text;
    for (const [shown, real] of this.#real) replaced = replaced.replaceAll(shown, real);
    return replaced;
  }

  /** Learns from an answer which lease stands for the one that the document shows there. */
  learn(shown: string, answer: string): void {
    const [of, real] = [shown, answer].map((json) => /"lease": ?(\d+)/.exec(json)?.[1]);
    if (of !== undefined && real !== undefined) this.#real.set(of, real);
  }
}
