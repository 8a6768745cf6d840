import { sleep, startTimer } from "../timers.ts";

/** A longer rest each time that a ring came to nothing, in milliseconds. */
const FIRST_REST_MS = 5;
const LAST_REST_MS = 250;

/** A request that waits for jobs of some queues. */
export class Poll {
  readonly queues: readonly string[];
  readonly #signal: AbortSignal;
  readonly #until: number;
  #isRung = false;
  #isEnded = false;
  #inVain = 0;
  #wake: (() => void) | undefined;

  constructor(queues: readonly string[], ms: number, signal: AbortSignal) {
    this.queues = queues;
    this.#until = performance.now() + ms;
    this.#signal = signal;
    signal.addEventListener("abort", this.#end);
  }

  get isRung(): boolean {
    return this.#isRung;
  }

  /** Whether nobody is there any more to take what it would get. */
  get isUnwanted(): boolean {
    return this.#isEnded || this.#signal.aborted;
  }

  /** Whether it has waited for as long as it may. */
  get isOver(): boolean {
    return this.isUnwanted || performance.now() >= this.#until;
  }

  /** It takes what there is; tells whether it does so because it was rung. */
  begin(): boolean {
    const wasRung = this.#isRung;
    this.#isRung = false;
    return wasRung;
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** Waits until it is rung, for so long at most; after a ring that came to nothing, a little at least. */
  async rung(ms: number, inVain: boolean): Promise<void> {
    this.#inVain = inVain ? this.#inVain + 1 : 0;
    if (this.#inVain > 1) await this.#rest();
    if (this.#isRung || this.isOver) return;
    await this.#sleep(Math.min(ms, this.#until - performance.now()));
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#end);
  }

  #rest(): Promise<void> {
    const ms = Math.min(FIRST_REST_MS * 2 ** Math.min(this.#inVain, 10), LAST_REST_MS);
    return sleep(ms);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = startTimer(resolve, Math.max(ms, 0));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  readonly #end = () => this.end();
}
