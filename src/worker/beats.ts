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

interface Beating {
  calls: Calls;
  worker: string;
  clock: EngineClock;
  runs: Iterable<Run>;
  /** Told of calls that failed. */
  failed(error: unknown): void;
}

/**
 * Renews the locks of all runs, each after half of its time, as many as possible in one call. A
 * lock that was refused aborts its run, and so does one that ran out while nobody could be asked.
 */
export class Beats {
  readonly #beating: Beating;
  #timer: NodeJS.Timeout | undefined;
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
    await this.#sending;
  }

  #renewed(run: Run, expires: number): void {
    const now = performance.now();
    run.renewedAt = now;
    run.expires = expires;
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
    if (this.#sending !== undefined) return;
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined;
      this.#plan();
    });
  }

  #plan(): void {
    let first = Number.POSITIVE_INFINITY;
    for (const { beatAt, isLost } of this.#beating.runs) {
      if (!isLost && beatAt < first) first = beatAt;
    }
    if (first !== Number.POSITIVE_INFINITY) this.#wakeAt(first);
  }

  async #send(): Promise<void> {
    const { calls, worker, runs, clock } = this.#beating;
    const until = performance.now() + TOGETHER_MS;
    const due: Run[] = [];
    for (const run of runs) {
      if (run.isLost || run.beatAt > until || due.length >= MAX_BEATS) continue;
      if (run.heardAt < run.renewedAt) this.#missed(run);
      else due.push(run);
    }
    if (due.length === 0) return;
    const words = due.flatMap(({ jid, lease }) => [jid, lease, ""]);
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

  /** Nobody could be asked, or nobody is heard of who would need it. Once the time is over, somebody else may have the job. */
  #missed(run: Run): void {
    const now = performance.now();
    if (now >= this.#beating.clock.here(run.expires)) run.abort("LOCK_LOST");
    run.beatAt = now + AGAIN_MS;
  }
}
