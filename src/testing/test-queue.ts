import { isDeepStrictEqual } from "node:util";
import type { Client } from "../client/client.ts";
import type { PutOptions } from "../client/put-options.ts";
import type { AnyJobs, Input, Klass, Output, Registry } from "../client/registry.ts";
import type { AnyJob, AnyRunningJob } from "../client/registry-jobs.ts";
import type { RunningJob } from "../client/running-job.ts";
import { connect } from "../connect.ts";
import { TestClock } from "./clock.ts";

/** Runs a job of one klass; what it returns becomes the job's data. */
export type Handler<Jobs extends Registry, K extends Klass<Jobs>> = (
  data: Output<Jobs, K>,
  job: RunningJob<Jobs, K>,
) => unknown;

/** The handlers of some klasses. */
export type Handlers<Jobs extends Registry> = {
  readonly [K in Klass<Jobs>]?: Handler<Jobs, K>;
};

export interface TestQueueOptions<Jobs extends Registry> {
  jobs?: Jobs;
  handlers?: Handlers<Jobs>;
  clock?: TestClock;
  namespace?: string;
}

/** What became of one job that was run. */
export interface Performed {
  jid: string;
  klass: string;
  /** `complete`, `failed`, or the state of a job that is tried again or went on to another queue. */
  state: string;
  /** What the handler threw. */
  error?: unknown;
}

export interface DrainReport {
  performed: Performed[];
  /** Jids of jobs that are left: scheduled, waiting for others, failed. */
  left: string[];
}

/** Opens a queue for tests: the real core in memory, on a clock that the test moves. */
export async function openTestQueue<Jobs extends Registry = AnyJobs>(
  options: TestQueueOptions<Jobs> = {},
): Promise<TestQueue<Jobs>> {
  const { jobs, clock = new TestClock(), namespace = "test", handlers = {} } = options;
  const at = { namespace, clock: () => clock.now(), name: "test" };
  const client = await connect<Jobs>("sqlite::memory:", { ...at, ...(jobs && { jobs }) });
  return new TestQueue(client, clock, handlers);
}

/** Jobs that one test may run before it is taken to go round in a circle. */
const MAX_RUNS = 10_000;

export class TestQueue<Jobs extends Registry = AnyJobs> implements AsyncDisposable {
  readonly client: Client<Jobs>;
  readonly clock: TestClock;
  readonly #handlers: Handlers<Jobs>;

  /** @internal */
  constructor(client: Client<Jobs>, clock: TestClock, handlers: Handlers<Jobs>) {
    this.client = client;
    this.clock = clock;
    this.#handlers = handlers;
  }

  /** Lets time go by, and does what it demands: locks expire, jobs become due. */
  async advance(by: Parameters<TestClock["advance"]>[0]): Promise<void> {
    this.clock.advance(by);
    while ((await this.client.maintenance.tick()).more);
  }

  /** Puts a job and runs it with its handler at once; tells what became of it. */
  async performJob<K extends Klass<Jobs>>(
    klass: K,
    data: Input<Jobs, K>,
    options?: PutOptions,
  ): Promise<Performed> {
    const queue = this.client.queue(`perform-${klass}`);
    const { jid, outcome } = await queue.put(klass, data, options);
    if (outcome === "kept") {
      throw new Error(`Job ${jid} was kept, so there is nothing to run: put it with another jid`);
    }
    const [job] = await queue.pop();
    if (job === undefined) throw new Error(`The job of ${klass} is not due: put it without delay`);
    return this.#perform(job);
  }

  /** Runs what can be run, in all queues, until nothing is left that could be. */
  async drain(): Promise<DrainReport> {
    const performed: Performed[] = [];
    for (;;) {
      const job = await this.#next();
      if (job === undefined) break;
      performed.push(await this.#perform(job));
      if (performed.length >= MAX_RUNS) {
        throw new Error(`drain has run ${MAX_RUNS} jobs and there are more: is there a circle?`);
      }
    }
    return { performed, left: await this.#left() };
  }

  /** Finds the jobs of a klass that were put, with this data if any is given; fails if there is none. */
  async expectPut<K extends Klass<Jobs>>(
    klass: K,
    data?: Partial<Input<Jobs, K>>,
  ): Promise<AnyJob<Jobs>[]> {
    const all = await this.client.getMany(await this.#all());
    const found = all.filter((job) => job.klass === klass && includes(job.data, data));
    if (found.length > 0) return found;
    const wanted = data === undefined ? "" : ` with ${JSON.stringify(data)}`;
    const others = all.map((job) => `${job.klass} ${job.rawData}`).join("; ");
    throw new Error(`No job of ${klass}${wanted} was put. There is: ${others || "nothing"}`);
  }

  /** Takes a running job from its worker, as if its heartbeats had stopped. */
  async loseLock(jid: string): Promise<void> {
    const job = await this.client.get(jid);
    if (job === undefined) throw new Error(`There is no job ${jid}`);
    await job.timeout();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #next(): Promise<AnyRunningJob<Jobs> | undefined> {
    for (const { name } of await this.client.queues()) {
      const [job] = await this.client.queue(name).pop();
      if (job !== undefined) return job;
    }
    return undefined;
  }

  async #perform(job: AnyRunningJob<Jobs>): Promise<Performed> {
    const { jid, klass } = job;
    const handler = this.#handlers[klass] as Handler<Jobs, Klass<Jobs>> | undefined;
    let error: unknown;
    try {
      if (handler === undefined) throw new Error(`There is no handler for ${klass}`);
      const data = await this.client.checkData(klass, job.data);
      const result = await handler(data as never, job as never);
      if (await this.#isHeld(job)) await job.complete(result === undefined ? {} : { data: result });
    } catch (thrown) {
      error = thrown;
      const { name = "Error", message = String(thrown) } = thrown as Partial<Error>;
      if (await this.#isHeld(job)) await job.retry({ group: name, message });
    }
    const state = (await this.client.get(jid))?.state ?? "gone";
    return { jid, klass, state, ...(error === undefined ? {} : { error }) };
  }

  /** Whether the handler has left it to us to end the run. */
  async #isHeld(job: AnyRunningJob<Jobs>): Promise<boolean> {
    const now = await this.client.get(job.jid);
    return now?.state === "running" && now.worker === job.worker;
  }

  async #all(): Promise<string[]> {
    return [...(await this.client.completed({ count: 10_000 })), ...(await this.#left())];
  }

  async #left(): Promise<string[]> {
    const all: string[] = [];
    for (const { name } of await this.client.queues()) {
      const queue = this.client.queue(name);
      for (const state of ["waiting", "running", "stalled", "scheduled", "depends"] as const) {
        all.push(...(await queue.jobs(state, { count: 10_000 })));
      }
    }
    for (const group of (await this.client.failures.groups()).keys()) {
      all.push(...(await this.client.failures.jobs(group, { count: 10_000 })).jids);
    }
    return all;
  }
}

/** Whether the data has these members, or is equal. */
function includes(data: unknown, wanted: unknown): boolean {
  if (wanted === undefined || isDeepStrictEqual(data, wanted)) return true;
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return false;
  if (typeof data !== "object" || data === null) return false;
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual((data as Record<string, unknown>)[name], value),
  );
}
