import type { EngineClock } from "../client/engine-clock.ts";
import { startTimer } from "../timers.ts";
import type { Crew } from "./crew.ts";

/** How long it waits to be woken before it looks by itself, per queue, in milliseconds. */
const LOOK_MS = 5000;
/** Looking in itself may take a while; who waits is listed so much longer. */
const SPARE_MS = 10_000;

interface Awaited {
  ready: boolean;
  next: number | null;
}

/**
 * Waits for jobs where there are none: has itself woken by the engine, and looks by itself when
 * something will be due and every few seconds, for a message may be lost.
 */
export class Idling {
  readonly #crew: Crew;
  readonly #clock: EngineClock;
  readonly #look: () => void;
  /** Queues where it is not listed as one who waits. */
  readonly #unlisted: Set<string>;
  /** Queues that it was told to come for while it was saying that it waits there. */
  readonly #called = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(crew: Crew, clock: EngineClock, look: () => void) {
    this.#crew = crew;
    this.#clock = clock;
    this.#look = look;
    this.#unlisted = new Set(crew.queues);
  }

  /** Whether it will be told of whatever comes. */
  get isListed(): boolean {
    return this.#unlisted.size === 0;
  }

  /** Waits where it does not yet; tells whether there is something now. */
  async wait(): Promise<boolean> {
    const { calls, name, queues: all } = this.#crew;
    const queues = [...this.#unlisted];
    const lookMs = LOOK_MS * all.length;
    const words = [name, (lookMs + SPARE_MS) / 1000, ...queues];
    this.#called.clear();
    const reply = (await calls.attempt("wait", words)) as string;
    const { ready, next } = JSON.parse(reply) as Awaited;
    if (ready) return true;
    for (const queue of queues) if (!this.#called.has(queue)) this.#unlisted.delete(queue);
    if (next !== null) this.dueAt(next);
    this.#lookAt(performance.now() + lookMs * (0.9 + Math.random() / 5));
    return false;
  }

  /** It was told to come for a job of the queue, and is not listed there any more. */
  woken(queue: string): void {
    // The word may come before the answer to the call that brought it about.
    this.#called.add(queue);
    this.#unlisted.add(queue);
  }

  /** Looks at that time of the engine's clock, in seconds. */
  dueAt(seconds: number): void {
    this.#lookAt(this.#clock.here(seconds * 1000));
    this.#clock.checkSoon();
  }

  /** Looks at that time, in this process's milliseconds, unless it does so before. */
  #lookAt(at: number): void {
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => this.#lookNow(), Math.max(at - performance.now(), 0) + 1);
  }

  /** Forgets where it is listed: something may have been missed, or it looks by itself. */
  reset(): void {
    for (const queue of this.#crew.queues) this.woken(queue);
  }

  /** It has no hands free: others are to be told of what comes, and of what is there. */
  async leave(): Promise<void> {
    this.reset();
    const { calls, name, queues } = this.#crew;
    await calls.attempt("wait", [name, 0, ...queues]);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  #lookNow(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.reset();
    this.#look();
  }
}
