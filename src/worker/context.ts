import type { Client } from "../client/client.ts";
import { checkKnown } from "../client/known.ts";
import type { Logger } from "../client/observing.ts";
import type { AnyJobs, Registry } from "../client/registry.ts";
import {
  COMPLETION,
  type Completion,
  RETRY,
  type RetryOptions,
  type RunningJob,
} from "../client/running-job.ts";
import { type Checkin, Checkins, checkinOf } from "./checkins.ts";
import { completed, failed, retried } from "./outcome.ts";
import type { Run } from "./run.ts";

/** What a run's context needs of the worker it is run by. */
export interface Surroundings<Jobs extends Registry = AnyJobs> {
  client: Client<Jobs>;
  /** A logger of which every line names the job of the run. */
  logOf(run: Run): Logger;
  isStopping(): boolean;
  /** Hears of check-ins. */
  said?(checkin: Checkin): void;
}

/**
 * What a handler is given beside its job: how to stop, how to go on, and what to say meanwhile. Its
 * functions know their context, so that a handler may take out those it needs: `(job, { checkin })`.
 */
export class JobContext<Jobs extends Registry = AnyJobs> {
  readonly #run: Run;
  readonly #surroundings: Surroundings<Jobs>;
  #log: Logger | undefined;
  /** @internal Undefined for a run that has not checked in, as most have not. */
  checkins: Checkins | undefined;

  /** @internal */
  constructor(run: Run, surroundings: Surroundings<Jobs>) {
    this.#run = run;
    this.#surroundings = surroundings;
  }

  get job(): RunningJob<Jobs> {
    return this.#run.job as unknown as RunningJob<Jobs>;
  }

  /**
   * Aborted when the job is no longer to be run; its `reason` is a `RunAborted` that says why: the
   * lock was lost, the job canceled or moved, its cutoff reached, or the worker's grace is over.
   */
  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** Grows with each hand-out of the job: pass it on to guard your own writes. */
  get lease(): number {
    return this.#run.lease;
  }

  /** Whether the worker is about to stop: finish soon, or save what is done and return. */
  get isStopping(): boolean {
    return this.#surroundings.isStopping();
  }

  get client(): Client<Jobs> {
    return this.#surroundings.client;
  }

  /** A logger of which every line names the job. */
  get log(): Logger {
    this.#log ??= this.#surroundings.logOf(this.#run);
    return this.#log;
  }

  /** Renews the lock at once, and keeps new data with the job; the worker renews it anyway. */
  readonly heartbeat = async (data?: unknown): Promise<Date> => {
    const expires = await this.#run.job.heartbeat(data);
    this.#run.expires = expires.getTime();
    return expires;
  };

  /**
   * Reports how far the job is, for people to see, from 0 to 1 if that is known. It renews the lock,
   * is written into the job's history and announced as `progress`: at most once a second, and the
   * last one always. Returns whether the worker is about to stop.
   */
  readonly checkin = async (message: string, progress?: number): Promise<boolean> => {
    const checkin = checkinOf(message, progress);
    this.#run.checkin = checkin;
    this.#surroundings.said?.(checkin);
    this.checkins ??= new Checkins(this.#run);
    await this.checkins.add(checkin);
    return this.isStopping;
  };

  /** Says what becomes of the job when the handler has returned; without it, it is complete. */
  readonly complete = (completion: Completion = {}): void => {
    checkKnown("of complete", completion, COMPLETION);
    this.#run.outcome = completed(completion);
  };

  /** Says that the job is to fail for good when the handler has returned, in a group of failures. */
  readonly fail = (group: string, message: string): void => {
    this.#run.outcome = failed(group, message);
  };

  /** Says that the job is to be tried again when the handler has returned. */
  readonly retry = (options: RetryOptions = {}): void => {
    checkKnown("of retry", options, RETRY);
    this.#run.outcome = retried(options);
  };
}
