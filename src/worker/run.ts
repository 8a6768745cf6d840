import type { RunningJob } from "../client/running-job.ts";
import { type AbortCode, RunAborted } from "./aborting.ts";
import type { Checkin } from "./checkins.ts";
import type { Outcome } from "./outcome.ts";

/** One job in the hands of this worker, from the pop until its outcome is sent. */
export class Run {
  readonly job: RunningJob;
  /** The same as the job's own, which its handler can change. */
  readonly jid: string;
  readonly klass: string;
  readonly lease: number;
  /** The lease as commands take it: empty if it cannot be read, so that the worker's name decides. */
  readonly claim: number | "";
  readonly #began = Date.now();
  /** Where it is among those that are held. */
  place = -1;
  checkin: Checkin | undefined;
  /** What the handler said it should come to. */
  outcome: Outcome | undefined;
  /** What the handler threw, if it did. */
  thrown: { error: unknown } | undefined;
  /**
   * When it was renewed last, and when whoever runs it was last heard of, if that is asked, in this
   * process's milliseconds: the lock of a run that is not heard of is not renewed.
   */
  renewedAt = 0;
  heardAt = Number.POSITIVE_INFINITY;
  /** When the lock ends, by the engine's clock. */
  expires = 0;
  /** When it is to be renewed, in this process's milliseconds. */
  beatAt = 0;
  /** When renewing it was first tried since it was last renewed, in this process's milliseconds. */
  triedAt = Number.POSITIVE_INFINITY;
  /** Whether the lock is gone, so that no outcome is sent. */
  isLost = false;
  /** Whether somebody says that the job was moved; whether this run lost it so, its lock tells. */
  isMoved = false;
  #reason: RunAborted | undefined;
  #controller: AbortController | undefined;

  constructor(job: RunningJob) {
    this.job = job;
    this.jid = job.jid;
    this.klass = job.klass;
    this.lease = job.lease;
    this.claim = Number.isFinite(job.lease) ? job.lease : "";
  }

  get began(): Date {
    return new Date(this.#began);
  }

  /** Made when it is first asked for: most handlers are done before anything could happen. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined && !this.#controller.signal.aborted) {
      this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Why it was told to stop; undefined when it was not. */
  get aborted(): RunAborted | undefined {
    return this.#reason;
  }

  /** Has the listener hear of the abort, also of one that has been. */
  onAbort(listener: (reason: RunAborted) => void): void {
    const { signal } = this;
    const tell = () => listener(signal.reason as RunAborted);
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell, { once: true });
  }

  /** Tells the handler to stop, because the lock is certainly gone. */
  lose(code: "LOCK_LOST" | "CANCELED" | "MOVED"): void {
    this.isLost = true;
    this.abort(code);
  }

  /** Tells the handler to stop; the first reason stays. */
  abort(code: AbortCode): void {
    if (this.#reason !== undefined) return;
    this.#reason = new RunAborted(this.jid, code);
    this.#controller?.abort(this.#reason);
  }
}
