import { type Duration, type Moment, milliseconds, momentMs } from "../client/times.ts";

/** A clock that stands still until it is moved. */
export class TestClock {
  #now: number;

  constructor(start: Moment = "2030-01-01T00:00:00Z") {
    this.#now = momentMs(start, "start");
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now;
  }

  get date(): Date {
    return new Date(this.#now);
  }

  /** Lets time go by. */
  advance(by: Duration): void {
    this.#now += milliseconds(by, "by");
  }

  /** Sets the time, forward or back. */
  set(to: Moment): void {
    this.#now = momentMs(to, "to");
  }
}
