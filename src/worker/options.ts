import { steady } from "../client/faults.ts";
import { checkKnown, type Known } from "../client/known.ts";
import type { Logger } from "../client/observing.ts";
import type { AnyJobs, Registry } from "../client/registry.ts";
import type { RunningJob } from "../client/running-job.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import {
  type ChildrenOptions,
  MODELS,
  type Model,
  type SettledChildren,
  settledChildren,
  usualConcurrency,
} from "./children/options.ts";
import type { Order } from "./order.ts";

export interface WorkerOptions<Jobs extends Registry = AnyJobs, More extends object = object> {
  /** Where to take jobs from, at most 1,000 queues. */
  queues: string | readonly string[];
  /**
   * How many jobs run at a time, in this process or in each child; default 10, for threads 1. With
   * `process-per-job`: how many processes; default: as many as the machine has cores.
   */
  concurrency?: number;
  /** Where handlers run: `coroutines` in this process, the default, or in children of it. */
  model?: Model;
  /** With children: the folder of their jobs, or one module; see docs/guides/workers.md. */
  jobs?: string | URL;
  children?: ChildrenOptions;
  /** From which of several queues it takes the next; default `ordered`. */
  order?: Order;
  /** For the order `weighted`: weights from 1, which is the default, to 100,000, by queue. */
  weights?: Readonly<Record<string, number>>;
  /** Its name; left out, one that no other has. Two workers of one name share their locks. */
  name?: string;
  /** Makes what every handler finds in its context: a database, a mailer. Called for each run. */
  context?: (job: RunningJob<Jobs>) => More | Promise<More>;
  /** How long a stop lets jobs run on; default 25 s. */
  grace?: Duration;
  /** Hears what happens; a pino logger fits. Silent by default. */
  logger?: Logger;
}

const KNOWN: Known<WorkerOptions> = {
  ...{ queues: true, concurrency: true, model: true, jobs: true, children: true, order: true },
  ...{ weights: true, name: true, context: true, grace: true, logger: true },
};

/** The options as the worker goes by them. */
export interface Settled<Jobs extends Registry, More extends object> {
  queues: readonly string[];
  model: Model;
  jobs: string | URL | undefined;
  /** How jobs run in children; undefined when they run here. */
  children: SettledChildren | undefined;
  concurrency: number;
  order: Order;
  weights: Readonly<Record<string, number>>;
  context: ((job: RunningJob<Jobs>) => More | Promise<More>) | undefined;
  grace: Duration;
  log: Logger;
  /** The same, but undefined where the user gave none. */
  logger: Logger | undefined;
}

const MAX_CONCURRENCY = 10_000;
const MAX_QUEUES = 1000;

export function checkedOptions<Jobs extends Registry, More extends object>(
  options: WorkerOptions<Jobs, More>,
): Settled<Jobs, More> {
  checkKnown("of a worker", options ?? {}, KNOWN);
  const { model = "coroutines", order = "ordered", weights = {}, grace = "25s" } = options ?? {};
  if (!MODELS.includes(model)) throw invalid(`model must be one of ${MODELS.join(", ")}`);
  const { concurrency = usualConcurrency(model) } = options ?? {};
  const queues = [...new Set([options?.queues ?? []].flat())];
  if (queues.length === 0) throw invalid("A worker needs queues: { queues: ['emails'] }");
  if (queues.length > MAX_QUEUES) throw invalid(`A worker takes from at most ${MAX_QUEUES} queues`);
  // The engine would refuse each call, again and again, and nobody would be told why at the start.
  if (!queues.every(isName)) throw invalid(`queues must be names ${OF_NAMES}`);
  if (options.name !== undefined && !isName(options.name)) {
    throw invalid(`name must be a text ${OF_NAMES}`);
  }
  checkedConcurrency(concurrency);
  for (const queue of Object.keys(weights)) {
    if (!queues.includes(queue)) throw invalid(`There is a weight for ${queue}, which is no queue`);
  }
  milliseconds(grace, "grace");
  const { context, jobs } = options;
  const logger = options.logger && steady(options.logger);
  const children = childrenOf(model, concurrency, options as WorkerOptions);
  const log = logger ?? SILENT;
  return {
    queues,
    model,
    jobs,
    children,
    concurrency,
    order,
    weights,
    context,
    grace,
    log,
    logger,
  };
}

function childrenOf(
  model: Model,
  concurrency: number,
  { jobs, children, context }: WorkerOptions,
): SettledChildren | undefined {
  if (model === "coroutines") {
    if (jobs === undefined && children === undefined) return undefined;
    const others = MODELS.filter((other) => other !== model).join(", ");
    throw invalid(`jobs and children are for handlers elsewhere: say a model too (${others})`);
  }
  if (jobs === undefined) {
    throw invalid(`The model ${model} needs jobs: the folder of modules that children load`);
  }
  if (context !== undefined) {
    throw invalid(
      `What context makes stays in this process, and with the model ${model} handlers are ` +
        "elsewhere: let their modules make it, in options.use",
    );
  }
  return settledChildren(model, concurrency, children);
}

export function checkedConcurrency(most: number): number {
  if (Number.isInteger(most) && most >= 1 && most <= MAX_CONCURRENCY) return most;
  throw invalid(`concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}`);
}

const OF_NAMES = "of 1 to 255 bytes without control characters";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f]/;

function isName(name: unknown): boolean {
  if (typeof name !== "string" || name === "" || !name.isWellFormed()) return false;
  return Buffer.byteLength(name) <= 255 && !CONTROL.test(name);
}

const nothing = () => {};
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
