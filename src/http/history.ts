import type { Client } from "../client/client.ts";
import type { EngineClock } from "../client/engine-clock.ts";
import type { Logger } from "../client/observing.ts";
import type { QueueCounts } from "../client/queue-types.ts";
import { startTimer } from "../timers.ts";
import { HistoryRing, type Point } from "./history-ring.ts";

/** Queues of which a history is kept: those that were first seen. Each takes 30 kB. */
export const MAX_QUEUES = 100;
/** Between two looks, in milliseconds. */
const LOOK_MS = 10_000;
/** How soon the first look comes, and how long one may take. */
const FIRST_MS = 100;
const TIMEOUT_MS = 5000;
const DAY_MS = 86_400_000;

/** The stretches of time that are kept, by name: steps in seconds, and how many. */
export type Span = "10m" | "24h";
export const SPANS: Readonly<Record<Span, readonly [step: number, steps: number]>> = {
  "10m": [10, 60],
  "24h": [60, 1440],
};

/** What is known of a queue. */
interface Known {
  rings: Record<Span, HistoryRing>;
  /** The day of the last look, and what had ended in it by then. */
  day: number;
  completed: number;
  failed: number;
}

/**
 * How the queues went while this server ran: it looks every ten seconds, so that whoever opens a page
 * sees curves at once, and no page has to look for itself all day.
 */
export class QueueHistory {
  readonly #client: Client;
  readonly #clock: EngineClock;
  readonly #logger: Logger | undefined;
  readonly #known = new Map<string, Known>();
  /** How many queues there were at the last look. */
  #queues = 0;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #isStopped = false;

  constructor(client: Client, clock: EngineClock, logger: Logger | undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#logger = logger;
  }

  start(): void {
    this.#after(FIRST_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#look;
  }

  /** How many queues there are, at least; a history is kept of the first of them. */
  get queues(): number {
    return this.#queues;
  }

  names(): string[] {
    return [...this.#known.keys()];
  }

  ring(queue: string, span: Span): HistoryRing | undefined {
    return this.#known.get(queue)?.rings[span];
  }

  /** Looks at all queues once. */
  async look(): Promise<void> {
    const limits = { timeout: TIMEOUT_MS };
    const now = await this.#clock.now();
    // One more than are kept tells whether there are more.
    const all = await this.#client.queues({ count: MAX_QUEUES + 1 }, limits);
    const kept = all.slice(0, MAX_QUEUES);
    this.#queues = all.length;
    const names = new Set(kept.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    await Promise.all(kept.map((counts) => this.#note(now, counts)));
  }

  async #note(now: number, counts: QueueCounts): Promise<void> {
    const { waiting, running, stalled, scheduled, depends, name } = counts;
    const open = waiting + running + stalled + scheduled + depends;
    const ended = await this.#ended(name, Math.floor(now / DAY_MS));
    const point: Point = { waiting, running, open, ...ended };
    const { rings } = this.#known.get(name)!;
    for (const ring of Object.values(rings)) ring.note(now / 1000, point);
  }

  /** What ended in a queue since the last look; nothing at the first. */
  async #ended(queue: string, day: number): Promise<{ completed: number; failed: number }> {
    const known = this.#known.get(queue);
    const [today, last] = await Promise.all([
      this.#counted(queue, day),
      // What ended between the last look and midnight.
      known !== undefined && known.day < day ? this.#counted(queue, known.day) : undefined,
    ]);
    if (known === undefined) {
      this.#known.set(queue, { rings: newRings(), day, ...today });
      return { completed: 0, failed: 0 };
    }
    const since = (name: "completed" | "failed") =>
      Math.max(0, last === undefined ? 0 : last[name] - known[name]) +
      Math.max(0, last === undefined ? today[name] - known[name] : today[name]);
    const ended = { completed: since("completed"), failed: since("failed") };
    Object.assign(known, { day, ...today });
    return ended;
  }

  async #counted(queue: string, day: number): Promise<{ completed: number; failed: number }> {
    const limits = { timeout: TIMEOUT_MS };
    const { run, failures } = await this.#client.queue(queue).statistics(day * DAY_MS, limits);
    return { completed: run.count, failed: failures };
  }

  #after(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = startTimer(() => {
      this.#look = this.#go();
    }, ms);
    this.#timer.unref();
  }

  async #go(): Promise<void> {
    try {
      await this.look();
    } catch (err) {
      this.#logger?.debug({ err }, "A look at the queues failed");
    }
    this.#after(LOOK_MS);
  }
}

const newRings = (): Record<Span, HistoryRing> => ({
  "10m": new HistoryRing(...SPANS["10m"]),
  "24h": new HistoryRing(...SPANS["24h"]),
});
