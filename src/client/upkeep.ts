import { type Engine, MISSED } from "../engine.ts";
import { startTimer } from "../timers.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Schedules } from "./schedules.ts";

/** Between two regular rounds at least, in milliseconds. */
const SOONEST_MS = 1000;
/** The same where a schedule has a tick, or where a round was asked for. */
const SOON_MS = 200;
/** Processes do their rounds within so long of the moment, not all at once. */
const SPREAD_MS = 250;
/** Calls of tick that follow each other at once when there is more to do. */
const MAX_TICKS = 50;

export interface UpkeepParts {
  client: {
    readonly engine: Pick<Engine, "subscribe">;
    readonly maintenance: Maintenance;
    readonly schedules: Pick<Schedules, "fire">;
  };
  clock: EngineClock;
  /** Between two rounds at most, and after one that failed, in milliseconds. */
  roundMs: number;
  againMs: number;
  failed: (error: unknown) => void;
}

/**
 * Does the time-based work of a namespace, in whichever process comes first: takes jobs from dead
 * workers, also in queues that no worker pops from, fires schedules, and removes what was kept long
 * enough. Workers run it, and servers, for jobs that scripts take over HTTP alone.
 *
 * It sleeps until the next known time. The core announces when a round is needed earlier.
 */
export class Upkeep {
  readonly #parts: UpkeepParts;
  #timer: NodeJS.Timeout | undefined;
  /** When the next round begins, in this process's milliseconds. */
  #at = Number.POSITIVE_INFINITY;
  /** The earliest time that was asked for while a round went on. */
  #asked = Number.POSITIVE_INFINITY;
  /** When the last round ended. */
  #ended = Number.NEGATIVE_INFINITY;
  #round: Promise<void> | undefined;
  #listening: Promise<() => Promise<void>> | undefined;
  #isRunning = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    // Locks and intervals may seem far ahead now, which tick puts right.
    parts.clock.onStep(() => this.soon());
  }

  start(): void {
    this.#isRunning = true;
    this.#comeAt(performance.now() + Math.random() * SOONEST_MS);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#round;
    const unsubscribe = await this.#listening?.catch(() => undefined);
    await unsubscribe?.().catch(() => {});
  }

  /** Does a round as soon as possible, and not only when the next one is due. */
  soon(): void {
    this.#need(performance.now());
  }

  /** A round is needed at this time, in this process's milliseconds. */
  #need(at: number): void {
    if (this.#round !== undefined) this.#asked = Math.min(this.#asked, at);
    else this.#comeAt(this.#spread(at));
  }

  /** A moment soon after this one, and not too soon after the last round. */
  #spread(at: number): number {
    return Math.max(at, this.#ended + SOON_MS) + Math.random() * SPREAD_MS;
  }

  /** Begins the next round at this time, unless it begins earlier. */
  #comeAt(at: number): void {
    if (!this.#isRunning || at >= this.#at) return;
    this.#at = at;
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => this.#begin(), at - performance.now());
  }

  #begin(): void {
    this.#at = Number.POSITIVE_INFINITY;
    this.#round = this.#go().then((next) => {
      this.#round = undefined;
      this.#ended = performance.now();
      const asked = this.#asked;
      this.#asked = Number.POSITIVE_INFINITY;
      this.#comeAt(next);
      if (asked !== Number.POSITIVE_INFINITY) this.#need(asked);
    });
  }

  /** Does a round; resolves to when the next should begin. */
  async #go(): Promise<number> {
    const { client, clock, againMs, failed } = this.#parts;
    await this.#listen();
    try {
      const next = await this.#tick();
      // Asked in every round: others in this process go by this clock.
      const now = await clock.now();
      const due = next?.getTime() ?? Number.POSITIVE_INFINITY;
      const regular = this.#regular(due - now);
      // What is overdue after a tick is a schedule.
      if (due - now > SOONEST_MS) return regular;
      const fired = await client.schedules.fire();
      if (fired.failure !== undefined) failed(fired.failure);
      const later = fired.failure === undefined ? regular : performance.now() + varied(againMs);
      if (fired.next === undefined) return later;
      const soonest = Math.max(clock.here(fired.next.getTime()), performance.now() + SOON_MS);
      return Math.min(later, this.#spread(soonest));
    } catch (error) {
      failed(error);
      return performance.now() + varied(againMs);
    }
  }

  /** When the next round should begin if so many milliseconds are left until something is due. */
  #regular(ms: number): number {
    const { roundMs } = this.#parts;
    if (ms >= roundMs) return performance.now() + varied(roundMs);
    return this.#spread(performance.now() + Math.max(ms, SOONEST_MS));
  }

  /** Tells when something is next due. */
  async #tick(): Promise<Date | undefined> {
    for (let i = 0; ; i++) {
      const { more, next } = await this.#parts.client.maintenance.tick();
      if (!more || i >= MAX_TICKS || !this.#isRunning) return next;
    }
  }

  /** Hears when a round is needed earlier. If that fails, the next round tries again. */
  async #listen(): Promise<void> {
    const { client, clock, failed } = this.#parts;
    this.#listening ??= client.engine.subscribe(
      ({ channel, message }) => {
        if (channel === MISSED) this.soon();
        else this.#need(clock.here(timeIn(message) * 1000));
      },
      { upkeep: true },
    );
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      failed(error);
    }
  }
}

/** Not all processes come at the same time. */
const varied = (ms: number) => ms * (0.8 + Math.random() * 0.4);

/** The time in an announcement, in seconds. Anyone who may publish can send other text: then now. */
function timeIn(message: string): number {
  try {
    const { at } = JSON.parse(message) as { at?: unknown };
    return typeof at === "number" ? at : 0;
  } catch {
    return 0;
  }
}
