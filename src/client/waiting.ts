import { QlessError, Timeout } from "../engine.ts";
import { startTimer } from "../timers.ts";
import { LIMITS } from "./calls.ts";
import type { JobJson } from "./job-json.ts";
import { checkKnown, type Known } from "./known.ts";
import type { Parts } from "./parts.ts";
import { type Duration, milliseconds } from "./times.ts";

export interface WaitOptions {
  /** Ends the waiting. */
  signal?: AbortSignal;
  /** How long to wait; left out, until the job ends. */
  timeout?: Duration;
}

/** The job failed, or was canceled, while somebody waited for its result. */
export class JobFailed extends QlessError {
  readonly jid: string;
  readonly group: string;

  constructor(jid: string, code: "JOB_FAILED" | "JOB_GONE", group: string, message: string) {
    super(code, message);
    this.jid = jid;
    this.group = group;
  }
}

const WAIT: Known<WaitOptions> = LIMITS;

/** How a job ended: complete, failed for good, or gone: canceled, or no longer kept. */
export type End = { state: "complete" | "failed"; json: JobJson } | { state: "gone" };

/**
 * Waits until a job has ended. Nothing is asked while nothing happens: an event of the job, or the
 * word that events were missed, is the time to look again.
 */
export async function endOf(
  { calls, events }: Parts,
  jid: string,
  options: WaitOptions = {},
): Promise<End> {
  checkKnown("of a wait", options, WAIT);
  const { signal, timeout } = options;
  const ms = timeout === undefined ? undefined : milliseconds(timeout, "timeout");
  signal?.throwIfAborted();
  const bell = new Bell(signal, ms === undefined ? undefined : { ms, late: () => late(jid, ms) });
  // Listening begins before the first look, so that nothing can happen between the two.
  const listening = events.on({ jid }, () => bell.ring());
  try {
    await bell.before(listening);
    for (;;) {
      bell.reset();
      const json = await bell.before(calls.json<JobJson | undefined>("get", [jid]));
      if (json === undefined) return { state: "gone" };
      const { state } = json;
      if (state === "complete" || state === "failed") return { state, json };
      await bell.rung();
    }
  } finally {
    bell.close();
    // The engine may be silent: the caller does not wait for it to let go.
    listening.then((off) => off()).catch(() => {});
  }
}

/** The data of a job that is complete; `JobFailed` for one that ended in any other way. */
export function resultOf(jid: string, end: End): unknown {
  if (end.state === "gone") {
    const why = "it was canceled, never put, or is no longer kept";
    throw new JobFailed(jid, "JOB_GONE", "", `Job ${jid} does not exist: ${why}`);
  }
  if (end.state === "complete") return JSON.parse(end.json.data);
  const { group = "", message = "" } = end.json.failure;
  throw new JobFailed(jid, "JOB_FAILED", group, `Job ${jid} failed with ${group}: ${message}`);
}

function late(jid: string, ms: number): Timeout {
  return new Timeout("TIMEOUT", `Job ${jid} has not ended within ${ms} ms; it may still do so`);
}

/** Ends every wait of one caller when its time is over or its signal is aborted. */
class Bell {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #hasRung = false;
  #end: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(
    signal: AbortSignal | undefined,
    limit: { ms: number; late: () => Error } | undefined,
  ) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#stop);
    if (limit !== undefined) this.#timer = startTimer(() => this.#endWith(limit.late()), limit.ms);
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#hasRung = false;
  }

  /** The result of the work, unless the wait ends first. The work itself goes on. */
  before<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        if (this.#end !== undefined) reject(this.#end.error);
      };
      this.#wake();
      work.then(resolve, reject);
    });
  }

  async rung(): Promise<void> {
    if (!this.#hasRung && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#end !== undefined) throw this.#end.error;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#stop);
  }

  readonly #stop = () => this.#endWith(this.#signal!.reason);

  #endWith(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }
}
