import type { EngineClock } from "../client/engine-clock.ts";
import { startTimer } from "../timers.ts";
import type { Crew } from "./crew.ts";
import type { Strays } from "./strays.ts";

/**
 * How long an idle worker waits for a message before it looks by itself, in milliseconds. One call
 * looks at all queues, so this does not depend on their number.
 */
const LOOK_MS = 5000;
/**
 * How long the worker stays listed, in milliseconds. A look may take a while, and a clock that is set
 * forward by less loses no message.
 */
const LISTED_MS = 60_000;

interface Awaited {
  ready: boolean;
  next: number | null;
  now?: number;
  holds?: number;
}

/**
 * Waits for jobs while there are none. The engine wakes it. It also asks for jobs when something
 * becomes due, and looks every few seconds, since a message can be lost.
 */
export class Idling {
  readonly #crew: Crew;
  readonly #clock: EngineClock;
  readonly #come: () => void;
  readonly #look: () => void;
  readonly #strays: Strays;
  /** Queues where it is not listed as one who waits. */
  readonly #unlisted: Set<string>;
  /** Queues that it was told to come for while it was saying that it waits there. */
  readonly #called = new Set<string>();
  #lookTimer: NodeJS.Timeout | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isStopped = false;

  /**
   * `come` asks for jobs when something is due. `look` says `wait` again, which also lists the worker
   * anew.
   */
  constructor(crew: Crew, clock: EngineClock, come: () => void, look: () => void, strays: Strays) {
    this.#crew = crew;
    this.#clock = clock;
    this.#come = come;
    this.#look = look;
    this.#strays = strays;
    this.#unlisted = new Set(crew.queues);
  }

  /** Whether it will be told of whatever comes. */
  get isListed(): boolean {
    return this.#unlisted.size === 0;
  }

  /** Waits in the queues where it is not listed yet. Resolves to true if there is a job now. */
  async wait(): Promise<boolean> {
    const { calls, name } = this.#crew;
    const queues = [...this.#unlisted];
    const words = [name, LISTED_MS / 1000, ...queues];
    this.#called.clear();
    const begun = performance.now();
    const reply = (await calls.attempt("wait", words)) as string;
    const { ready, next, now, holds } = JSON.parse(reply) as Awaited;
    // A library of an earlier version does not tell the time.
    if (now !== undefined) this.#clock.learn(begun, now * 1000);
    if (holds !== undefined) this.#strays.counted(holds);
    if (ready) return true;
    for (const queue of queues) if (!this.#called.has(queue)) this.#unlisted.delete(queue);
    if (next !== null) this.#comeAt(next);
    this.#lookLater();
    return false;
  }

  /** It was told to come for a job of the queue, and is not listed there any more. */
  woken(queue: string): void {
    this.#unlist(queue);
    this.#come();
  }

  #unlist(queue: string): void {
    // The word may come before the answer to the call that brought it about.
    this.#called.add(queue);
    this.#unlisted.add(queue);
  }

  /** Asks for jobs at that time of the engine's clock, in seconds. */
  dueAt(seconds: number): void {
    this.#comeAt(seconds);
    // What the worker knows of the engine's clock may be old.
    this.#clock.checkSoon();
  }

  #comeAt(seconds: number): void {
    const at = this.#clock.here(seconds * 1000);
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#dueTimer);
    this.#dueTimer = startTimer(() => this.#due(), Math.max(at - performance.now(), 0) + 1);
  }

  /** Not all workers look at the same time. */
  #lookLater(): void {
    clearTimeout(this.#lookTimer);
    if (this.#isStopped) return;
    this.#lookTimer = startTimer(() => this.#lookNow(), LOOK_MS * (0.9 + Math.random() / 5));
  }

  /** Forgets where it is listed: something may have been missed, or it looks by itself. */
  reset(): void {
    for (const queue of this.#crew.queues) this.#unlist(queue);
  }

  /** It has no hands free: others are to be told of what comes, and of what is there. */
  leave(): void {
    this.reset();
    const { calls, name, queues } = this.#crew;
    // If it fails, the others look by themselves in some seconds.
    calls.attempt("wait", [name, 0, ...queues]).catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#dueTimer);
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  #due(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.reset();
    this.#come();
  }

  #lookNow(): void {
    this.reset();
    this.#look();
  }
}
