import { LostLock, Refused } from "../engine.ts";
import type { Calls, Words } from "./calls.ts";
import type { AnyJobs, Klass, Output, Registry } from "./registry.ts";
import { type Duration, invalid, seconds } from "./times.ts";

/** What becomes of a job that has run well. */
export interface Completion {
  /** What its data is to be from now on; left out, it stays. */
  data?: unknown;
  /** The queue that it goes on to, instead of being complete. */
  next?: string;
  delay?: Duration;
  /** Jids that it waits for in the next queue. */
  depends?: readonly string[];
}

export interface RetryOptions {
  /** How long to rest; left out, the job's backoff decides. */
  delay?: Duration;
  /** Why, in case that no retry is left and the job fails. */
  group?: string;
  message?: string;
  /** False to spend no retry. */
  spend?: boolean;
}

/** The values of a popped job, in the order of the protocol; most end with `expires`. */
export type PoppedValues = [
  jid: string,
  klass: string,
  queue: string,
  data: string,
  lease: string,
  expires: string,
  ...more: string[],
];

/** The values that every job has; where cutoff and context are among those behind them. */
const USUAL = 6;
const CUTOFF = 6;
const CONTEXT = 8;
const NO_MORE: readonly string[] = [];

/**
 * A job that this worker holds under a lock. Its verbs are refused with `LostLock` when the lock
 * went to somebody else: then stop, and undo what can be undone.
 */
export class RunningJob<Jobs extends Registry = AnyJobs, K extends Klass<Jobs> = Klass<Jobs>> {
  readonly jid: string;
  readonly klass: K;
  readonly queue: string;
  readonly worker: string;
  /** Grows with each hand-out of the job: pass it on to guard your own writes. */
  readonly lease: number;
  readonly rawData: string;
  readonly priority: number;
  readonly retries: number;
  readonly remaining: number;
  readonly tags: readonly string[];
  readonly source: string | undefined;
  /** How long one run of this job may last in all, if it says so itself. */
  readonly cutoffMs: number | undefined;
  /** What travels with the job: the trace that it was put in, as OpenTelemetry's propagators say. */
  readonly context: Readonly<Record<string, string>>;
  /** @internal What it was made of, for those who tell others of it. */
  readonly values: PoppedValues;
  readonly #calls: Calls;
  #expires: Date;
  #data: { value: Output<Jobs, K> } | undefined;

  /** @internal */
  constructor(calls: Calls, worker: string, values: PoppedValues) {
    const more = values.length > USUAL ? values.slice(USUAL) : NO_MORE;
    const [priority = "0", retries = "5", remaining = retries, tags, source = ""] = more;
    this.#calls = calls;
    this.values = values;
    this.jid = values[0];
    this.klass = values[1] as K;
    this.queue = values[2];
    this.worker = worker;
    this.lease = Number(values[4]);
    this.rawData = values[3];
    this.priority = Number(priority);
    this.retries = Number(retries);
    this.remaining = Number(remaining);
    this.tags = tags === undefined ? [] : (JSON.parse(tags) as string[]);
    this.source = source === "" ? undefined : source;
    const cutoff = more[CUTOFF] ?? "";
    this.cutoffMs = cutoff === "" ? undefined : Number(cutoff) * 1000;
    const context = more[CONTEXT];
    this.context = context ? (JSON.parse(context) as Record<string, string>) : {};
    this.#expires = new Date(Number(values[5]) * 1000);
  }

  /** The job's data, read from its JSON. */
  get data(): Output<Jobs, K> {
    this.#data ??= { value: JSON.parse(this.rawData) as Output<Jobs, K> };
    return this.#data.value;
  }

  /** @internal Takes what a schema has made of the data. */
  setData(value: unknown): void {
    this.#data = { value: value as Output<Jobs, K> };
  }

  /** Until when the lock lasts. */
  get expires(): Date {
    return this.#expires;
  }

  /** Renews the lock, and keeps new data with the job if there is any; tells until when. */
  async heartbeat(data?: unknown): Promise<Date> {
    const kept = data === undefined ? "" : JSON.stringify(data);
    const beat = await this.#hold("heartbeat", [this.jid, this.worker, kept, ...this.#lease()]);
    this.#expires = new Date(Number(beat) * 1000);
    return this.#expires;
  }

  /** Ends the run well, and tells the new state: `complete`, or what the job is in its next queue. */
  async complete(completion: Completion = {}): Promise<string> {
    const { next, delay, depends } = completion;
    const data = "data" in completion ? JSON.stringify(completion.data ?? null) : this.rawData;
    const words: (string | number)[] = [this.jid, this.worker, this.queue, data];
    if (next !== undefined) words.push("next", next);
    if (delay !== undefined) words.push("delay", seconds(delay, "delay"));
    if (depends !== undefined) words.push("depends", JSON.stringify(depends));
    return String(await this.#hold("complete", [...words, ...this.#lease()]));
  }

  /** Ends the run as failed for good, in a group of failures. */
  async fail(group: string, message: string, data?: unknown): Promise<void> {
    const kept = data === undefined ? "" : JSON.stringify(data);
    const words = [this.jid, this.worker, group, message, kept, ...this.#lease()];
    await this.#hold("fail", words);
  }

  /** Gives the job back to be tried again; tells how many retries are left, -1 when it failed. */
  async retry(options: RetryOptions = {}): Promise<number> {
    const { delay, group = "", message = "", spend } = options;
    if (message !== "" && group === "") throw invalid("A retry with a message needs a group");
    const rest = delay === undefined ? "" : seconds(delay, "delay");
    const words = [this.jid, this.queue, this.worker, rest, group, message, ...this.#lease()];
    words.push("lot", Math.random());
    if (spend === false) words.push("spend", 0);
    return Number(await this.#hold("retry", words));
  }

  #lease(): (string | number)[] {
    return ["lease", this.lease];
  }

  /** To who held it, a job that runs no more is a lost lock as well. */
  async #hold(command: "heartbeat" | "complete" | "fail" | "retry", words: Words) {
    try {
      return await this.#calls.write(command, words);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "NOT_RUNNING") throw error;
      throw new LostLock(error.code, error.message, { cause: error });
    }
  }
}
