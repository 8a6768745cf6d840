import type { CallLimits } from "./calls.ts";
import type { Parts } from "./parts.ts";
import { jsonOf } from "./putting.ts";
import { type AnyJobs, checkedData, type Input, type Klass, type Registry } from "./registry.ts";
import { type Duration, milliseconds, momentOf, seconds } from "./times.ts";

/** A job that is put again and again at an interval. */
export interface RecurringOptions {
  /** Where children are put; default: the queue named after the klass. */
  queue?: string;
  interval: Duration;
  /** From now to the first child; default 0. */
  offset?: Duration;
  priority?: number;
  tags?: readonly string[];
  retries?: number;
  /** Of children that were missed, how many are still put; 0, the default, for all. */
  backlog?: number;
}

export interface Recurring {
  jid: string;
  klass: string;
  queue: string;
  data: unknown;
  intervalMs: number;
  priority: number;
  retries: number;
  tags: string[];
  backlog: number;
  /** Children so far. */
  count: number;
  /** When the next child is due. */
  next: Date | undefined;
}

interface RecurringJson extends Omit<Recurring, "data" | "intervalMs" | "next"> {
  data: string;
  interval: number;
  next: number;
}

/** Jobs at fixed intervals. For calendars, see schedules. */
export class RecurringJobs<Jobs extends Registry = AnyJobs> {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Defines a recurring job, or changes the one of that jid; its count of children goes on. */
  async set<K extends Klass<Jobs>>(
    jid: string,
    klass: K,
    data: Input<Jobs, K>,
    options: RecurringOptions & CallLimits,
  ): Promise<void> {
    const { calls, jobs } = this.#parts;
    await checkedData(jobs, klass, data);
    const { queue = klass, interval, offset = 0, priority, tags, retries, backlog } = options;
    const every = milliseconds(interval, "interval") / 1000;
    const words: (string | number)[] = [queue, jid, klass, jsonOf(klass, data), "interval", every];
    words.push(seconds(offset, "offset"));
    if (priority !== undefined) words.push("priority", priority);
    if (tags !== undefined) words.push("tags", JSON.stringify(tags));
    if (retries !== undefined) words.push("retries", retries);
    if (backlog !== undefined) words.push("backlog", backlog);
    await calls.write("recur", words, options);
  }

  async get(jid: string, limits?: CallLimits): Promise<Recurring | undefined> {
    type Shape = RecurringJson | undefined;
    const json = await this.#parts.calls.json<Shape>("recur.get", [jid], limits);
    if (json === undefined) return undefined;
    const { interval, next, data, ...rest } = json;
    const moment = momentOf(next);
    return { ...rest, data: JSON.parse(data), intervalMs: interval * 1000, next: moment };
  }

  /** Ends it, if there is one; its children stay. */
  async remove(jid: string, limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("unrecur", [jid], limits);
  }
}
