import { checkKnown, type Known } from "../client/known.ts";
import { type Backoff, backoffText } from "../client/put-options.ts";
import type { AnyJobs, Klass, Registry } from "../client/registry.ts";
import type { RunningJob } from "../client/running-job.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import { tried, valueText } from "./blame.ts";
import type { KlassFacts } from "./children/messages.ts";
import type { JobContext } from "./context.ts";
import type { Run } from "./run.ts";

/** What runs jobs of a klass. What it returns, if anything, becomes the job's data. */
export type Handler<Jobs extends Registry, K extends Klass<Jobs>, More = object> = (
  job: RunningJob<Jobs, K>,
  context: JobContext<Jobs> & More,
) => unknown;

/** A handler for each klass, or for some. */
export type Handlers<Jobs extends Registry, More = object> = {
  [K in Klass<Jobs>]?: Handler<Jobs, K, More>;
};

/**
 * Runs around handlers: does something, calls `next`, does something. What it gives to `next`
 * becomes part of the context of those inside.
 */
export type Middleware<Jobs extends Registry = AnyJobs, Has = object, Gives = object> = (
  context: JobContext<Jobs> & Has,
  next: (more?: Gives) => Promise<unknown>,
) => unknown;

/**
 * Returns how long to rest before the given retry, the first being 1. Undefined leaves it to the
 * backoff of the job or its queue.
 */
export type BackoffFunction = (
  attempt: number,
  error: unknown,
  job: RunningJob,
) => Duration | undefined | Promise<Duration | undefined>;

export interface KlassOptions<Jobs extends Registry = AnyJobs, More = object> {
  /** How often a job is tried again at most, if its own retries allow more. */
  retries?: number;
  /**
   * The rest before a retry, where neither the job nor its queue has a backoff; a function decides
   * always. `polynomial` is n to the fourth and some 15 seconds more, as gocraft/work has it.
   */
  backoff?: Backoff | string | "polynomial" | BackoffFunction;
  /**
   * How many jobs of the queue that is named after the klass may run at a time, in all workers
   * together: it becomes that queue's setting `max-concurrency`.
   */
  maxConcurrency?: number;
  /**
   * For the order `weighted`: the share of the queue that is named after the klass, from 1, which
   * is the default, to 100,000; what the worker's `weights` say of that queue goes before.
   */
  weight?: number;
  /** How long a run may last in this worker. */
  cutoff?: Duration;
  /** Jobs that have no retry left are kept in their group of failures, or canceled. */
  whenSpent?: "keep" | "discard";
  /** Runs around this handler alone, inside of what runs around all. */
  use?: readonly Middleware<Jobs, More>[];
}

export const KLASS_OPTIONS: Known<KlassOptions> = {
  ...{ retries: true, backoff: true, maxConcurrency: true, weight: true, cutoff: true },
  ...{ whenSpent: true, use: true },
};

/** A handler as the worker keeps it. */
export interface Entry {
  /** Runs a job of the klass, here or elsewhere. */
  call(run: Run, context: JobContext): unknown;
  options: KlassOptions;
  /** The backoff as a text of the core, where no function decides or its answer is of no use. */
  backoff: string;
}

/** What a job without a backoff rests, in a queue without one, run by a worker without one. */
const USUAL_BACKOFF = "exponential 1 cap 600 jitter 0.2";

export function entryOf(klass: string, handler: unknown, options: KlassOptions): Entry {
  if (typeof handler !== "function") {
    throw invalid(`The handler of ${JSON.stringify(klass)} must be a function`);
  }
  checkKnown(`of klass ${JSON.stringify(klass)}`, options, KLASS_OPTIONS);
  const { backoff = USUAL_BACKOFF, retries = 0, maxConcurrency = 1, cutoff } = options;
  if (!Number.isInteger(retries) || retries < 0) {
    throw invalid(`retries of ${klass} must be a whole number, 0 or more`);
  }
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1) {
    throw invalid(`maxConcurrency of ${klass} must be a whole number, 1 or more`);
  }
  // Found out by the first job, it would end the process.
  if (cutoff !== undefined) milliseconds(cutoff, `cutoff of ${klass}`);
  const isFunction = typeof backoff === "function" || backoff === "polynomial";
  const call = handler as Handler<AnyJobs, string>;
  return {
    call: (run, context) => call(run.job, context),
    options,
    backoff: isFunction ? USUAL_BACKOFF : backoffText(backoff),
  };
}

/** A klass whose handler is elsewhere, with what is known of it here. */
export function entryFrom(facts: KlassFacts, call: Entry["call"]): Entry {
  const { klass: _, cutoffMs: cutoff, backoff, ...rest } = facts;
  const said = Object.entries({ ...rest, cutoff });
  const options = Object.fromEntries(said.filter(([, value]) => value !== undefined));
  return { call, options, backoff };
}

/** The longest rest, 31 years: the core refuses longer ones. */
const MAX_REST_MS = 1e12;

/** The rest that a function of the klass decided on, or why its answer cannot be used. */
export interface Rest {
  ms?: number;
  fault?: string;
}

/** Whether a function decides on the rest before each retry. */
export function isDecided({ options: { backoff } }: Entry): boolean {
  return typeof backoff === "function" || backoff === "polynomial";
}

export async function restOf({ options }: Entry, error: unknown, job: RunningJob): Promise<Rest> {
  const { backoff } = options;
  const attempt = job.retries - job.remaining + 1;
  let answer: unknown;
  try {
    if (typeof backoff === "function") answer = await backoff(attempt, error, job);
    else answer = polynomialMs(attempt, Math.random());
  } catch (thrown) {
    return { fault: `threw ${valueText(thrown)}` };
  }
  if (answer === undefined) return {};
  const ms = tried(() => milliseconds(answer as Duration, "backoff"));
  return ms === undefined
    ? { fault: `returned ${shown(answer)}` }
    : { ms: Math.min(ms, MAX_REST_MS) };
}

/** A value that is no duration, for the message about it. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** The wait of gocraft/work before a retry, in milliseconds; `lot` is from 0 to 1. */
export function polynomialMs(attempt: number, lot: number): number {
  return (attempt ** 4 + 15 + Math.floor(lot * 30) * (attempt + 1)) * 1000;
}
