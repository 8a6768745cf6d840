import { hostname } from "node:os";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Calls } from "../client/calls.ts";
import type { WorkerFacts } from "../client/workers.ts";
import { startInterval } from "../timers.ts";
import type { Model } from "./children/options.ts";
import type { ChildFacts } from "./children/pool.ts";
import type { Run } from "./run.ts";
import { VERSION } from "./version.ts";

/** How often a worker says what it is, in milliseconds; it counts for three times as long. */
const ROUND_MS = 20_000;
/** Runs that are told of, and characters of what they last said. */
const MAX_TOLD = 20;
const MAX_CHARACTERS = 100;
/** Bytes of names that the core keeps, less some for what divides them. */
const MAX_BYTES = 8000;

export interface Presented {
  calls: Calls;
  worker: string;
  queues: readonly string[];
  klasses(): readonly string[];
  model: Model;
  concurrency(): number;
  runs(): readonly Run[];
  /** The children that run the jobs; undefined where there are none. */
  children(): readonly ChildFacts[] | undefined;
  isPaused(): boolean;
  unhandled(): readonly string[];
  failed(error: unknown): void;
  /** Learns how many jobs the engine holds for the worker. */
  counted(holds: number): void;
}

/** Says every now and then what the worker is and does. */
export class Presence {
  readonly #presented: Presented;
  readonly #since = new Date().toISOString();
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });
  #timer: NodeJS.Timeout | undefined;
  #saying: Promise<void> | undefined;

  constructor(presented: Presented) {
    this.#presented = presented;
  }

  start(): void {
    this.#delay.enable();
    this.#say();
    this.#timer = startInterval(() => this.#say(), ROUND_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#delay.disable();
    await this.#saying;
  }

  /** Says it now. */
  async say(): Promise<void> {
    this.#say();
    await this.#saying;
  }

  #say(): void {
    const { calls, worker, queues, klasses, counted, failed } = this.#presented;
    const lists = ["queues", fitting(queues), "klasses", fitting(klasses())];
    const words = [worker, (3 * ROUND_MS) / 1000, JSON.stringify(this.#facts()), ...lists];
    this.#saying = calls.attempt("worker.present", words).then((holds) => {
      // A library of an earlier version answers nothing.
      if (typeof holds === "number") counted(holds);
    }, failed);
  }

  #facts(): WorkerFacts {
    const { model, concurrency, runs, isPaused, unhandled } = this.#presented;
    const all = runs();
    const children = this.#presented.children();
    const lag = Number.isFinite(this.#delay.max) ? this.#delay.max / 1e6 : 0;
    this.#delay.reset();
    return {
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      model,
      concurrency: concurrency(),
      since: this.#since,
      memory: Math.round(process.memoryUsage.rss() / 1e6),
      lag: Math.round(lag),
      paused: isPaused(),
      unhandled: unhandled().slice(0, MAX_TOLD),
      running: all.length,
      runs: all.slice(0, MAX_TOLD).map(told),
      ...(children && { children: children.slice(0, MAX_TOLD) }),
    };
  }
}

function told({ jid, klass, job: { queue }, began, checkin }: Run): WorkerFacts["runs"][number] {
  return {
    jid,
    klass,
    queue,
    since: began.toISOString(),
    ...(checkin && { said: checkin.message.slice(0, MAX_CHARACTERS) }),
    ...(checkin?.progress !== undefined && { progress: checkin.progress }),
  };
}

/** As many of the names as may be told. */
function fitting(names: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 1;
    if (bytes > MAX_BYTES) break;
    kept.push(name);
  }
  return JSON.stringify(kept);
}
