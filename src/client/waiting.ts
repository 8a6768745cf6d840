import { QlessError, Timeout } from "../engine.ts";
import { startTimer } from "../timers.ts";
import type { JobJson } from "./job-json.ts";
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

/** How a job ended: complete, failed for good, or gone: canceled, or no longer kept. */
export type End = { state: "complete" | "failed"; json: JobJson } | { state: "gone" };

/**
 * Waits until a job has ended. Nothing is asked while nothing happens: an event of the job, or the
 * word that events were missed, is the time to look again.
 */
export async function endOf(
  { calls, events }: Parts,
  jid: string,
  { signal, timeout }: WaitOptions = {},
): Promise<End> {
  const ms = timeout === undefined ? undefined : milliseconds(timeout, "timeout");
  signal?.throwIfAborted();
  const bell = new Bell(signal, ms === undefined ? undefined : { ms, late: () => late(jid, ms) });
  // Listening begins before the first look, so that nothing can happen between the two.
  const off = await events.on({ jid }, () => bell.ring());
  try {
    for (;;) {
      bell.reset();
      const json = await calls.json<JobJson | undefined>("get", [jid], { signal });
      if (json === undefined) return { state: "gone" };
      const { state } = json;
      if (state === "complete" || state === "failed") return { state, json };
      await bell.rung();
    }
  } finally {
    bell.close();
    await off();
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

/** Something to wait for that may ring at any time, be called off, or take too long. */
class Bell {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #hasRung = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(
    signal: AbortSignal | undefined,
    limit: { ms: number; late: () => Error } | undefined,
  ) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#stop);
    if (limit !== undefined) this.#timer = startTimer(() => this.#end(limit.late()), limit.ms);
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#hasRung = false;
  }

  async rung(): Promise<void> {
    if (!this.#hasRung && this.#error === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#stop);
  }

  readonly #stop = () => this.#end(this.#signal!.reason);

  #end(error: unknown): void {
    this.#error = error;
    this.#wake?.();
  }
}
