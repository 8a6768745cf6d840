import type { Logger } from "../client/observing.ts";
import { FOREVER_MS, startTimer } from "../timers.ts";
import type { StopReport } from "../worker/reports.ts";
import type { Worker } from "../worker/worker.ts";
import { EXIT } from "./exit-codes.ts";
import { onUncaught } from "./uncaught.ts";

/** How a worker process came to its end. */
export interface Ending {
  code: number;
  /** What the worker said when it had stopped; undefined when that was not waited for. */
  report: StopReport | undefined;
}

/** After a second signal, jobs are given back, if that takes no longer, in milliseconds. */
const AT_ONCE_MS = 3000;
/**
 * A signal that comes again so soon, in milliseconds, is the same: of Ctrl-C the terminal tells
 * every process, and npx and timeout then pass it on as well.
 */
const SAME_MS = 300;

/** What signals mean to a worker, and which of them decides how the process ends. */
export class Obedience {
  /** Resolves when the worker has stopped, or is not waited for any more. */
  readonly ended: Promise<Ending>;
  readonly #worker: Worker;
  readonly #log: Logger;
  #end!: (ending: Ending) => void;
  #asked = 0;
  #last: { signal: string; at: number } | undefined;
  /** What the code will be, whatever the worker says. */
  #code: number | undefined;

  constructor(worker: Worker, log: Logger) {
    this.#worker = worker;
    this.#log = log;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Hears signals from now on, and errors that nobody has caught. */
  listen(): void {
    process.on("SIGTERM", (signal) => this.#ask(signal));
    process.on("SIGINT", (signal) => this.#ask(signal));
    process.on("SIGQUIT", () => this.#finish());
    process.on("SIGUSR2", () => this.#pause());
    process.on("SIGCONT", () => this.#resume());
    onUncaught((err) => this.#broken(err));
  }

  #ask(signal: NodeJS.Signals): void {
    const last = this.#last;
    const at = performance.now();
    if (last?.signal === signal && at - last.at < SAME_MS) return;
    this.#last = { signal, at };
    this.#asked += 1;
    if (this.#asked === 1) {
      this.#log.info({ signal }, "Stopping; running jobs have their grace to end");
      this.#stop();
      return;
    }
    this.#log.warn({ signal }, "Stopping at once; running jobs are given back");
    this.#atOnce(signal === "SIGINT" ? EXIT.SIGINT : EXIT.SIGTERM);
    if (this.#asked > 2) this.#end({ code: this.#code!, report: undefined });
  }

  #finish(): void {
    this.#log.info({ signal: "SIGQUIT" }, "Stopping as soon as the running jobs have ended");
    this.#stop(FOREVER_MS);
  }

  #pause(): void {
    this.#worker.pause();
    this.#log.info({ signal: "SIGUSR2" }, "Paused: no more jobs are taken; SIGCONT resumes");
  }

  /** A shell sends it too, to a process that it brings back to the foreground. */
  #resume(): void {
    if (!this.#worker.isPaused) return;
    this.#worker.resume();
    this.#log.info({ signal: "SIGCONT" }, "Resumed");
  }

  /** Nobody knows what state the program is in, but its jobs can be given back. */
  #broken(err: unknown): void {
    this.#log.error({ err }, "An error that nobody caught; stopping at once");
    this.#atOnce(EXIT.FAILED);
  }

  #atOnce(code: number): void {
    this.#code ??= code;
    this.#stop(0);
    const end = () => this.#end({ code: this.#code!, report: undefined });
    startTimer(end, AT_ONCE_MS).unref();
  }

  #stop(graceMs?: number): void {
    const stopped = this.#worker.stop(graceMs === undefined ? {} : { grace: graceMs });
    stopped.then(
      (report) => this.#end({ code: this.#code ?? codeOf(report), report }),
      (err) => {
        this.#log.error({ err }, "The worker could not be stopped");
        this.#end({ code: EXIT.FAILED, report: undefined });
      },
    );
  }
}

const codeOf = ({ left }: StopReport) => (left.length === 0 ? EXIT.CLEAN : EXIT.FAILED);
