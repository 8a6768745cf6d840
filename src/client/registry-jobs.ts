import type { Job } from "./job.ts";
import type { PutOptions } from "./put-options.ts";
import type { Input, Klass, Registry } from "./registry.ts";
import type { RunningJob } from "./running-job.ts";

/** A job of any klass of the registry: where `klass` is known, so is the type of `data`. */
export type AnyJob<Jobs extends Registry> = { [K in Klass<Jobs>]: Job<Jobs, K> }[Klass<Jobs>];

/** As `AnyJob`, for jobs that were handed out. */
export type AnyRunningJob<Jobs extends Registry> = {
  [K in Klass<Jobs>]: RunningJob<Jobs, K>;
}[Klass<Jobs>];

/** One of several jobs to be put: klass, data and the options of put. */
export type ManyJobs<Jobs extends Registry> = {
  [K in Klass<Jobs>]: { klass: K; data: Input<Jobs, K> } & Omit<PutOptions, "signal" | "timeout">;
}[Klass<Jobs>];
