import { type CallLimits, LIMITS } from "./calls.ts";
import { checkKnown, type Known } from "./known.ts";
import type { Parts } from "./parts.ts";
import { jsonOf } from "./putting.ts";
import type { CountsJson } from "./queue-types.ts";
import { type AnyJobs, checkedData, type Input, type Klass, type Registry } from "./registry.ts";
import { type Duration, invalid, momentOf, seconds } from "./times.ts";

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
  /** The data as it was given, byte for byte. */
  rawData: string;
  intervalMs: number;
  priority: number;
  retries: number;
  tags: string[];
  backlog: number;
  /** Children so far. */
  count: number;
  paused: boolean;
  /** When the next child is due; undefined while it is paused. */
  next: Date | undefined;
}

interface RecurringJson
  extends Omit<Recurring, "data" | "rawData" | "intervalMs" | "paused" | "next"> {
  data: string;
  interval: number;
  paused?: true;
  next?: number;
}

const KNOWN: Known<RecurringOptions & CallLimits> = {
  ...{ queue: true, interval: true, offset: true, priority: true, tags: true, retries: true },
  ...{ backlog: true, ...LIMITS },
};

/** Queues that one call looks at. */
const QUEUES = 500;

/** Where a list goes on: in which of the queues, and how many of its recurring jobs are told. */
interface Spot {
  queue: number;
  offset: number;
}

function spotFrom(cursor: string): Spot {
  if (cursor === "") return { queue: 0, offset: 0 };
  const [, queue, offset] = /^(\d{1,9})-(\d{1,9})$/.exec(cursor) ?? [];
  if (queue === undefined) throw invalid("The cursor is not one that a list has given");
  return { queue: Number(queue), offset: Number(offset) };
}

function recurringFrom({ interval, paused, next, data, ...rest }: RecurringJson): Recurring {
  return {
    ...rest,
    data: JSON.parse(data),
    rawData: data,
    intervalMs: interval * 1000,
    paused: paused === true,
    next: momentOf(next),
  };
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
    checkKnown("of a recurring job", options, KNOWN);
    const { calls, jobs } = this.#parts;
    await checkedData(jobs, klass, data);
    const { queue = klass, interval, offset = 0, priority, tags, retries, backlog } = options;
    const every = seconds(interval, "interval");
    const words: (string | number)[] = [queue, jid, klass, jsonOf(klass, data), "interval", every];
    words.push(seconds(offset, "offset"));
    if (priority !== undefined) words.push("priority", priority);
    if (tags !== undefined) words.push("tags", JSON.stringify(tags));
    if (retries !== undefined) words.push("retries", retries);
    if (backlog !== undefined) words.push("backlog", backlog);
    const { signal, timeout } = options;
    await calls.write("recur", words, { signal, timeout });
  }

  async get(jid: string, limits?: CallLimits): Promise<Recurring | undefined> {
    type Shape = RecurringJson | undefined;
    const json = await this.#parts.calls.json<Shape>("recur.get", [jid], limits);
    return json && recurringFrom(json);
  }

  /**
   * The recurring jobs of all queues that are listed, some at a time, queue by queue; no cursor at
   * the end. It may be fewer than asked for, or none, before the end is reached: a call looks at
   * 500 queues at most.
   */
  async list(
    { cursor = "", count = 25 }: { cursor?: string | undefined; count?: number } = {},
    limits?: CallLimits,
  ): Promise<{ recurring: Recurring[]; cursor: string | undefined }> {
    const { calls } = this.#parts;
    const start = spotFrom(cursor);
    const words = ["", start.queue, QUEUES];
    const queues = await calls.json<CountsJson[]>("queues", words, limits);
    const { jids, spot } = await this.#jids(queues, start, count, limits);
    const asked = jids.map((jid) => this.get(jid, limits));
    const recurring = (await Promise.all(asked)).filter((one) => one !== undefined);
    const isOver = spot.queue >= start.queue + queues.length && queues.length < QUEUES;
    return { recurring, cursor: isOver ? undefined : `${spot.queue}-${spot.offset}` };
  }

  /** The jids from a spot on, queue by queue, and where they go on. */
  async #jids(
    queues: readonly CountsJson[],
    start: Spot,
    count: number,
    limits?: CallLimits,
  ): Promise<{ jids: string[]; spot: Spot }> {
    const jids: string[] = [];
    let { queue, offset } = start;
    for (const { name, recurring } of queues) {
      const wanted = count - jids.length;
      if (recurring > offset) {
        const page = ["recurring", name, offset, wanted];
        const found = (await this.#parts.calls.read("jobs", page, limits)) as string[];
        jids.push(...found);
        if (found.length === wanted) return { jids, spot: { queue, offset: offset + wanted } };
      }
      queue += 1;
      offset = 0;
    }
    return { jids, spot: { queue, offset } };
  }

  async pause(jid: string, limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("recur.pause", [jid], limits);
  }

  /** Goes on in its rhythm, with the next child from now. */
  async unpause(jid: string, limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("recur.unpause", [jid], limits);
  }

  /** Ends it, if there is one; its children stay. */
  async remove(jid: string, limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("unrecur", [jid], limits);
  }
}
