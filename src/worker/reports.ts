import type { QueueCounts } from "../client/queue-types.ts";
import type { RunningJob } from "../client/running-job.ts";

/** The events of a worker, with the arguments of their listeners. */
export interface WorkerEvents {
  /** A job is complete, or has gone on to its next queue: its new state is told. */
  completed: [job: RunningJob, state: string];
  /** A job failed for good. */
  failed: [job: RunningJob];
  /** A job will be tried again; so many retries are left. */
  retried: [job: RunningJob, left: number];
  /** A job's lock was lost, so that its outcome counts for nothing. */
  lost: [job: RunningJob];
  /** A job was given back, since no handler is there for its klass; told once for a klass. */
  unhandled: [klass: string];
  /**
   * A listener of the named event threw this, or returned a promise that rejected with it. Without a
   * listener of its own, it is logged.
   */
  error: [error: unknown, event: string];
}

export interface StopReport {
  /** Jobs that were still running when the grace was over; others may take them now. */
  left: string[];
}

export interface DrainReport {
  /** Whether nothing was left that could be run. */
  isEmpty: boolean;
  /** What is in each queue now: jobs that wait for their time or for others, and what came since. */
  left: Record<string, QueueCounts>;
}
