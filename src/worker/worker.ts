import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { hostname } from "node:os";
import type { Client } from "../client/client.ts";
import type { QueueCounts } from "../client/queue-types.ts";
import type { AnyJobs, Klass, Registry } from "../client/registry.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import { Deadline, LEAVE_MS } from "./deadline.ts";
import {
  type Entry,
  entryOf,
  type Handler,
  type Handlers,
  type KlassOptions,
  type Middleware,
} from "./handlers.ts";
import { checkedOptions, type Settled, type WorkerOptions } from "./options.ts";
import { choiceOf } from "./order.ts";
import { Post } from "./post.ts";
import { Presence } from "./presence.ts";
import type { DrainReport, StopReport, WorkerEvents } from "./reports.ts";
import { Shift } from "./shift.ts";
import { Upkeep } from "./upkeep.ts";

/** How long handlers are given to notice that they are to stop, in milliseconds. */
const ABORT_MS = 500;

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
  #shift: Shift | undefined;
  #upkeep: Upkeep<Jobs> | undefined;
  #presence: Presence | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<StopReport> | undefined;
  #patience: Deadline | undefined;
  #isPaused = false;

  constructor(client: Client<Jobs>, options: WorkerOptions<Jobs, More>) {
    super();
    this.client = client;
    this.#settled = checkedOptions(options);
    this.name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  }

  /** Says what runs jobs of a klass. */
  handle<K extends Klass<Jobs>>(
    klass: K,
    handler: Handler<Jobs, K, More>,
    options: KlassOptions<Jobs, More> = {},
  ): this {
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
      throw error;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    if (this.#entries.size === 0) {
      throw invalid("A worker needs a handler: call handle(klass, handler) before start()");
    }
    const { queues, order, weights, log } = this.#settled;
    await this.#limitQueues();
    const post = new Post({
      worker: this,
      settled: this.#settled,
      entries: this.#entries,
      around: this.#around,
      isStopping: () => this.#shift?.isStopping ?? false,
    });
    const shift = new Shift(post, choiceOf(order, queues, weights));
    try {
      await shift.begin();
    } catch (error) {
      await shift.end();
      throw error;
    }
    if (this.#isPaused) shift.pause();
    this.#shift = shift;
    this.#upkeep = new Upkeep(this.client, (err) => log.debug({ err }, "Upkeep failed"));
    this.#upkeep.start();
    this.#presence = this.#presenceOf(shift, post);
    this.#presence.start();
  }

  /** Has the engine see to it that of some klasses only so many run, whoever runs them. */
  async #limitQueues(): Promise<void> {
    for (const [klass, { options }] of this.#entries) {
      const { maxConcurrency } = options;
      if (maxConcurrency === undefined) continue;
      if (!this.#settled.queues.includes(klass)) {
        const advice = "add it to the worker's queues, or set max-concurrency of another by config";
        throw invalid(`maxConcurrency of ${klass} counts in the queue of that name: ${advice}`);
      }
      await this.client.config.setQueue(klass, "max-concurrency", maxConcurrency);
    }
  }

  #presenceOf(shift: Shift, post: Post<Jobs, More>): Presence {
    const { queues, concurrency, log } = this.#settled;
    return new Presence({
      calls: this.client.parts.calls,
      worker: this.name,
      queues,
      klasses: [...this.#entries.keys()],
      concurrency,
      runs: () => shift.runs,
      isPaused: () => this.#isPaused,
      unhandled: () => post.unhandled,
      failed: (err) => log.debug({ err }, "A worker's presence could not be told"),
    });
  }

  /** Takes no more jobs until it is resumed; those that run go on. */
  pause(): void {
    this.#isPaused = true;
    this.#shift?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#shift?.resume();
  }

  /** Says at once what it is and does, for `client.workers` to show; it does so anyway in time. */
  async announce(): Promise<void> {
    await this.#presence?.say();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isRunning(): boolean {
    return this.#shift !== undefined;
  }

  /**
   * Takes no more jobs, and lets those that run end. When the grace is over, their signals are
   * aborted, and what still runs then is given back at once for others to take. Called again with a
   * shorter grace while it stops, it hurries.
   */
  stop({ grace = this.#settled.grace }: { grace?: Duration } = {}): Promise<StopReport> {
    const ms = milliseconds(grace, "grace");
    this.#patience?.within(ms);
    this.#patience ??= new Deadline(ms);
    this.#stopping ??= this.#stop(this.#patience).finally(() => {
      this.#stopping = undefined;
      this.#patience = undefined;
      this.#starting = undefined;
    });
    return this.#stopping;
  }

  async #stop(patience: Deadline): Promise<StopReport> {
    if (this.#shift === undefined) await this.#starting?.catch(() => {});
    const shift = this.#shift;
    const finished = shift?.finish() ?? Promise.resolve();
    const isMet = await patience.meets(finished);
    if (shift === undefined) return { left: [] };
    if (!isMet) {
      shift.abort();
      await new Deadline(ABORT_MS).meets(finished);
    }
    const rounds = Promise.all([this.#upkeep?.stop(), this.#presence?.stop()]);
    const ends = [shift.end(), new Deadline(LEAVE_MS).meets(rounds)] as const;
    const [left] = await Promise.all(ends);
    this.#shift = undefined;
    await new Deadline(LEAVE_MS).meets(this.#leave(left));
    return { left };
  }

  /** Lets others have what this worker still holds, and takes it off the list. */
  async #leave(left: readonly string[]): Promise<void> {
    const { calls } = this.client.parts;
    const { log } = this.#settled;
    const giveBack = (jid: string) =>
      calls.write("timeout", [jid]).catch((err) => {
        log.warn({ err, jid }, "A job could not be given back");
      });
    await Promise.all(left.map(giveBack));
    await calls.write("worker.deregister", [this.name]).catch(() => {});
  }

  /**
   * Runs until nothing is left that can be run now, and stops. Jobs that wait for their time, or for
   * others, are left and told of.
   */
  async drain({ timeout }: { timeout?: Duration } = {}): Promise<DrainReport> {
    const ms = timeout === undefined ? undefined : milliseconds(timeout, "timeout");
    await this.start();
    const quiet = this.#shift!.quiet();
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
