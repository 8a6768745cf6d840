import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Engine } from "../engine.ts";
import { type CallLimits, Calls } from "./calls.ts";
import { CLIENT_OPTIONS, type ClientOptions } from "./client-options.ts";
import { Config } from "./config.ts";
import { Events } from "./events.ts";
import { type Explanation, explain } from "./explain.ts";
import { Failures } from "./failures.ts";
import { steady } from "./faults.ts";
import { Job } from "./job.ts";
import type { JobJson } from "./job-json.ts";
import { checkKnown } from "./known.ts";
import { Maintenance } from "./maintenance.ts";
import { type Answer, answerFrom } from "./moving.ts";
import type { Parts } from "./parts.ts";
import { PutBatch, type PutResult } from "./put-batch.ts";
import type { PutOptions } from "./put-options.ts";
import { putAll, putOne } from "./putting.ts";
import { countsFrom, type PopOptions, popFrom, Queue } from "./queue.ts";
import type { CountsJson, Page, QueueCounts } from "./queue-types.ts";
import { RecurringJobs } from "./recurring.ts";
import { type AnyJobs, checkedData, type Input, type Klass, type Registry } from "./registry.ts";
import type { AnyJob, AnyRunningJob, ManyJobs } from "./registry-jobs.ts";
import { Schedules } from "./schedules.ts";
import { type Criteria, Search } from "./search.ts";
import type { Duration } from "./times.ts";
import { endOf, type WaitOptions } from "./waiting.ts";
import { Workers } from "./workers.ts";
import { type Beat, beatAll, type Finished, finishAll, type Outcome } from "./working.ts";

/** How a job ended, and the job if it is still there. */
export type Ended<Jobs extends Registry> =
  | { state: "complete" | "failed"; job: AnyJob<Jobs> }
  | { state: "gone"; job?: undefined };

interface TrackedJson {
  jobs: JobJson[];
  expired: string[];
}

/** A queue system on one engine and in one namespace: everything begins here. */
export class Client<Jobs extends Registry = AnyJobs> implements AsyncDisposable {
  readonly engine: Engine;
  readonly name: string;
  /** What happens, as it happens. */
  readonly events: Events;
  readonly failures: Failures;
  readonly workers: Workers;
  readonly config: Config;
  /** Jobs that are put again and again at an interval. */
  readonly recurring: RecurringJobs<Jobs>;
  /** Jobs by the calendar. */
  readonly schedules: Schedules<Jobs>;
  /** Checking, mending and housekeeping. */
  readonly maintenance: Maintenance;
  /** @internal What the worker shares with the client. */
  readonly parts: Parts;
  #closing: Promise<void> | undefined;

  constructor(engine: Engine, options: ClientOptions<Jobs> = {}) {
    checkKnown("of a client", options, CLIENT_OPTIONS);
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;
    const logger = options.logger && steady(options.logger);
    const calls = new Calls(engine, this.name, { ...options, logger });
    this.engine = engine;
    this.events = new Events(engine, logger);
    this.parts = {
      calls,
      events: this.events,
      batch: new PutBatch(calls),
      jobs: options.jobs,
      logger,
      workers: new Set(),
      isClosed: false,
    };
    this.failures = new Failures(calls);
    this.workers = new Workers(calls);
    this.config = new Config(calls);
    this.recurring = new RecurringJobs(this.parts);
    this.schedules = new Schedules(this.parts);
    this.maintenance = new Maintenance(calls);
  }

  /** The queue of that name. */
  queue(name: string): Queue<Jobs> {
    return new Queue(this.parts, name);
  }

  /** Puts a job into the queue named after its klass. */
  put<K extends Klass<Jobs>>(
    klass: K,
    data: Input<Jobs, K>,
    options?: PutOptions,
  ): Promise<PutResult> {
    return putOne(this.parts, { klass, data }, options);
  }

  /** Puts up to 1,000 jobs, each into its queue, in one step: all of them, or none. */
  putMany(jobs: readonly (ManyJobs<Jobs> & { queue?: string })[]): Promise<PutResult[]> {
    return putAll(this.parts, jobs);
  }

  /** The job, or undefined when there is none. */
  async get(jid: string, limits?: CallLimits): Promise<AnyJob<Jobs> | undefined> {
    const json = await this.parts.calls.json<JobJson | undefined>("get", [jid], limits);
    return json && this.#job(json);
  }

