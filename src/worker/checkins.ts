import { startTimer } from "../timers.ts";
import type { Run } from "./run.ts";

/** Between two check-ins of a run that are written, in milliseconds. */
const APART_MS = 1000;
/** Characters of a message that are kept; the core takes 4,096 bytes, and a character has 4 at most. */
const MAX_CHARACTERS = 1000;

/** What a handler last said of how far it is. */
export interface Checkin {
  message: string;
  /** From 0 to 1, when it said so. */
  progress: number | undefined;
  at: Date;
}

/** A check-in as it can be written, whatever the handler gave. */
export function checkinOf(message: unknown, progress: unknown): Checkin {
  const share = typeof progress === "number" ? progress : Number.NaN;
  return {
    message: String(message).slice(0, MAX_CHARACTERS).toWellFormed(),
    progress: Number.isNaN(share) ? undefined : Math.min(Math.max(share, 0), 1),
    at: new Date(),
  };
}

/**
 * Writes the check-ins of one run into the history of its job: the first at once, then the last one
 * of each second when that second is over, and the last of all before the outcome of the run.
 */
export class Checkins {
  readonly #run: Run;
  /** The last one, while it is not written. */
  #pending: Checkin | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Takes a check-in. Rejects if it was written at once and refused, as when the lock was lost. */
  async add(checkin: Checkin): Promise<void> {
    this.#pending = checkin;
    if (this.#timer !== undefined || this.#writing !== undefined) return;
    await this.#write();
  }

  /** Writes what is left. It never rejects: what the run has come to is more important. */
  async end(): Promise<void> {
    await this.#writing?.catch(() => {});
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { isLost, aborted } = this.#run;
    const isHeld = !isLost && aborted?.code !== "LOCK_LOST";
    if (this.#pending !== undefined && isHeld) await this.#send().catch(() => {});
  }

  #write(): Promise<void> {
    this.#timer = startTimer(() => this.#secondIsOver(), APART_MS);
    this.#writing = this.#send().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  #secondIsOver(): void {
    this.#timer = undefined;
    if (this.#pending === undefined) return;
    // No caller waits for this one. If it fails, the next check-in or renewal fails as well.
    if (this.#writing === undefined) this.#write().catch(() => {});
    else this.#timer = startTimer(() => this.#secondIsOver(), APART_MS);
  }

  async #send(): Promise<void> {
    const { message, progress } = this.#pending!;
    this.#pending = undefined;
    this.#run.expires = (await this.#run.job.checkin(message, progress)).getTime();
  }
}
