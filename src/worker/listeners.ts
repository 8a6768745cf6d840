import type { EventEmitter } from "node:events";
import { attempt, report } from "../client/faults.ts";
import type { Logger } from "../client/observing.ts";
import type { WorkerEvents } from "./reports.ts";

type Name = keyof WorkerEvents;

/**
 * Calls the listeners of a worker's events at the end of the turn, when the jobs that a reply
 * brought have begun. What a listener throws concerns no job and no other listener.
 */
export class Listeners {
  readonly #worker: EventEmitter<WorkerEvents>;
  readonly #logger: Logger | undefined;
  #due: { name: Name; args: readonly unknown[] }[] = [];

  constructor(worker: EventEmitter<WorkerEvents>, logger: Logger | undefined) {
    this.#worker = worker;
    this.#logger = logger;
  }

  /** Has the listeners of an event called. It costs next to nothing if there are none. */
  tell<Event extends Name>(name: Event, ...args: WorkerEvents[Event]): void {
    if (this.#worker.listenerCount(name) === 0) return;
    if (this.#due.push({ name, args }) === 1) setImmediate(() => this.flush());
  }

  /** Calls now whichever listeners are still to be called. */
  flush(): void {
    const due = this.#due;
    this.#due = [];
    for (const { name, args } of due) {
      this.#call(name, args, (error) => this.#failed(error, name));
    }
  }

  #call(name: Name, args: readonly unknown[], failed: (error: unknown) => void): void {
    for (const listener of this.#worker.rawListeners(name)) {
      attempt(() => Reflect.apply(listener, this.#worker, args), failed);
    }
  }

  #failed(error: unknown, name: Name): void {
    if (this.#worker.listenerCount("error") === 0) this.#report(error, name);
    // A listener of errors that throws itself is not called again for that.
    else this.#call("error", [error, name], (another) => this.#report(another, "error"));
  }

  #report(error: unknown, name: Name): void {
    report(this.#logger, error, `A listener of "${name}" threw an error`);
  }
}
