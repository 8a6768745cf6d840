import type { Calls } from "../client/calls.ts";
import type { EngineClock } from "../client/engine-clock.ts";
import { Refused, refusalFrom } from "../engine.ts";
import { startTimer } from "../timers.ts";
import type { Run } from "./run.ts";

/** Locks that one call renews. */
const MAX_BEATS = 1000;
/** Beats that are due so soon, in milliseconds, go with the first. */
const TOGETHER_MS = 250;
/** Between two beats at least, however short a lock: it could not be kept by beating faster. */
const SOONEST_MS = 20;
/** After a call that failed. */
const AGAIN_MS = 500;
/** How long an answer may take beyond the end of a lock if the call was made just before the end. */
const ANSWER_MS = 250;
/** The same if the end was noticed late: this process stood still, or a clock was set. */
const LATE_ANSWER_MS = 2000;

interface Beating {
  calls: Calls;
  worker: string;
  clock: EngineClock;
  runs: Iterable<Run>;
  /** Told of calls that failed. */
  failed(error: unknown): void;
}

/**
 * Renews the locks of all runs, each after half of its time, as many as possible in one call. A run
 * is aborted when the engine refuses to renew its lock, and when its lock ends, even if a call that
 * should have renewed it is still waiting for its answer. One timer serves all runs.
 */
export class Beats {
  readonly #beating: Beating;
  #timer: NodeJS.Timeout | undefined;
  #check: NodeJS.Immediate | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #sending: Promise<void> | undefined;
  #stopped = false;

  constructor(beating: Beating) {
    this.#beating = beating;
  }

  /** Has the run's lock renewed from now on. */
  add(run: Run): void {
    this.#renewed(run, run.job.expiresMs);
    this.#wakeAt(run.beatAt);
    this.#beating.clock.checkSoon();
  }

  /** Renews a lock at once, or all of them: something was heard, or may have been missed. */
  now(jid?: string): void {
    for (const run of this.#beating.runs) {
      if (jid === undefined || run.jid === jid) run.beatAt = 0;
    }
    this.#wakeAt(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#check);
    await this.#sending;
  }

  #renewed(run: Run, expires: number): void {
    const now = performance.now();
    run.renewedAt = now;
    run.expires = expires;
    run.triedAt = Number.POSITIVE_INFINITY;
    run.beatAt = now + Math.max((this.#beating.clock.here(expires) - now) / 2, SOONEST_MS);
  }

  #wakeAt(at: number): void {
    if (at >= this.#dueAt || this.#stopped) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    const ms = Math.max(at - performance.now(), 0);
    this.#timer = startTimer(() => this.#beat(), ms);
  }

  #beat(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    // Answers that have arrived and were not read yet come before this check.
    this.#check ??= setImmediate(() => this.#abortOver());
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      this.#plan();
    });
    this.#plan();
  }

  /** Sets the timer for the next lock to renew, or the next to end. */
  #plan(): void {
    const now = performance.now();
    const isBusy = this.#sending !== undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const run of this.#beating.runs) {
      if (run.isLost) continue;
      // There is one call at a time, so a lock that is due during a call counts as tried.
      if (isBusy && run.beatAt <= now) run.triedAt = Math.min(run.triedAt, now);
      if (!isBusy || run.triedAt > now) first = Math.min(first, run.beatAt);
      first = Math.min(first, this.#overAt(run));
    }
    if (first !== Number.POSITIVE_INFINITY) this.#wakeAt(first);
  }

  /** When to give up a run if nothing is heard of its lock, in this process's milliseconds. */
  #overAt(run: Run): number {
    if (run.aborted !== undefined) return Number.POSITIVE_INFINITY;
    const end = this.#beating.clock.here(run.expires);
    if (run.triedAt > end) return run.triedAt + LATE_ANSWER_MS;
    return Math.max(end, run.triedAt + ANSWER_MS);
  }

  /** Aborts the runs whose locks have ended, since another worker may have their jobs. */
  #abortOver(): void {
    this.#check = undefined;
    const now = performance.now();
    for (const run of this.#beating.runs) {
      const late = now - this.#overAt(run);
      if (run.isLost || late < 0) continue;
      // If this process stood still, the answer may be there and only has to be read.
      const wasInTime = run.triedAt <= this.#beating.clock.here(run.expires);
      if (wasInTime && late > ANSWER_MS) run.triedAt = now;
      else run.abort("LOCK_LOST");
    }
    this.#plan();
  }

  async #send(): Promise<void> {
    const { calls, worker, runs, clock } = this.#beating;
    const until = performance.now() + TOGETHER_MS;
    const due: Run[] = [];
    for (const run of runs) {
      if (run.isLost || run.beatAt > until || due.length >= MAX_BEATS) continue;
      run.triedAt = Math.min(run.triedAt, performance.now());
      if (run.heardAt < run.renewedAt) this.#missed(run);
      else due.push(run);
    }
    if (due.length === 0) return;
    const words = due.flatMap(({ jid, claim }) => [jid, claim, ""]);
    try {
      const sent = calls.attempt("heartbeat.many", [worker, ...words]);
      const [answers] = await Promise.all([sent, clock.ask()]);
      due.forEach((run, i) => void this.#hear(run, (answers as string[])[i]!));
    } catch (error) {
      this.#beating.failed(error);
      for (const run of due) this.#missed(run);
    }
  }

  /** The answer for one lock: until when it lasts, or that it is gone. */
  #hear(run: Run, answer: string): void {
    const expires = Number(answer);
    if (Number.isFinite(expires)) {
      const before = run.expires;
      this.#renewed(run, expires * 1000);
      const isOver = run.expires <= this.#beating.clock.estimate();
      // It lasts no longer than before: the job has reached its cutoff, and then its end.
      if (isOver && run.expires <= before) run.abort("CUTOFF");
      return;
    }
    const refusal = refusalFrom(answer);
    const { code } = refusal instanceof Refused ? refusal : { code: "LOCK_LOST" };
    if (code === "PAST_CUTOFF") run.abort("CUTOFF");
    else if (code === "NO_SUCH_JOB") run.lose("CANCELED");
    else run.lose(run.isMoved ? "MOVED" : "LOCK_LOST");
    run.beatAt = Number.POSITIVE_INFINITY;
  }

  /** The lock could not be renewed, or its child is silent and must not keep it. */
  #missed(run: Run): void {
    run.beatAt = performance.now() + AGAIN_MS;
  }
}
