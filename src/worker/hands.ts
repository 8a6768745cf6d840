import type { RunningJob } from "../client/running-job.ts";
import { Beats } from "./beats.ts";
import type { Crew } from "./crew.ts";
import { type Outcome, retried } from "./outcome.ts";
import { Run } from "./run.ts";

/** So many jobs and more are worth a call of their own: while it is answered, others are run. */
const MANY = 4;

/** The jobs that a worker has in hand, and how many more it could have. */
export class Hands {
  /** Every run whose lock is to be renewed, by its lease: also those that ended and are not sent. */
  readonly held = new Map<number, Run>();
  readonly beats: Beats;
  readonly #crew: Crew;
  readonly #over: (run: Run, outcome: Outcome) => void;
  /** Runs whose handlers are at work, and jobs that were asked for. */
  #active = 0;
  #asked = 0;
  /** Whether many were begun in this turn of the event loop. */
  #hasBegunMany = false;
  #isClosing = false;

  constructor(
    crew: Crew,
    over: (run: Run, outcome: Outcome) => void,
    failed: (error: unknown) => void,
  ) {
    this.#crew = crew;
    this.#over = over;
    this.beats = new Beats({ calls: crew.calls, worker: crew.name, runs: this.held, failed });
  }

  get active(): number {
    return this.#active;
  }

  /** How many more jobs it can take. */
  get free(): number {
    return this.#isClosing ? 0 : this.#crew.capacity - this.#active - this.#asked;
  }

  /** Keeps hands free for jobs that are asked for, until they come or not. */
  ask(count: number): void {
    this.#asked += count;
  }

  /** Takes what came of those that were asked for, and begins to run them. */
  take(jobs: readonly RunningJob[], asked: number, between: () => void): void {
    this.#asked -= asked;
    const runs = jobs.map((job) => this.#hold(job));
    const first = this.#shareOf(runs.length);
    for (const run of runs.slice(0, first)) this.#begin(run);
    if (first === runs.length) return;
    setImmediate(() => {
      between();
      for (const run of runs.slice(first)) this.#begin(run);
    });
  }

  /**
   * How many of those that came are begun in this turn, and so end in one call: a half if both halves
   * are many, and none after many that came with another answer. The rest wait for the next turn:
   * calls that once went together would be answered together, and neither would overlap the other.
   */
  #shareOf(count: number): number {
    if (count < MANY) return count;
    if (this.#hasBegunMany) return 0;
    this.#hasBegunMany = true;
    setImmediate(() => {
      this.#hasBegunMany = false;
    });
    return count < 2 * MANY ? count : Math.ceil(count / 2);
  }

  /** Begins nothing any more: what comes is given back. */
  close(): void {
    this.#isClosing = true;
  }

  /** Tells all that run to stop. */
  abort(): void {
    for (const run of this.held.values()) run.abort("STOPPING");
  }

  /** Has it found out whether a lock is lost, as somebody says. */
  doubt(jid: string, isMoved: boolean): void {
    for (const run of this.held.values()) if (run.job.jid === jid) run.isMoved ||= isMoved;
    this.beats.now(jid);
  }

  cancel(jid: string): void {
    for (const run of this.held.values()) if (run.job.jid === jid) run.lose("CANCELED");
  }

  /** Gives up whatever is still in hand, and tells which jobs that were. */
  letGo(): string[] {
    const left = [...this.held.values()].filter(({ isLost }) => !isLost);
    for (const run of left) run.lose("LOCK_LOST");
    return left.map(({ job }) => job.jid);
  }

  #hold(job: RunningJob): Run {
    const run = new Run(job);
    this.held.set(job.lease, run);
    this.#active += 1;
    this.beats.add(run);
    return run;
  }

  #begin(run: Run): void {
    const over = (outcome: Outcome) => {
      this.#active -= 1;
      this.#over(run, outcome);
    };
    if (this.#isClosing) over(retried({ delay: 0, spend: false }));
    else this.#crew.perform(run).then(over);
  }
}
