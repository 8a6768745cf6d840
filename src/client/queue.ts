import { type CallLimits, LIMITS } from "./calls.ts";
import { engineTime } from "./engine-time.ts";
import { Job } from "./job.ts";
import type { JobJson } from "./job-json.ts";
import { checkKnown, type Known } from "./known.ts";
import type { Parts } from "./parts.ts";
import type { PutResult } from "./put-batch.ts";
import type { PutOptions } from "./put-options.ts";
import { putAll, putOne } from "./putting.ts";
import {
  type CountsJson,
  type Page,
  type PauseOptions,
  type QueueCounts,
  type QueueStatistics,
  type StatisticsJson,
  timesFrom,
} from "./queue-types.ts";
import type { AnyJobs, Input, Klass, Registry } from "./registry.ts";
import type { AnyJob, AnyRunningJob, ManyJobs } from "./registry-jobs.ts";
import { takenFrom } from "./taken.ts";
import { invalid, type Moment, momentMs, momentOf, seconds } from "./times.ts";

/** States that a queue's jobs can be listed by; for failed and completed ones see the client. */
export type ListedState = "waiting" | "running" | "stalled" | "scheduled" | "depends" | "recurring";

/** A queue: a stage that jobs wait in and run in. It exists from the first put into it. */
export class Queue<Jobs extends Registry = AnyJobs> {
  readonly name: string;
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts, name: string) {
    this.#parts = parts;
    this.name = name;
  }

  /** Puts a job into this queue. */
  put<K extends Klass<Jobs>>(
    klass: K,
    data: Input<Jobs, K>,
    options?: PutOptions,
  ): Promise<PutResult> {
    return putOne(this.#parts, { klass, data, queue: this.name }, options);
  }

  /** Puts up to 1,000 jobs in one step: all of them, or none. */
  putMany(jobs: readonly ManyJobs<Jobs>[]): Promise<PutResult[]> {
    return putAll(this.#parts, jobs, this.name);
  }

  /** Takes jobs to run, each under a lock in the worker's name. */
  pop(options?: PopOptions): Promise<AnyRunningJob<Jobs>[]> {
    return popFrom(this.#parts, [this.name], options);
  }

  /** The jobs that would be handed out next, without taking them. */
  async peek(count = 1, limits?: CallLimits): Promise<AnyJob<Jobs>[]> {
    const { calls } = this.#parts;
    const shown = await calls.json<JobJson[]>("peek", [this.name, count], limits);
    return shown.map((json) => new Job(this.#parts, json) as AnyJob<Jobs>);
  }

  async counts(limits?: CallLimits): Promise<QueueCounts> {
    return countsFrom(await this.#parts.calls.json<CountsJson>("queues", [this.name], limits));
  }

  /** How many jobs wait, run or are scheduled. */
  async length(limits?: CallLimits): Promise<number> {
    return (await this.#parts.calls.read("length", [this.name], limits)) as number;
  }

  /** Jids of the queue's jobs in one state, page by page. */
  async jobs(state: ListedState, page: Page = {}, limits?: CallLimits): Promise<string[]> {
    checkKnown("of a page", page, PAGE);
    const { offset = 0, count = 25 } = page;
    const words = [state, this.name, offset, count];
    return (await this.#parts.calls.read("jobs", words, limits)) as string[];
  }

  /** What happened on the day of that moment (UTC); left out, today. */
  async statistics(day?: Moment, limits?: CallLimits): Promise<QueueStatistics> {
    const { calls } = this.#parts;
    const moment = day ?? (await engineTime(calls, limits));
    const words = [this.name, momentMs(moment, "day") / 1000];
    const json = await calls.json<StatisticsJson>("stats", words, limits);
    return { ...json, wait: timesFrom(json.wait), run: timesFrom(json.run) };
  }

  /** Lets nobody take jobs from this queue until it is unpaused or the time is over. */
  async pause(options: PauseOptions = {}, limits?: CallLimits): Promise<void> {
    checkKnown("of a pause", options, PAUSE);
    const { reason, until } = options;
    if (options.for !== undefined && until !== undefined) throw invalid("Use for or until");
    const words: (string | number)[] = [this.name];
    if (reason !== undefined) words.push("reason", reason);
    if (until !== undefined) words.push("until", momentMs(until, "until") / 1000);
    const { calls } = this.#parts;
    if (options.for !== undefined) {
      const ms = seconds(options.for, "for") * 1000;
      words.push("until", ((await engineTime(calls, limits)).getTime() + ms) / 1000);
    }
    await calls.write("queue.pause", words, limits);
  }

  async unpause(limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("unpause", [this.name], limits);
  }

  /** Takes an empty queue off the list, until something is put into it again. */
  async forget(limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("queue.forget", [this.name], limits);
  }
}

export interface PopOptions extends CallLimits {
  /** Who takes the jobs; default: the client's name. */
  worker?: string | undefined;
  /** How many at most; default 1. */
  count?: number | undefined;
}

const POP: Known<PopOptions> = { worker: true, count: true, ...LIMITS };
const PAUSE: Known<PauseOptions> = { reason: true, for: true, until: true };
const PAGE: Known<Page> = { offset: true, count: true };

/** @internal Takes jobs from queues in their order, until there are enough. */
export async function popFrom<Jobs extends Registry>(
  { calls }: Parts,
  [first, ...others]: readonly string[],
  options: PopOptions = {},
): Promise<AnyRunningJob<Jobs>[]> {
  if (first === undefined) return [];
  checkKnown("of pop", options, POP);
  const { worker = calls.name, count = 1, ...limits } = options;
  const also = others.length === 0 ? [] : ["also", JSON.stringify(others)];
  const popped = await calls.write("pop", [first, worker, count, ...also], limits);
  return takenFrom(calls, worker, popped as string[]);
}

/** @internal */
export function countsFrom(json: CountsJson): QueueCounts {
  const { next_since, paused_reason, paused_until, ...counts } = json;
  const since = momentOf(next_since);
  const until = momentOf(paused_until);
  return {
    ...counts,
    ...(since && { nextSince: since }),
    ...(paused_reason && { pausedReason: paused_reason }),
    ...(until && { pausedUntil: until }),
  };
}
