import type { CommandName } from "../engine.ts";
import { type CallLimits, LIMITS, type Words } from "./calls.ts";
import { Job } from "./job.ts";
import type { JobJson, State } from "./job-json.ts";
import { checkKnown, type Known } from "./known.ts";
import { answerFrom } from "./moving.ts";
import type { Parts } from "./parts.ts";
import type { Klass, Registry } from "./registry.ts";
import type { AnyJob } from "./registry-jobs.ts";
import { type Moment, momentMs } from "./times.ts";

/** Which jobs to find; all that is said must hold. */
export interface Criteria<K extends string = string> {
  state?: State | undefined;
  queue?: string | undefined;
  /** With a `*` at its end, how the klass begins. */
  klass?: K | `${string}*` | undefined;
  tag?: string | undefined;
  source?: string | undefined;
  /** The group of a failure. */
  group?: string | undefined;
  /** Part of the jid. */
  jid?: string | undefined;
  /** When the job came into its present state. */
  from?: Moment | undefined;
  to?: Moment | undefined;
  /** Within each state of each queue; default `newest`. */
  order?: "newest" | "oldest" | undefined;
}

/** Some of the jobs that were found, and where to go on; no cursor when there are no more. */
export interface Found<Jobs extends Registry> {
  jobs: AnyJob<Jobs>[];
  cursor: string | undefined;
}

export interface BulkOptions extends CallLimits {
  /** Hears how many jobs were found, changed and refused so far. */
  onProgress?: (progress: BulkReport) => void;
  /** Hears which jobs were changed, slice by slice; the next slice waits for it. */
  onChanged?: (jids: string[]) => Promise<void> | void;
}

export interface BulkReport {
  found: number;
  done: number;
  refused: number;
  /** The first hundred jobs that could not be changed, and why. */
  errors: { jid: string; error: Error }[];
}

interface SearchJson {
  jids: string[];
  cursor: string;
  looked: number;
}

const BULK: Known<BulkOptions> = { onProgress: true, onChanged: true, ...LIMITS };

const CRITERIA: Known<Criteria> = {
  ...{ state: true, queue: true, klass: true, tag: true, source: true, group: true },
  ...{ jid: true, from: true, to: true, order: true },
};

/** Jobs that one call looks for, and changes. */
const SLICE = 500;
const MAX_ERRORS = 100;

/**
 * The jobs that meet some criteria, found a slice at a time: each call looks at a bounded number of
 * jobs, however many there are. Nothing is asked before somebody reads, counts or changes them.
 */
export class Search<Jobs extends Registry> implements AsyncIterable<AnyJob<Jobs>> {
  readonly #parts: Parts;
  readonly #words: Words;

