import type { CallLimits, Calls, Words } from "./calls.ts";
import { type Explanation, explain } from "./explain.ts";
import type { FailureJson, HistoryJson, JobJson, State } from "./job-json.ts";
import { moved } from "./moving.ts";
import type { Parts } from "./parts.ts";
import type { AnyJobs, Klass, Output, Registry } from "./registry.ts";
import { momentOf } from "./times.ts";
import { endOf, resultOf, type WaitOptions } from "./waiting.ts";

/** Something that happened to a job. */
export interface HistoryEntry {
  /** `put`, `popped`, `done`, `failed`, `timed-out`, or what was logged. */
  what: string;
  when: Date;
  /** The other members of the entry: queue, worker, group, data. */
  details: Readonly<Record<string, unknown>>;
}

export interface Failure {
  group: string;
  message: string;
  when: Date | undefined;
  worker: string;
}

/**
 * A job as it was when it was read. Its methods change the job where it is kept, and the object
 * only when they say so; `refresh` reads it again.
 */
export class Job<Jobs extends Registry = AnyJobs, K extends Klass<Jobs> = Klass<Jobs>> {
  readonly jid: string;
  readonly klass: K;
  readonly #parts: Parts;
  readonly #calls: Calls;
  #json: JobJson;
  #data: { value: Output<Jobs, K> } | undefined;

  /** @internal */
  constructor(parts: Parts, json: JobJson) {
    this.#parts = parts;
    this.#calls = parts.calls;
    this.#json = json;
    this.jid = json.jid;
    this.klass = json.klass as K;
  }

  /** The job's data, read from its JSON; `rawData` is the text itself. */
  get data(): Output<Jobs, K> {
    this.#data ??= { value: JSON.parse(this.#json.data) as Output<Jobs, K> };
    return this.#data.value;
  }

  /** The job's data as it was put, byte for byte. */
  get rawData(): string {
    return this.#json.data;
  }

  get state(): State {
    return this.#json.state;
  }

  /** Where the job is, or was last. */
  get queue(): string {
    return this.#json.queue;
  }

  /** Who runs the job; empty when nobody does. */
  get worker(): string {
    return this.#json.worker;
  }

  get priority(): number {
    return this.#json.priority;
  }

  get tags(): readonly string[] {
    return this.#json.tags;
  }

  /** How often the job may be tried again in all, and how often still. */
  get retries(): number {
    return this.#json.retries;
  }

  get remaining(): number {
    return this.#json.remaining;
  }

  /** Jids of the jobs that this one waits for. */
  get dependencies(): readonly string[] {
    return this.#json.dependencies;
  }

  /** Jids of the jobs that wait for this one. */
  get dependents(): readonly string[] {
    return this.#json.dependents;
  }

  get tracked(): boolean {
    return this.#json.tracked;
  }

  /** Until when the job is locked, while it runs. */
  get expires(): Date | undefined {
    return momentOf(this.#json.expires);
  }

  /** When the job is due, if it is put off. */
  get scheduled(): Date | undefined {
    return momentOf(this.#json.scheduled);
  }

  get source(): string | undefined {
    return this.#json.source ?? undefined;
  }

  /** The unique key that the job holds. */
  get unique(): string | undefined {
    return this.#json.unique ?? undefined;
  }

  /** The recurring job or schedule that made this one. */
  get spawnedFrom(): string | undefined {
    return this.#json.spawned_from_jid ?? undefined;
  }

  /** How a run of the job failed last, unless it got through since. */
  get failure(): Failure | undefined {
    return failureFrom(this.#json.failure);
  }

  /** How a run failed first since the job had all its retries: often the cause of the others. */
  get firstFailure(): Failure | undefined {
    return failureFrom(this.#json.first_failure ?? {});
  }

  get history(): readonly HistoryEntry[] {
    return this.#json.history.map(entryFrom);
  }

  /** The job as the protocol shows it: times in seconds, data as the text that was put. */
  toJSON(): JobJson {
    return this.#json;
  }

  /** Reads the job again; false when it is gone, and then the object stays as it is. */
  async refresh(limits?: CallLimits): Promise<boolean> {
    const json = await this.#calls.json<JobJson | undefined>("get", [this.jid], limits);
    if (json === undefined) return false;
    this.#json = json;
    this.#data = undefined;
    return true;
  }

  /** Removes the job, whatever its state but complete. */
  async cancel(limits?: CallLimits): Promise<void> {
    await this.#calls.write("cancel", [this.jid], limits);
  }

  /** Takes the job out of where it is and puts it into a queue, as it is. */
  async move(queue: string, limits?: CallLimits): Promise<void> {
    await moved(this.#calls, queue, this.jid, limits);
  }

  /** Lets a job that failed, or waits for its time, run as soon as it can. */
  async retry(limits?: CallLimits): Promise<void> {
    await moved(this.#calls, "", this.jid, limits);
  }

  async setPriority(priority: number, limits?: CallLimits): Promise<void> {
    await this.#calls.write("priority", [this.jid, priority], limits);
  }

  /** Adds tags, and tells all that the job has now. */
  tag(...tags: string[]): Promise<string[]> {
    return this.#tags("add", tags);
  }

  untag(...tags: string[]): Promise<string[]> {
    return this.#tags("remove", tags);
  }

  /** Announces what happens to the job on channels of its own. */
  async track(limits?: CallLimits): Promise<void> {
    await this.#calls.write("track", ["track", this.jid], limits);
  }

  async untrack(limits?: CallLimits): Promise<void> {
    await this.#calls.write("track", ["untrack", this.jid], limits);
  }

  /** Makes a job that waits for others wait for these as well. */
  async dependOn(...jids: string[]): Promise<void> {
    await this.#write("depends", "on", ...jids);
  }

  /** Lets the job no longer wait for these; without any, for none at all. */
  async undepend(...jids: string[]): Promise<void> {
    await this.#write("depends", "off", ...(jids.length === 0 ? ["all"] : jids));
  }

  /** Adds an entry to the job's history. */
  async log(message: string, data?: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#write("log", message, ...(data === undefined ? [] : [JSON.stringify(data)]));
  }

  /** Takes a running job from its worker, so that another can have it at once. */
  async timeout(limits?: CallLimits): Promise<void> {
    await this.#calls.write("timeout", [this.jid], limits);
  }

  /** Why the job is not running. */
  explain(limits?: CallLimits): Promise<Explanation> {
    return explain(this.#calls, this.jid, limits);
  }

  /** Waits until the job is complete, and tells its data then; `JobFailed` if it ends otherwise. */
  async result(options?: WaitOptions): Promise<Output<Jobs, K>> {
    const end = await endOf(this.#parts, this.jid, options);
    return resultOf(this.jid, end) as Output<Jobs, K>;
  }

  async #tags(command: "add" | "remove", tags: string[]): Promise<string[]> {
    const reply = await this.#calls.write("tag", [command, this.jid, ...tags]);
    return JSON.parse(reply as string) as string[];
  }

  #write(command: "depends" | "log", ...words: Words): Promise<unknown> {
    return this.#calls.write(command, [this.jid, ...words]);
  }
}

function failureFrom({ group, message = "", when, worker = "" }: FailureJson): Failure | undefined {
  return group === undefined ? undefined : { group, message, when: momentOf(when), worker };
}

function entryFrom({ what, when, ...details }: HistoryJson): HistoryEntry {
  return { what, when: new Date(when * 1000), details };
}
