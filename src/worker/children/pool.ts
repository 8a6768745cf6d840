import { type Logger, presentCarrier } from "../../client/observing.ts";
import type { Engine } from "../../engine.ts";
import type { JobFile } from "../job-files.ts";
import type { Run } from "../run.ts";
import { Child } from "./child.ts";
import { Displaced, deathOf } from "./ends.ts";
import { filtered } from "./environment.ts";
import type { KlassFacts } from "./messages.ts";
import type { SettledChildren } from "./options.ts";
import { Restarts } from "./restarts.ts";
import { Sandbox } from "./sandbox.ts";
import { Service } from "./service.ts";
import { type End, ProcessVehicle, type Rider, ThreadVehicle } from "./vehicle.ts";

export interface PoolParts {
  options: SettledChildren;
  files: readonly JobFile[];
  engine: Engine;
  /** Names of the worker, and of its client. */
  worker: string;
  client: string;
  /** Whether data is checked here, so that children get what came of it. */
  isChecked: boolean;
  log: Logger;
  /** There are more hands than before. */
  grown(): void;
}

/** A child as people see it. */
export interface ChildFacts {
  pid: number;
  since: string;
  memory: number;
  running: number;
  done: number;
}

interface Waiting {
  run: Run;
  resolve(ended: Promise<void>): void;
  reject(error: unknown): void;
}

/** Children that run a worker's jobs: as many as there should be, whatever becomes of each. */
export class Pool {
  readonly #parts: PoolParts;
  readonly #service: Service;
  readonly #sandbox: Sandbox;
  readonly #children = new Set<Child>();
  /** Jobs that came when no child could take them any more. */
  #waiting: Waiting[] = [];
  readonly #restarts = new Restarts();
  #starting = 0;
  #capacity = 0;
  #isClosed = false;
  #whenReady: ((klasses: KlassFacts[]) => void) | undefined;
  #whenUnfit: ((error: unknown) => void) | undefined;
  #whenEmpty: (() => void) | undefined;

  private constructor(parts: PoolParts, sandbox: Sandbox) {
    this.#parts = parts;
    this.#sandbox = sandbox;
    this.#service = new Service(parts.engine, parts.log);
  }

  /** Starts the children; resolves, with what they can run, when the first of them is ready. */
  static async open(parts: PoolParts): Promise<{ pool: Pool; klasses: KlassFacts[] }> {
    const pool = new Pool(parts, await Sandbox.open(parts.options.folder));
    const ready = new Promise<KlassFacts[]>((resolve, reject) => {
      pool.#whenReady = resolve;
      pool.#whenUnfit = reject;
    });
    pool.#fill();
    try {
      return { pool, klasses: await ready };
    } catch (error) {
      await pool.close(0);
      throw error;
    }
  }

  /** How many jobs can be in hand: those that run, and those for which there is room. */
  get capacity(): number {
    const { concurrency } = this.#parts.options;
    let capacity = 0;
    for (const child of this.#children) capacity += child.isReady ? concurrency : child.running;
    return capacity;
  }

  get facts(): ChildFacts[] {
    return [...this.#children].map(({ pid, since, memory, running, done }) => {
      return { pid, since: since.toISOString(), memory, running, done };
    });
  }

  /** Has a job run in a child; resolves when it has ended there, with its outcome in the run. */
  run(run: Run): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) reject(new Displaced());
      else this.#waiting.push({ run, resolve, reject });
      this.#give();
    });
  }

  /** Says to the children that the worker is about to stop. */
  tellStopping(): void {
    for (const child of this.#children) child.say({ kind: "stopping" });
  }

  /** Ends all children, in twice the time at most; tells which jobs were running. */
  async close(patienceMs: number): Promise<string[]> {
    this.#isClosed = true;
    this.#restarts.stop();
    const jids = [...this.#children].flatMap((child) => child.stop(patienceMs));
    for (const { reject } of this.#waiting.splice(0)) reject(new Displaced());
    while (this.#children.size + this.#starting > 0) {
      await new Promise<void>((resolve) => {
        this.#whenEmpty = resolve;
      });
    }
    await this.#sandbox.close().catch(() => {});
    return jids;
  }

  #give(): void {
    while (this.#waiting.length > 0) {
      const child = this.#freest();
      if (child === undefined) return;
      const { run, resolve } = this.#waiting.shift()!;
      const { popped, data: value } = run.job;
      const data = this.#parts.isChecked ? { data: { value } } : {};
      const carrier = presentCarrier();
      resolve(child.run(run, { kind: "run", popped, carrier, ...data }));
      if (child.given >= this.#parts.options.maxJobs) child.retire();
    }
  }

  /** The child that has most room. */
  #freest(): Child | undefined {
    let best: Child | undefined;
    for (const child of this.#children) {
      if (!child.isFree || child.running >= this.#parts.options.concurrency) continue;
      if (best === undefined || child.running < best.running) best = child;
    }
    return best;
  }

  /** Starts children until there are as many as there should be. */
  #fill(): void {
    if (this.#isClosed || this.#restarts.isResting) return;
    const lasting = [...this.#children].filter(({ isRetiring }) => !isRetiring).length;
    for (let i = lasting + this.#starting; i < this.#parts.options.count; i++) void this.#start();
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    try {
      const folder = await this.#sandbox.make();
      if (!this.#isClosed) this.#children.add(this.#childIn(folder));
    } catch (error) {
      this.#died(error);
    }
    this.#starting -= 1;
    this.#tellIfEmpty();
  }

  #childIn(folder: string): Child {
    const { options, files, engine, worker, client } = this.#parts;
    const env = { ...filtered(process.env, options.env), TMPDIR: folder };
    const { root } = this.#sandbox;
    const { namespace } = engine;
    const child = new Child({
      beginning: { files, folder, root, worker, client, namespace, parent: process.pid },
      service: this.#service,
      patienceMs: options.patienceMs,
      isWatched: options.whenBlocked === "lose",
      open: (rider: Rider) =>
        options.model === "threads"
          ? new ThreadVehicle(env, rider)
          : new ProcessVehicle(env, rider),
      ready: (klasses) => this.#ready(klasses),
      changed: () => this.#changed(),
      jobDone: () => this.#restarts.reset(),
      ended: (end) => this.#ended(child, end),
    });
    return child;
  }

  #ready(klasses: KlassFacts[]): void {
    this.#whenReady?.(klasses);
    this.#changed();
  }

  #changed(): void {
    const { maxMemory } = this.#parts.options;
    for (const child of this.#children) {
      if (child.isReady && child.memory > maxMemory) this.#retire(child);
    }
    this.#give();
    this.#fill();
    const before = this.#capacity;
    this.#capacity = this.capacity;
    if (this.#capacity > before) this.#parts.grown();
  }

  #retire(child: Child): void {
    const { pid, memory } = child;
    const most = this.#parts.options.maxMemory;
    this.#parts.log.info({ pid, memory, most }, "A child holds too much memory; it is replaced");
    child.retire();
  }

  #ended(child: Child, end: End): void {
    this.#children.delete(child);
    if (!child.isRetiring) this.#died(child.unfit ?? deathOf(end), child.pid);
    this.#tellIfEmpty();
    this.#changed();
  }

  #died(err: unknown, pid?: number): void {
    this.#whenUnfit?.(err);
    if (this.#isClosed) return;
    this.#parts.log.error({ err, pid }, "A child has ended; another is started in its place");
    this.#restarts.died(() => this.#fill());
  }

  #tellIfEmpty(): void {
    if (this.#children.size + this.#starting === 0) this.#whenEmpty?.();
  }
}
