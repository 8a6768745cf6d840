import type { EngineClock } from "../client/engine-clock.ts";
import type { RunningJob } from "../client/running-job.ts";
import { Beats } from "./beats.ts";
import type { Crew } from "./crew.ts";
import { Held } from "./held.ts";
import { type Outcome, retried } from "./outcome.ts";
import { Run } from "./run.ts";
import { Turns } from "./turns.ts";

interface Told {
  over(run: Run, outcome: Outcome): void;
  /** A turn ends: what has ended in it is to be sent. */
  between(): void;
  /** Locks could not be renewed. */
  failed(error: unknown): void;
}

/** The jobs that a worker has in hand, and how many more it could have. */
export class Hands {
  /** Every run whose lock is to be renewed, until what became of it is answered. */
  readonly held = new Held();
  readonly beats: Beats;
  readonly turns: Turns;
  readonly #crew: Crew;
  readonly #over: (run: Run, outcome: Outcome) => void;
  /** Runs whose handlers are at work, and jobs that were asked for. */
  #active = 0;
  #asked = 0;
  #isClosing = false;

  constructor(crew: Crew, clock: EngineClock, { over, between, failed }: Told) {
    this.#crew = crew;
    this.#over = over;
    this.turns = new Turns(between, crew.calls.engine);
    const { calls, name: worker } = crew;
    this.beats = new Beats({ calls, worker, clock, runs: this.held, failed });
  }

  get active(): number {
    return this.#active;
  }

  /** How many jobs were asked for that have not come yet. */
  get asked(): number {
    return this.#asked;
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
  take(jobs: readonly RunningJob[], asked: number): void {
    this.#asked -= asked;
    const runs = jobs.map((job) => this.#hold(job));
    const first = this.#shareOf(runs.length);
    for (let i = 0; i < first; i++) this.#begin(runs[i]!);
    if (first === runs.length) return;
    this.turns.next().then(() => {
      for (const run of runs.slice(first)) this.#begin(run);
    });
  }

  /**
   * How many of those that came are begun in this turn, and so end in one call: half of what it has
   * hands for, if that is many, so that there is another call for the other half.
   */
  #shareOf(count: number): number {
    return count < 2 * this.turns.many
      ? count
      : Math.min(count, Math.ceil(this.#crew.capacity / 2));
  }

  /** Begins nothing any more: what comes is given back. */
  close(): void {
    this.#isClosing = true;
  }

  /** Tells all that run to stop. */
  abort(): void {
    for (const run of this.held) run.abort("STOPPING");
  }

  /** Has it found out whether a lock is lost, as somebody says. */
  doubt(jid: string, isMoved: boolean): void {
    for (const run of this.held) if (run.jid === jid) run.isMoved ||= isMoved;
    this.beats.now(jid);
  }

  cancel(jid: string): void {
    for (const run of this.held) if (run.jid === jid) run.lose("CANCELED");
  }

  /** Gives up whatever is still in hand, and tells which jobs that were. */
  letGo(): string[] {
    const left = [...this.held].filter(({ isLost }) => !isLost);
    for (const run of left) run.lose("LOCK_LOST");
    return left.map(({ jid }) => jid);
  }

  #hold(job: RunningJob): Run {
    const run = new Run(job);
    this.held.add(run);
    this.#active += 1;
    this.beats.add(run);
    return run;
  }

  #begin(run: Run): void {
    const over = (outcome: Outcome) => {
      this.#active -= 1;
      this.#over(run, outcome);
    };
    // To retry a job the core would read what is damaged of it; it fails at once anyway.
    if (this.#isClosing && run.job.damage === undefined) over(retried({ delay: 0, spend: false }));
    else this.#crew.perform(run).then(over);
  }
}
