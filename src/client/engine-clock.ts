import { startTimer } from "../timers.ts";
import type { Calls } from "./calls.ts";
import { engineTime } from "./engine-time.ts";

/** How long the difference of the two clocks is believed, in milliseconds. */
const FRESH_MS = 10_000;
/** Clocks go a little differently; one that differs by more than so much was set. */
const STEP_MS = 100;
/** So soon after something was planned by it, it is found out whether it is right. */
const CHECK_MS = 400;
/** The engine's time is told in whole milliseconds. */
const ROUNDING_MS = 1;

/**
 * The engine's time, by which locks expire and jobs are due: this machine's clock may be minutes
 * off. It is asked for now and then, and reckoned in between.
 */
export class EngineClock {
  readonly #calls: Calls;
  readonly #stepped: (() => void)[] = [];
  /** The engine's time, less this process's milliseconds; unknown before it was asked for. */
  #offset: number | undefined;
  #asked = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #check: NodeJS.Timeout | undefined;
  #isStopped = false;

  /**
   * `stepped` is told when the engine's time is another than was reckoned: its clock was set, another
   * server took over, or this machine was asleep.
   */
  constructor(calls: Calls, stepped?: () => void) {
    this.#calls = calls;
    if (stepped !== undefined) this.onStep(stepped);
  }

  /** Adds another listener to those that are told when the clock was set. */
  onStep(stepped: () => void): void {
    this.#stepped.push(stepped);
  }

  /** Milliseconds since 1970. */
  async now(): Promise<number> {
    if (performance.now() - this.#asked > FRESH_MS) await this.ask();
    return this.estimate();
  }

  /** The same by what was learned last, without asking. */
  estimate(): number {
    return (this.#offset ?? 0) + performance.now();
  }

  /** When it is that time of the engine's clock, in this process's milliseconds. */
  here(time: number): number {
    return time - (this.#offset ?? 0);
  }

  /** Asks, whatever was learned before; one question at a time is enough for all who ask. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Asks a little later, once for all who say so until then: they have planned something by it. */
  checkSoon(): void {
    if (this.#isStopped) return;
    this.#check ??= startTimer(() => {
      this.#check = undefined;
      // Whoever calls next finds out that there is no answer.
      this.ask().catch(() => {});
    }, CHECK_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#check);
  }

  async #ask(): Promise<void> {
    const begun = performance.now();
    this.learn(begun, (await engineTime(this.#calls)).getTime());
  }

  /** Takes the engine's time, in milliseconds, from the answer to a call that began at `begun`. */
  learn(begun: number, time: number): void {
    this.#asked = begun;
    this.#compare(time - performance.now() - ROUNDING_MS, time - begun + ROUNDING_MS);
  }

  /**
   * The time was read somewhere between the question and the answer, so the difference lies between
   * `least` and `most`. What was known before is moved no further than that requires: an answer that
   * came late says little.
   */
  #compare(least: number, most: number): void {
    const before = this.#offset;
    const nearest = before === undefined ? Number.NaN : Math.min(Math.max(before, least), most);
    if (Math.abs(nearest - before!) <= STEP_MS) {
      this.#offset = nearest;
      return;
    }
    this.#offset = (least + most) / 2;
    if (before === undefined) return;
    for (const stepped of this.#stepped) stepped();
  }
}
