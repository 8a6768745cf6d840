import type { Client } from "../client/client.ts";
import type { Logger } from "../client/observing.ts";
import type { EngineClock } from "./clock.ts";

/** Between two rounds at most, at least, and after one that failed, in milliseconds. */
const ROUND_MS = 5000;
const SOONEST_MS = 1000;
const AGAIN_MS = 5000;
/** Rounds that follow each other at once when there is more to do. */
const MAX_ROUNDS = 50;

/**
 * Does what time demands of all queues, as workers do: where jobs are taken by scripts over HTTP
 * alone, nobody else would take jobs from the dead or put those of schedules.
 */
export class Upkeep {
  readonly #client: Client;
  readonly #clock: EngineClock;
  readonly #logger: Logger | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(client: Client, clock: EngineClock, logger: Logger | undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#logger = logger;
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
    this.#timer = setTimeout(
      () => {
        this.#round = this.#go();
      },
      ms * (0.8 + Math.random() * 0.4),
    );
  }

  async #go(): Promise<void> {
    try {
      const next = await this.#tick();
      const ms = next === undefined ? ROUND_MS : next.getTime() - (await this.#clock.now());
      // What is overdue after a tick is a schedule.
      if (ms <= SOONEST_MS) await this.#client.schedules.fireDue();
      this.#after(Math.min(Math.max(ms, SOONEST_MS), ROUND_MS));
    } catch (err) {
      this.#logger?.debug({ err }, "A round of upkeep failed");
      this.#after(AGAIN_MS);
    }
  }

  async #tick(): Promise<Date | undefined> {
    for (let i = 0; ; i++) {
      const { more, next } = await this.#client.maintenance.tick();
      if (!more || i >= MAX_ROUNDS || this.#isStopped) return next;
    }
  }
}
