import { availableParallelism } from "node:os";
import { unknownOption } from "../../client/nearest.ts";
import { type Duration, invalid, milliseconds } from "../../client/times.ts";

/** Where handlers run: in this process, or in children that it looks after. */
export const MODELS = ["coroutines", "processes", "process-per-job", "threads"] as const;
export type Model = (typeof MODELS)[number];

export interface ChildrenOptions {
  /** How many there are; default: as many as the machine has cores. Not for `process-per-job`. */
  count?: number;
  /** A child is replaced when it has run so many jobs. */
  maxJobs?: number;
  /** A child that holds more megabytes than this takes no more jobs, and is replaced. */
  maxMemory?: number;
  /**
   * Variables of the environment that children see beside the usual harmless ones: `AWS_REGION`, or
   * `AWS_*` for all that begin so, or `*` for all.
   */
  env?: readonly string[];
  /** Where their working folders are made; default: where the system keeps temporary files. */
  folder?: string;
  /**
   * How long a child is given to end a run that is to end, before it is told to end itself, and
   * again before it is killed; default 5 s.
   */
  patience?: Duration;
  /**
   * The lock of a job that blocks its child's event loop is renewed all the same (`keep`, the
   * default), or lost like that of a worker that is dead (`lose`).
   */
  whenBlocked?: "keep" | "lose";
}

/** The options as a pool goes by them. */
export interface SettledChildren {
  model: Exclude<Model, "coroutines">;
  count: number;
  /** Jobs that one child runs at a time. */
  concurrency: number;
  maxJobs: number;
  maxMemory: number;
  env: readonly string[];
  folder: string | undefined;
  patienceMs: number;
  whenBlocked: "keep" | "lose";
}

const MAX_CHILDREN = 256;
const KEYS = [
  "count",
  "maxJobs",
  "maxMemory",
  "env",
  "folder",
  "patience",
  "whenBlocked",
] as const satisfies readonly (keyof ChildrenOptions)[];

/** Jobs that run at a time, in this process or in each child, where nobody says how many. */
export function usualConcurrency(model: Model): number {
  if (model === "threads") return 1;
  return model === "process-per-job" ? availableParallelism() : 10;
}

/** The options of children, checked; `concurrency` is the worker's. */
export function settledChildren(
  model: Exclude<Model, "coroutines">,
  concurrency: number,
  options: ChildrenOptions = {},
): SettledChildren {
  checkKeys(options);
  const { maxJobs = Number.POSITIVE_INFINITY, maxMemory = Number.POSITIVE_INFINITY } = options;
  const { env = [], folder, patience = "5s", whenBlocked = "keep" } = options;
  if (!Array.isArray(env) || !env.every((name) => typeof name === "string" && name !== "")) {
    throw invalid('children.env must be a list of names, such as ["AWS_REGION", "DB_*"]');
  }
  if (whenBlocked !== "keep" && whenBlocked !== "lose") {
    throw invalid("children.whenBlocked must be keep or lose");
  }
  const isPerJob = model === "process-per-job";
  if (isPerJob && (options.count !== undefined || options.maxJobs !== undefined)) {
    throw invalid(
      "With process-per-job there is a process for each job, and `concurrency` says how many run " +
        "at a time: leave out children.count and children.maxJobs",
    );
  }
  const count = isPerJob ? concurrency : (options.count ?? availableParallelism());
  checkWhole("count", count, MAX_CHILDREN);
  if (options.maxJobs !== undefined) checkWhole("maxJobs", maxJobs, 1e9);
  if (options.maxMemory !== undefined) checkWhole("maxMemory", maxMemory, 1e6);
  return {
    model,
    count,
    concurrency: isPerJob ? 1 : concurrency,
    maxJobs: isPerJob ? 1 : maxJobs,
    maxMemory,
    env,
    folder,
    patienceMs: milliseconds(patience, "children.patience"),
    whenBlocked,
  };
}

function checkKeys(options: ChildrenOptions): void {
  for (const key of Object.keys(options)) {
    if (!(KEYS as readonly string[]).includes(key)) {
      throw invalid(unknownOption("of children", key, KEYS));
    }
  }
}

function checkWhole(name: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw invalid(`children.${name} must be a whole number from 1 to ${most}`);
}
