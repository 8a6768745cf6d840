import { createHash } from "node:crypto";
import { newJid } from "./jid.ts";
import { observedPut } from "./observing.ts";
import type { Parts } from "./parts.ts";
import type { PutWords } from "./put-batch.ts";
import { optionWords, type PutOptions, type Unique } from "./put-options.ts";
import { checkedData } from "./registry.ts";
import { invalid } from "./times.ts";

/** Which job there is after a put. */
export interface PutResult {
  jid: string;
  /** False when there was one with the same unique key, which is the one that `jid` names. */
  created: boolean;
}

/** One job to be put. */
export interface Putting {
  klass: string;
  data: unknown;
  queue?: string;
  options?: PutOptions;
}

/** @internal Checks and puts one job; its queue is named after the klass unless one is given. */
export async function putOne(parts: Parts, putting: Putting): Promise<PutResult> {
  const { klass, queue = klass } = putting;
  const { signal, timeout } = putting.options ?? {};
  return observedPut({ queue, klass }, async (carrier) => {
    await checkedData(parts.jobs, klass, putting.data);
    const words = wordsOf(putting, carrier);
    return result(words, await parts.batch.put(words, { signal, timeout }));
  });
}

/** Jobs that one call may carry. */
const MAX_JOBS = 1000;

/** The jobs of a putMany, if it is a list of them. */
export function checkedList<Jobs>(jobs: readonly Jobs[]): readonly Jobs[] {
  if (Array.isArray(jobs)) return jobs;
  throw invalid(`putMany takes a list of jobs, each { klass, data, ... }, not a ${typeof jobs}`);
}

/** @internal Checks and puts jobs in one step: all of them, or none. */
export async function putAll(parts: Parts, puttings: readonly Putting[]): Promise<PutResult[]> {
  if (puttings.length === 0) return [];
  if (puttings.length > MAX_JOBS) {
    throw invalid(`putMany takes at most ${MAX_JOBS} jobs, since it puts all or none`);
  }
  const klasses = [...new Set(puttings.map(({ klass }) => klass))].join(" ");
  const queues = [...new Set(puttings.map(({ klass, queue = klass }) => queue))].join(" ");
  return observedPut({ queue: queues, klass: klasses }, async (carrier) => {
    const { calls, jobs } = parts;
    if (jobs !== undefined) {
      await Promise.all(puttings.map(({ klass, data }) => checkedData(jobs, klass, data)));
    }
    const all = puttings.map((putting) => wordsOf(putting, carrier));
    const words = [calls.name as string | number].concat(...all);
    const jids = (await calls.write("put.many", words)) as string[];
    return all.map((one, i) => result(one, jids[i]!));
  });
}

function result(words: PutWords, jid: string): PutResult {
  return { jid, created: jid === words[1] };
}

const NO_OPTIONS: PutOptions = {};

function wordsOf(putting: Putting, carrier: string | undefined): PutWords {
  const { klass, queue = klass, options = NO_OPTIONS } = putting;
  const data = jsonOf(klass, putting.data);
  const { delay, words } = optionWords(options, (unique) => keyOf(unique, klass, data));
  if (carrier !== undefined) words.push("context", carrier);
  return [queue, options.jid ?? newJid(), klass, data, delay, words.length, ...words];
}

/** Data as JSON text, or `Invalid`. */
export function jsonOf(klass: string, data: unknown): string {
  try {
    const text = JSON.stringify(data === undefined ? null : data) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    throw invalid(`Data of ${klass} cannot be written as JSON: ${(error as Error).message}`);
  }
  throw invalid(`Data of ${klass} cannot be written as JSON: it is a ${typeof data}`);
}

/** The key that was given, or one that klass and data make: the order of members does not count. */
function keyOf({ key }: Unique, klass: string, data: string): string {
  if (key !== undefined) return key;
  const sorted = JSON.stringify(JSON.parse(data), (_name, value: unknown) => inOrder(value));
  return createHash("sha256").update(`${klass}\n${sorted}`).digest("base64url");
}

function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
