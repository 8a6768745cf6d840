import { startTimer } from "../timers.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Schedules } from "./schedules.ts";

/** Between two rounds at least, in milliseconds. */
const SOONEST_MS = 1000;
/** Rounds that follow each other at once when there is more to do. */
const MAX_ROUNDS = 50;

export interface UpkeepParts {
  client: { readonly maintenance: Maintenance; readonly schedules: Pick<Schedules, "fireDue"> };
  clock: EngineClock;
  /** Between two rounds at most, and after one that failed, in milliseconds. */
  roundMs: number;
  againMs: number;
  failed: (error: unknown) => void;
}

/**
 * Does what time demands, whichever process comes by first: takes jobs from dead workers, also in
 * queues that nobody pops from, puts jobs of schedules, and clears away what was kept long enough.
 * Workers do so, and servers, for jobs that scripts take over HTTP alone.
 */
export class Upkeep {
  readonly #parts: UpkeepParts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#after(Math.random() * SOONEST_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Not all processes come at the same time. */
  #after(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = startTimer(
      () => {
        this.#round = this.#go();
      },
      ms * (0.8 + Math.random() * 0.4),
    );
  }

  async #go(): Promise<void> {
    const { client, clock, roundMs, againMs, failed } = this.#parts;
    try {
      const next = await this.#tick();
      // Asked in every round: whoever goes by this clock is told if it was set.
      const now = await clock.now();
      const ms = next === undefined ? roundMs : next.getTime() - now;
      // What is overdue after a tick is a schedule.
      if (ms <= SOONEST_MS) await client.schedules.fireDue();
      this.#after(Math.min(Math.max(ms, SOONEST_MS), roundMs));
    } catch (error) {
      failed(error);
      this.#after(againMs);
    }
  }

  /** Tells when something is next due. */
  async #tick(): Promise<Date | undefined> {
    for (let i = 0; ; i++) {
      const { more, next } = await this.#parts.client.maintenance.tick();
      if (!more || i >= MAX_ROUNDS || this.#isStopped) return next;
    }
  }
}