  /** @internal */
  constructor(parts: Parts, criteria: Criteria<Klass<Jobs>>) {
    this.#parts = parts;
    this.#words = wordsOf(criteria);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnyJob<Jobs>, void, undefined> {
    for await (const jids of this.#slices()) yield* await this.#jobs(jids);
  }

  /** The jids alone, a slice at a time. */
  jids(limits?: CallLimits): AsyncGenerator<string[], void, undefined> {
    return this.#slices(limits);
  }

  /** Up to `count` jobs from a cursor on. It may be fewer, or none, before the end is reached. */
  async page(
    { cursor = "", count = 25 }: { cursor?: string | undefined; count?: number } = {},
    limits?: CallLimits,
  ): Promise<Found<Jobs>> {
    const slice = await this.#slice(cursor, count, limits);
    const jobs = await this.#jobs(slice.jids, limits);
    return { jobs, cursor: slice.cursor === "" ? undefined : slice.cursor };
  }

  /** How many there are: what a change would concern. */
  async count(options: BulkOptions = {}): Promise<number> {
    checkKnown("of a change of many jobs", options, BULK);
    const { onProgress, onChanged: _, ...limits } = options;
    const report = newReport();
    for await (const jids of this.#slices(limits)) {
      report.found += jids.length;
      onProgress?.({ ...report });
    }
    return report.found;
  }

  /** Lets all of them run as soon as they can, each in its queue: failed and scheduled ones too. */
  retry(options?: BulkOptions): Promise<BulkReport> {
    return this.#change("move", (jids) => ["", ...jids], options);
  }

  move(queue: string, options?: BulkOptions): Promise<BulkReport> {
    return this.#change("move", (jids) => [queue, ...jids], options);
  }

  cancel(options?: BulkOptions): Promise<BulkReport> {
    return this.#change("cancel.many", (jids) => jids, options);
  }

  setPriority(priority: number, options?: BulkOptions): Promise<BulkReport> {
    return this.#change("priority.many", (jids) => [priority, ...jids], options);
  }

  tag(tags: readonly string[], options?: BulkOptions): Promise<BulkReport> {
    return this.#change("tag.many", (jids) => ["add", JSON.stringify(tags), ...jids], options);
  }

  untag(tags: readonly string[], options?: BulkOptions): Promise<BulkReport> {
    return this.#change("tag.many", (jids) => ["remove", JSON.stringify(tags), ...jids], options);
  }

  /**
   * Finds all before it changes the first, for a change may bring a job to where the search has yet
   * to come by, and nothing should be changed twice.
   */
  async #change(
    command: CommandName,
    wordsFor: (jids: readonly string[]) => Words,
    options: BulkOptions = {},
  ): Promise<BulkReport> {
    checkKnown("of a change of many jobs", options, BULK);
    const { onProgress, onChanged, ...limits } = options;
    const report = newReport();
    const found = new Set<string>();
    for await (const jids of this.#slices(limits)) {
      for (const jid of jids) found.add(jid);
      report.found = found.size;
      onProgress?.({ ...report });
    }
    const all = [...found];
    for (let from = 0; from < all.length; from += SLICE) {
      limits.signal?.throwIfAborted();
      const jids = all.slice(from, from + SLICE);
      const answers = await this.#parts.calls.write(command, wordsFor(jids), limits);
      const changed = tally(report, jids, answers as string[]);
      if (changed.length > 0) await onChanged?.(changed);
      onProgress?.({ ...report });
    }
    return report;
  }

  async *#slices(limits?: CallLimits): AsyncGenerator<string[], void, undefined> {
    let cursor = "";
    do {
      limits?.signal?.throwIfAborted();
      const slice = await this.#slice(cursor, SLICE, limits);
      if (slice.jids.length > 0) yield slice.jids;
      cursor = slice.cursor;
    } while (cursor !== "");
  }

  #slice(cursor: string, count: number, limits?: CallLimits): Promise<SearchJson> {
    return this.#parts.calls.json("search", [cursor, count, ...this.#words], limits);
  }

  async #jobs(jids: string[], limits?: CallLimits): Promise<AnyJob<Jobs>[]> {
    if (jids.length === 0) return [];
    const shown = await this.#parts.calls.json<JobJson[]>("multiget", jids, limits);
    return shown.map((json) => new Job(this.#parts, json) as AnyJob<Jobs>);
  }
}

const newReport = (): BulkReport => ({ found: 0, done: 0, refused: 0, errors: [] });

/** Adds the answers to the report, and tells which jobs were changed. */
function tally(report: BulkReport, jids: string[], answers: string[]): string[] {
  const changed: string[] = [];
  answers.forEach((text, i) => {
    const answer = answerFrom(text);
    if (answer.ok) {
      report.done += 1;
      changed.push(jids[i]!);
      return;
    }
    report.refused += 1;
    if (report.errors.length < MAX_ERRORS) {
      report.errors.push({ jid: jids[i]!, error: answer.error });
    }
  });
  return changed;
}

function wordsOf(criteria: Criteria): Words {
  checkKnown("of a search", criteria, CRITERIA);
  const { from, to, ...rest } = criteria;
  const words: (string | number)[] = [];
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) words.push(name, value);
  if (from !== undefined) words.push("from", momentMs(from, "from") / 1000);
  if (to !== undefined) words.push("to", momentMs(to, "to") / 1000);
  return words;
}
