import { Refused, type Reply } from "../engine.ts";
import type { CallLimits, Calls } from "./calls.ts";

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
  resolve(jid: string): void;
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

  /** Puts a job, and tells which job there is now: this one, or the holder of its unique key. */
  put(words: PutWords, limits: CallLimits): Promise<string> {
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
      (reply) => batch.forEach(({ resolve }, i) => void resolve((reply as string[])[i]!)),
      (error) => {
        if (error instanceof Refused) for (const one of batch) this.#alone(one);
        else for (const { reject } of batch) reject(error);
      },
    );
  }

  #alone({ words, limits, resolve, reject }: Waiting): void {
    const [queue, jid, klass, data, delay, , ...options] = words;
    const put = [this.#calls.name, queue!, jid!, klass!, data!, delay!, ...options];
    this.#calls.write("put", put, limits).then((reply: Reply) => resolve(reply as string), reject);
  }
}
