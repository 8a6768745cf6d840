import type { Calls } from "../client/calls.ts";
import type { Logger } from "../client/observing.ts";
import type { Outcome } from "./outcome.ts";
import type { Run } from "./run.ts";

/** What a shift knows of the worker whose it is. */
export interface Crew {
  readonly calls: Calls;
  /** The worker's name, under which it holds jobs. */
  readonly name: string;
  readonly queues: readonly string[];
  /** How many jobs can be in hand at this moment. */
  readonly capacity: number;
  readonly log: Logger;
  /** Runs a job, and says what becomes of it; it never fails. */
  perform(run: Run): Promise<Outcome>;
  /** Hears what an outcome came to: a state, or for a retry how many are left. */
  ended(run: Run, outcome: Outcome, answer: string): void;
  /** Hears of a run whose lock was lost, so that its outcome counts for nothing. */
  lost(run: Run): void;
}