  /** Those of the jobs that exist, in the order asked for. */
  async getMany(jids: readonly string[], limits?: CallLimits): Promise<AnyJob<Jobs>[]> {
    if (jids.length === 0) return [];
    const shown = await this.parts.calls.json<JobJson[]>("multiget", jids, limits);
    return shown.map((json) => this.#job(json));
  }

  /** Takes jobs to run from several queues, in their order until there are enough. */
  pop(queues: readonly string[], options?: PopOptions): Promise<AnyRunningJob<Jobs>[]> {
    return popFrom(this.parts, queues, options);
  }

  /**
   * Renews up to 1,000 locks of a worker, each judged on its own; the value of an answer is until
   * when the lock lasts.
   */
  heartbeat(worker: string, beats: readonly Beat[], limits?: CallLimits): Promise<Answer[]> {
    return beatAll(this.parts.calls, worker, beats, limits);
  }

  /** Ends up to 1,000 runs of a worker, each judged on its own, and takes the next jobs. */
  finish(
    worker: string,
    outcomes: readonly Outcome[],
    next: { queues?: readonly string[]; count?: number } & CallLimits = {},
  ): Promise<Finished<Jobs>> {
    return finishAll(this.parts.calls, worker, outcomes, next);
  }

  /** All queues that are known, page by page, the first seen first. */
  async queues(page: Page = {}, limits?: CallLimits): Promise<QueueCounts[]> {
    const words = ["", page.offset ?? 0, page.count ?? 1000];
    const all = await this.parts.calls.json<CountsJson[]>("queues", words, limits);
    return all.map(countsFrom);
  }

  /** Jids of completed jobs, the last one first. */
  async completed({ offset = 0, count = 25 }: Page = {}, limits?: CallLimits): Promise<string[]> {
    return (await this.parts.calls.read("jobs", ["complete", offset, count], limits)) as string[];
  }

  /** Removes jobs in one step, dependents together with what they wait for: all of them, or none. */
  async cancel(jids: readonly string[], limits?: CallLimits): Promise<void> {
    if (jids.length > 0) await this.parts.calls.write("cancel", jids, limits);
  }

  /** Moves jobs into a queue as they are, up to 1,000, each judged on its own. */
  async move(queue: string, jids: readonly string[], limits?: CallLimits): Promise<Answer[]> {
    if (jids.length === 0) return [];
    const answers = await this.parts.calls.write("move", [queue, ...jids], limits);
    return (answers as string[]).map(answerFrom);
  }

  /** The jobs that meet some criteria: to read, to count, or to change all of them. */
  search(criteria: Criteria<Klass<Jobs>>): Search<Jobs> {
    return new Search(this.parts, criteria);
  }

  /** The jid of the job that holds a unique key. */
  async holderOf(key: string, limits?: CallLimits): Promise<string | undefined> {
    const jid = (await this.parts.calls.read("unique.get", [key], limits)) as string;
    return jid === "" ? undefined : jid;
  }

  /** Lets go of a unique key by hand; tells whether anybody held it. */
  async freeKey(key: string, limits?: CallLimits): Promise<boolean> {
    return (await this.parts.calls.write("unique.free", [key], limits)) === 1;
  }

  /** The most used tags, of those that at least two jobs have. */
  async topTags({ offset = 0, count = 25 }: Page = {}, limits?: CallLimits): Promise<string[]> {
    const reply = await this.parts.calls.repeat("tag", ["top", offset, count], limits);
    return JSON.parse(reply as string) as string[];
  }

  /** The same with how many jobs have each. */
  async tagCounts(page: Page = {}, limits?: CallLimits): Promise<{ tag: string; count: number }[]> {
    const counted = (await this.topTags(page, limits)).map(async (tag) => {
      const reply = await this.parts.calls.repeat("tag", ["get", tag, 0, 0], limits);
      return { tag, count: (JSON.parse(reply as string) as { total: number }).total };
    });
    return Promise.all(counted);
  }

  /** The tracked jobs, the first tracked first, and jids of which nothing is left but the tracking. */
  async tracked(
    { offset = 0, count = 10_000 }: Page = {},
    limits?: CallLimits,
  ): Promise<{ jobs: AnyJob<Jobs>[]; expired: string[] }> {
    const words = ["", "", "offset", offset, "count", count];
    const reply = await this.parts.calls.repeat("track", words, limits);
    const { jobs, expired } = JSON.parse(reply as string) as TrackedJson;
    return { jobs: jobs.map((json) => this.#job(json)), expired };
  }

  /** Why a job is not running. */
  explain(jid: string, limits?: CallLimits): Promise<Explanation> {
    return explain(this.parts.calls, jid, limits);
  }

  /** Resolves when the job has ended, in whatever way. */
  async waitFor(jid: string, options?: WaitOptions): Promise<Ended<Jobs>> {
    const end = await endOf(this.parts, jid, options);
    if (end.state === "gone") return { state: "gone" };
    return { state: end.state, job: this.#job(end.json) };
  }

  /** Checks data as put does, and tells it as a handler gets it. For workers and tests. */
  checkData(klass: string, data: unknown): Promise<unknown> {
    return checkedData(this.parts.jobs, klass, data);
  }

  /**
   * Stops the workers that were started on this client as their `stop` does, and ends every timer
   * and connection. What was called before is still answered. `grace`: how long jobs may run on;
   * default: the `grace` of each worker, usually 25 s.
   */
  close(options: { grace?: Duration } = {}): Promise<void> {
    this.parts.isClosed = true;
    // A second call with a shorter grace hurries the workers of the first.
    const stopped = [...this.parts.workers].map((worker) => worker.stop(options));
    this.#closing ??= this.#close(Promise.allSettled(stopped));
    return this.#closing;
  }

  async #close(stopped: Promise<unknown>): Promise<void> {
    await stopped;
    await this.events.close();
    await this.engine.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #job(json: JobJson): AnyJob<Jobs> {
    return new Job(this.parts, json) as AnyJob<Jobs>;
  }
}
