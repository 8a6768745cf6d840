import type { Logger } from "../client/observing.ts";
import type { RunningJob } from "../client/running-job.ts";
import type { Worker } from "../worker/worker.ts";

/** Counts what became of jobs, and logs each. */
export class Tally {
  readonly counts = { completed: 0, retried: 0, failed: 0, lost: 0 };
  readonly #log: Logger;
  /** What handlers threw, until the engine has said what comes of it. */
  readonly #thrown = new WeakMap<RunningJob, unknown>();

  constructor(worker: Worker, log: Logger) {
    this.#log = log;
    worker.use(async ({ job }, next) => {
      try {
        await next();
      } catch (error) {
        this.#thrown.set(job, error);
        throw error;
      }
    });
    worker.on("completed", (job, state) => {
      this.counts.completed += 1;
      log.info({ ...factsOf(job), state }, "Job complete");
    });
    worker.on("retried", (job, left) => {
      // One that no handler is there for has not run.
      if (worker.klasses.includes(job.klass)) this.#retried(job, left);
    });
    worker.on("failed", (job) => {
      this.counts.failed += 1;
      log.error(this.#factsOf(job), "Job failed");
    });
    // The worker says itself what happened.
    worker.on("lost", () => {
      this.counts.lost += 1;
    });
  }

  #retried(job: RunningJob, left: number): void {
    this.counts.retried += 1;
    this.#log.warn({ ...this.#factsOf(job), left }, "Job will be tried again");
  }

  #factsOf(job: RunningJob): object {
    const err = this.#thrown.get(job);
    return err === undefined ? factsOf(job) : { ...factsOf(job), err };
  }
}

const factsOf = ({ jid, klass, queue }: RunningJob) => ({ jid, klass, queue });
