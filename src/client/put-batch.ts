import { Refused, type Reply } from "../engine.ts";
import type { CallLimits, Calls } from "./calls.ts";

/** What a put did, and the job that there is after it. */
export interface PutResult {
  /** The new job, or the existing one that was kept, replaced or changed. */
  jid: string;
  outcome: PutOutcome;
}

/**
 * `created`: a new job. `kept`: the job of that jid, or the one that holds the unique key, is as it
 * was. `replaced`: that job was put again. `changed`: the holder of the unique key has the data or
 * the time of this put.
 */
export type PutOutcome = "created" | "kept" | "replaced" | "changed";

/**
 * The answer of put or put.many: jids, each followed by its outcome if any job asked for it. Where
 * none did, all jobs are new: each has a new jid and no unique key.
 */
export function resultsFrom(reply: Reply, count: number): PutResult[] {
  const words = (Array.isArray(reply) ? reply : [reply]) as string[];
  if (words.length === count) return words.map((jid) => ({ jid, outcome: "created" }));
  const results: PutResult[] = [];
  for (let i = 0; i < words.length; i += 2) {
    results.push({ jid: words[i]!, outcome: words[i + 1] as PutOutcome });
  }
  return results;
}

/** One job as put.many takes it: queue, jid, klass, data, delay, number of option words, options. */
export type PutWords = readonly (string | number)[];

/** In place of a queue: the job is as the one before it, but for its jid and data. */
const SAME = "\t";

/** Adds a job to the words of put.many; `before` is the one that was added before it. */
export function addJob(all: (string | number)[], words: PutWords, before: PutWords): void {
  if (isLike(before, words)) all.push(SAME, words[1]!, words[3]!);
  else for (const word of words) all.push(word);
}

function isLike(before: PutWords, words: PutWords): boolean {
  if (before.length !== words.length) return false;
  for (let i = 0; i < words.length; i++) {
    if (before[i] !== words[i] && i !== 1 && i !== 3) return false;
  }
  return true;
}

/** Jobs in one call, and characters of data from which on a call is full. */
const MAX_JOBS = 1000;
const MAX_CHARACTERS = 4_000_000;

interface Waiting {
  words: PutWords;
  limits: CallLimits;
  resolve(result: PutResult): void;
  reject(error: unknown): void;
}

/**
 * Puts that are made in the same turn of the event loop travel in one call: a program that puts
 * hundreds at once needs no other way to be fast. Each still has an answer of its own: a batch that
 * is refused has changed nothing, so its jobs are put one by one then.
 */
export class PutBatch {
  readonly #calls: Calls;
  #waiting: Waiting[] = [];
  #isDue = false;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Puts a job. Its words have `exists` if its jid or its unique key may be taken. */
  put(words: PutWords, limits: CallLimits): Promise<PutResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ words, limits, resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    let batch: Waiting[] = [];
    let characters = 0;
    for (const one of waiting) {
      if (one.limits.signal !== undefined || one.limits.timeout !== undefined) {
        this.#alone(one);
        continue;
      }
      batch.push(one);
      characters += String(one.words[3]).length;
      if (batch.length < MAX_JOBS && characters < MAX_CHARACTERS) continue;
      this.#send(batch);
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) this.#send(batch);
  }

  #send(batch: Waiting[]): void {
    if (batch.length === 1) {
      this.#alone(batch[0]!);
      return;
    }
    const all: (string | number)[] = [this.#calls.name];
    batch.forEach(({ words }, i) => void addJob(all, words, batch[i - 1]?.words ?? []));
    this.#calls.write("put.many", all).then(
      (reply) => {
        const results = resultsFrom(reply, batch.length);
        batch.forEach(({ resolve }, i) => void resolve(results[i]!));
      },
      (error) => {
        if (error instanceof Refused) for (const one of batch) this.#alone(one);
        else for (const { reject } of batch) reject(error);
      },
    );
  }

  #alone({ words, limits, resolve, reject }: Waiting): void {
    const [queue, jid, klass, data, delay, , ...options] = words;
    const put = [this.#calls.name, queue!, jid!, klass!, data!, delay!, ...options];
    this.#calls
      .write("put", put, limits)
      .then((reply) => resolve(resultsFrom(reply, 1)[0]!), reject);
  }
}
