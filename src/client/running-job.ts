import { LostLock, Refused } from "../engine.ts";
import type { Calls, Words } from "./calls.ts";
import { checkKnown, type Known } from "./known.ts";
import { type ReadMore, readMore } from "./popped-more.ts";
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

export const COMPLETION: Known<Completion> = {
  ...{ data: true, next: true, delay: true, depends: true },
};
export const RETRY: Known<RetryOptions> = {
  ...{ delay: true, group: true, message: true, spend: true },
};

/** The group of failures of jobs whose records are damaged. */
export const DAMAGED = "damaged";

const NO_MORE: ReadMore = { more: {}, damaged: [] };
const NO_TAGS: readonly string[] = Object.freeze([]);
const NO_CONTEXT: Readonly<Record<string, string>> = Object.freeze({});

type Values = [string, string, string, string, string, string, string];

const damageOf = (jid: string, fields: readonly string[]) =>
  `Job ${jid} is damaged: its ${fields.join(" and ")} cannot be read. Run "qless check --repair"`;

/** Where the data of a popped job is: the one value that may have tabs in it. */
const DATA = 6;

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
  readonly popped: string;
  /** @internal What of it cannot be read, as a sentence: it must not be run. */
  readonly damage: string | undefined;
  readonly #calls: Calls;
  #expiresMs: number;
  #data: { value: Output<Jobs, K> } | undefined;

  /** @internal Reads a job as pop and finish tell it. */
  constructor(calls: Calls, worker: string, popped: string) {
    const values = popped.split("\t");
    const [jid, klass, queue, lease, expires, said, data] = values as Values;
    const { more, damaged } = said === "" ? NO_MORE : readMore(said);
    this.#calls = calls;
    this.popped = popped;
    this.jid = jid;
    this.klass = klass as K;
    this.queue = queue;
    this.worker = worker;
    this.lease = Number(lease);
    this.rawData = values.length === DATA + 1 ? data : values.slice(DATA).join("\t");
    this.priority = more.priority ?? 0;
    this.retries = more.retries ?? 5;
    this.remaining = more.remaining ?? this.retries;
    this.tags = more.tags ?? NO_TAGS;
    this.source = more.source;
    this.cutoffMs = more.cutoff === undefined ? undefined : more.cutoff * 1000;
    this.context = more.context ?? NO_CONTEXT;
    this.#expiresMs = Number(expires) * 1000;
    this.damage =
      damaged.length === 0 && Number.isFinite(this.lease)
        ? undefined
        : damageOf(jid, Number.isFinite(this.lease) ? damaged : [...damaged, "lease"]);
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
    return new Date(this.#expiresMs);
  }

  /** @internal The same in milliseconds, for who asks of every job. */
  get expiresMs(): number {
    return this.#expiresMs;
  }

  /** Renews the lock, and keeps new data with the job if there is any; tells until when. */
  async heartbeat(data?: unknown): Promise<Date> {
    const kept = data === undefined ? "" : JSON.stringify(data);
    const beat = await this.#hold("heartbeat", [this.jid, this.worker, kept, ...this.#lease()]);
    this.#expiresMs = Number(beat) * 1000;
    return this.expires;
  }

  /**
   * Writes into the job's history how far the run is, from 0 to 1 if that is known, and renews the
   * lock. Returns when the lock expires. A worker's `context.checkin` limits how often it does so.
   */
  async checkin(message: string, progress?: number): Promise<Date> {
    const words = [this.jid, this.worker, message, ...this.#lease()];
    if (progress !== undefined) words.push("progress", progress);
    this.#expiresMs = Number(await this.#hold("checkin", words)) * 1000;
    return this.expires;
  }

  /** Ends the run well, and tells the new state: `complete`, or what the job is in its next queue. */
  async complete(completion: Completion = {}): Promise<string> {
    checkKnown("of complete", completion, COMPLETION);
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
    checkKnown("of retry", options, RETRY);
    const { delay, group = "", message = "", spend } = options;
    if (message !== "" && group === "") throw invalid("A retry with a message needs a group");
    const rest = delay === undefined ? "" : seconds(delay, "delay");
    const words = [this.jid, this.queue, this.worker, rest, group, message, ...this.#lease()];
    words.push("lot", Math.random());
    if (spend === false) words.push("spend", 0);
    return Number(await this.#hold("retry", words));
  }

  /** Without a lease that can be read, the worker's name alone tells whose job it is. */
  #lease(): (string | number)[] {
    return Number.isFinite(this.lease) ? ["lease", this.lease] : [];
  }

  /** To who held it, a job that runs no more is a lost lock as well. */
  async #hold(command: "heartbeat" | "checkin" | "complete" | "fail" | "retry", words: Words) {
    try {
      return await this.#calls.write(command, words);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "NOT_RUNNING") throw error;
      throw new LostLock(error.code, error.message, { cause: error });
    }
  }
}
