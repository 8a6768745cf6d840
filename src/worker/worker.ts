import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { hostname } from "node:os";
import type { Client } from "../client/client.ts";
import { checkKnown } from "../client/known.ts";
import type { QueueCounts } from "../client/queue-types.ts";
import type { AnyJobs, Klass, Registry } from "../client/registry.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import { Unreachable } from "../engine.ts";
import { Deadline } from "./deadline.ts";
import { Duty } from "./duty.ts";
import {
  type Entry,
  entryOf,
  type Handler,
  type Handlers,
  type KlassOptions,
  type Middleware,
} from "./handlers.ts";
import { checkedConcurrency, checkedOptions, type Settled, type WorkerOptions } from "./options.ts";
import type { DrainReport, StopReport, WorkerEvents } from "./reports.ts";

/**
 * Takes jobs, runs them, renews their locks and says what became of them. It loses none: whatever
 * happens to this process, another takes the job when its lock has expired.
 */
export class Worker<Jobs extends Registry = AnyJobs, More extends object = object>
  extends EventEmitter<WorkerEvents>
  implements AsyncDisposable
{
  readonly client: Client<Jobs>;
  /** Unique for each worker: host, process and something random. */
  readonly name: string;
  readonly #settled: Settled<Jobs, More>;
  readonly #entries = new Map<string, Entry>();
  readonly #around: Middleware[] = [];
  #duty: Duty<Jobs, More> | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<StopReport> | undefined;
  #patience: Deadline | undefined;
  #isPaused = false;
  #concurrency: number;

  constructor(client: Client<Jobs>, options: WorkerOptions<Jobs, More>) {
    super();
    this.client = client;
    this.#settled = checkedOptions(options);
    this.#concurrency = this.#settled.concurrency;
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  }

  /** Says what runs jobs of a klass. */
  handle<K extends Klass<Jobs>>(
    klass: K,
    handler: Handler<Jobs, K, More>,
    options: KlassOptions<Jobs, More> = {},
  ): this {
    const { model } = this.#settled;
    if (model !== "coroutines") {
      const where = "the modules that `jobs` names";
      throw invalid(
        `With the model ${model}, handlers are in ${where}: put that of ${klass} there`,
      );
    }
    if (this.#entries.has(klass)) throw invalid(`There is a handler for ${klass} already`);
    this.#entries.set(klass, entryOf(klass, handler, options as unknown as KlassOptions));
    return this;
  }

  /** Says what runs jobs of several klasses. */
  handleAll(handlers: Handlers<Jobs, More>): this {
    for (const [klass, handler] of Object.entries(handlers)) {
      if (handler !== undefined) this.handle(klass, handler as Handler<Jobs, string, More>);
    }
    return this;
  }

  /**
   * Runs around every handler, the first that is added outermost. What it gives to `next` becomes
   * part of the context of those inside, and of its type.
   */
  use<Gives extends object = object>(
    middleware: Middleware<Jobs, More, Gives>,
  ): Worker<Jobs, More & Gives> {
    this.#around.push(middleware as unknown as Middleware);
    return this as unknown as Worker<Jobs, More & Gives>;
  }

  /** Begins to take jobs. Whoever starts it twice has started it once; after a stop it starts anew. */
  async start(): Promise<void> {
    if (this.#stopping !== undefined) await this.#stopping;
    this.#starting ??= this.#start().catch((error) => {
      this.#starting = undefined;
      this.client.parts.workers.delete(this);
      throw error;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    const { model } = this.#settled;
    const { parts } = this.client;
    if (parts.isClosed) {
      throw new Unreachable("CLOSED", "The client is closed, so its workers cannot be started");
    }
    if (model === "coroutines" && this.#entries.size === 0) {
      throw invalid("A worker needs a handler: call handle(klass, handler) before start()");
    }
    parts.workers.add(this);
    const duty = await Duty.begin({
      worker: this,
      settled: this.#settled,
      entries: this.#entries,
      around: this.#around,
    });
    if (this.#isPaused) duty.shift.pause();
    this.#duty = duty;
  }

  /** Takes no more jobs until it is resumed; those that run go on. */
  pause(): void {
    this.#isPaused = true;
    this.#duty?.shift.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#duty?.shift.resume();
  }

  /** Says at once what it is and does, for `client.workers` to show; it does so anyway in time. */
  async announce(): Promise<void> {
    await this.#duty?.announce();
  }

  /** How many jobs run at a time, in this process or in each child. */
  get concurrency(): number {
    return this.#settled.children?.concurrency ?? this.#concurrency;
  }

  /** Runs more jobs at a time from now on, or fewer: what runs goes on. Not with children. */
  set concurrency(most: number) {
    if (this.#settled.children !== undefined) {
      throw invalid("The concurrency of children stays as it was given: start another worker");
    }
    this.#concurrency = checkedConcurrency(most);
    this.#duty?.shift.grown();
  }

  /** The klasses that it runs: children tell theirs when it is started. */
  get klasses(): string[] {
    return [...this.#entries.keys()];
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isRunning(): boolean {
    return this.#duty !== undefined;
  }

  /**
   * Takes no more jobs, and lets those that run end. When the grace is over, their signals are
   * aborted, and what still runs then is given back at once for others to take. Called again with a
   * shorter grace while it stops, it hurries.
   */
  stop(options: { grace?: Duration } = {}): Promise<StopReport> {
    checkKnown("of stop", options, { grace: true });
    const { grace = this.#settled.grace } = options;
    const ms = milliseconds(grace, "grace");
    this.#patience?.within(ms);
    this.#patience ??= new Deadline(ms);
    this.#stopping ??= this.#stop(this.#patience).finally(() => {
      this.client.parts.workers.delete(this);
      this.#stopping = undefined;
      this.#patience = undefined;
      this.#starting = undefined;
    });
    return this.#stopping;
  }

  async #stop(patience: Deadline): Promise<StopReport> {
    if (this.#duty === undefined) await this.#starting?.catch(() => {});
    const duty = this.#duty;
    if (duty === undefined) return { left: [] };
    const report = await duty.end(patience);
    this.#duty = undefined;
    return report;
  }

  /**
   * Runs until nothing is left that can be run now, and stops. Jobs that wait for their time, or for
   * others, are left and told of.
   */
  async drain(options: { timeout?: Duration } = {}): Promise<DrainReport> {
    checkKnown("of drain", options, { timeout: true });
    const { timeout } = options;
    const ms = timeout === undefined ? undefined : milliseconds(timeout, "timeout");
    await this.start();
    const quiet = this.#duty!.shift.quiet();
    const isEmpty =
      ms === undefined ? await quiet.then(() => true) : await new Deadline(ms).meets(quiet);
    await this.stop(isEmpty ? {} : { grace: 0 });
    const left: Record<string, QueueCounts> = {};
    for (const queue of this.#settled.queues) left[queue] = await this.client.queue(queue).counts();
    return { isEmpty, left };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
