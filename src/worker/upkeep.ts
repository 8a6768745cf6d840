import type { Client } from "../client/client.ts";
import { engineTime } from "../client/engine-time.ts";
import type { Registry } from "../client/registry.ts";

/** Between two rounds at most, and at least, in milliseconds. */
const ROUND_MS = 20_000;
const SOONEST_MS = 1000;
/** Rounds that follow each other at once when there is more to do. */
const MAX_ROUNDS = 50;
/** For how long the engine's time is reckoned by this process's before it is asked for again. */
const CLOCK_MS = 60_000;

interface Ticked {
  more: boolean;
  next: number | null;
}

/**
 * Does what time demands, whichever worker comes by first: takes jobs from dead workers, also in
 * queues that nobody pops from, puts jobs of schedules, and clears away what was kept long enough.
 */
export class Upkeep<Jobs extends Registry> {
  readonly #client: Client<Jobs>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;
  /** What the engine's clock said, and at which of this process's milliseconds. */
  #clock: { now: number; at: number } | undefined;

  constructor(client: Client<Jobs>, failed: (error: unknown) => void) {
    this.#client = client;
    this.#failed = failed;
  }

  start(): void {
    this.#after(Math.random() * SOONEST_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Not all workers come at the same time. */
  #after(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#round = this.#go().finally(() => {
          this.#round = undefined;
        });
      },
      ms * (0.8 + Math.random() * 0.4),
    );
  }

  async #go(): Promise<void> {
    try {
      const next = await this.#tick();
      const ms = next === null ? ROUND_MS : next * 1000 - (await this.#now());
      // What is overdue after a tick is a schedule.
      if (ms <= SOONEST_MS) await this.#client.schedules.fireDue();
      this.#after(Math.min(Math.max(ms, SOONEST_MS), ROUND_MS));
    } catch (error) {
      this.#failed(error);
      this.#after(ROUND_MS / 3);
    }
  }

  /** The engine's time, by which things are due: this machine's clock may be minutes off. */
  async #now(): Promise<number> {
    if (this.#clock === undefined || performance.now() - this.#clock.at > CLOCK_MS) {
      const now = await engineTime(this.#client.parts.calls);
      this.#clock = { now: now.getTime(), at: performance.now() };
    }
    return this.#clock.now + performance.now() - this.#clock.at;
  }

  /** Tells when something is next due, in seconds of the engine's time. */
  async #tick(): Promise<number | null> {
    const { calls } = this.#client.parts;
    for (let i = 0; ; i++) {
      const reply = (await calls.attempt("tick", [])) as string;
      const { more, next } = JSON.parse(reply) as Ticked;
      if (!more || i >= MAX_ROUNDS || this.#isStopped) return next;
    }
  }
}
