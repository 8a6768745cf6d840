import { createHash } from "node:crypto";
import type { Invalid } from "../engine.ts";
import { withExactNumbers } from "../json/numbers.ts";
import { writeJson } from "../json/raw-json.ts";
import { engineTime } from "./engine-time.ts";
import { newJid } from "./jid.ts";
import { checkKnown, type Known } from "./known.ts";
import { observedPut } from "./observing.ts";
import type { Parts } from "./parts.ts";
import { addJob, type PutResult, resultsFrom } from "./put-batch.ts";
import {
  addClaim,
  addExisting,
  addOptions,
  delayOf,
  PUT_OPTIONS,
  type PutOptions,
} from "./put-options.ts";
import { checkedData } from "./registry.ts";
import { invalid } from "./times.ts";

/** One job to be put; its queue is named after the klass unless one is given. */
export interface Putting extends PutOptions {
  klass: string;
  data: unknown;
  queue?: string;
}

/** @internal Checks and puts one job. */
export async function putOne(
  parts: Parts,
  { klass, data, queue = klass }: Putting,
  options: PutOptions = NO_OPTIONS,
): Promise<PutResult> {
  checkKnown("of put", options, PUT_OPTIONS);
  const { signal, timeout } = options;
  return observedPut({ queue, klass }, async (carrier) => {
    if (isEarly(options)) await rejectSeconds(parts, [options]);
    await checkedData(parts.jobs, klass, data);
    const words: (string | number)[] = [];
    fillWords(words, queue, klass, data, options, carrier);
    return parts.batch.put(words, { signal, timeout });
  });
}

const NO_OPTIONS: PutOptions = {};
const PUTTING: Known<Putting> = { klass: true, data: true, queue: true, ...PUT_OPTIONS };

/** Milliseconds since 1970 have had 13 digits since 2001, and seconds have 10 until 2286. */
const LEAST_MS = 1e12;

const isEarly = ({ at, delay }: PutOptions) =>
  typeof at === "number" && at < LEAST_MS && delay === undefined;

/**
 * Rejects moments that are seconds by mistake: the job would run at once. A test's clock may stand in
 * 1970, so the engine's clock decides.
 */
async function rejectSeconds({ calls }: Parts, all: readonly PutOptions[]): Promise<void> {
  const now = await engineTime(calls);
  if (now.getTime() < LEAST_MS) return;
  for (const { at } of all.filter(isEarly)) {
    const meant = `Did you mean ${Number(at) * 1000} (milliseconds)?`;
    throw invalid(`at is ${at}, which is ${new Date(Number(at)).toISOString()}. ${meant}`);
  }
}

/** Jobs that one call may carry. */
const MAX_JOBS = 1000;

/** @internal Checks and puts jobs in one step: all of them, or none; into one queue if it is given. */
export async function putAll(
  parts: Parts,
  jobs: readonly Putting[],
  into?: string,
): Promise<PutResult[]> {
  checkList(jobs);
  if (jobs.length === 0) return [];
  const queueOf = ({ klass, queue = klass }: Putting) => into ?? queue;
  const klasses = [...new Set(jobs.map(({ klass }) => klass))].join(" ");
  const queues = [...new Set(jobs.map(queueOf))].join(" ");
  return observedPut({ queue: queues, klass: klasses }, async (carrier) => {
    const { calls, jobs: registry } = parts;
    for (const job of jobs) checkKnown("of a job for putMany", job, PUTTING);
    if (jobs.some(isEarly)) await rejectSeconds(parts, jobs);
    if (registry !== undefined) {
      await Promise.all(jobs.map(({ klass, data }) => checkedData(registry, klass, data)));
    }
    const words = wordsOfAll(calls.name, jobs, queueOf, carrier);
    return resultsFrom(await calls.write("put.many", words), jobs.length);
  });
}

/**
 * The words of put.many. Of the lists that jobs make, two are used in turn: a thousand that live
 * until the answer comes would keep the garbage collector busy for as long as all the rest.
 */
function wordsOfAll(
  name: string,
  jobs: readonly Putting[],
  queueOf: (job: Putting) => string,
  carrier: string | undefined,
): (string | number)[] {
  const all: (string | number)[] = [name];
  let words: (string | number)[] = [];
  let before: (string | number)[] = [];
  for (const job of jobs) {
    fillWords(words, queueOf(job), job.klass, job.data, job, carrier);
    addJob(all, words, before);
    const spare = before;
    before = words;
    words = spare;
  }
  return all;
}

function checkList(jobs: readonly Putting[]): void {
  if (!Array.isArray(jobs)) throw notJobs(jobs);
  if (jobs.length > MAX_JOBS) {
    throw invalid(`putMany takes at most ${MAX_JOBS} jobs, since it puts all or none`);
  }
  for (const job of jobs) if (typeof job !== "object" || job === null) throw notJobs(job);
}

function notJobs(given: unknown): Invalid {
  const kind = given === null ? "null" : `a ${typeof given}`;
  return invalid(`putMany takes a list of jobs, each { klass, data, ... }, not ${kind}`);
}

/** Writes a job as put.many takes it, over what stood there. */
function fillWords(
  words: (string | number)[],
  queue: string,
  klass: string,
  data: unknown,
  options: PutOptions,
  carrier: string | undefined,
): void {
  const json = jsonOf(klass, data);
  words[0] = queue;
  words[1] = options.jid ?? newJid();
  words[2] = klass;
  words[3] = json;
  words[4] = delayOf(options);
  words.length = FIXED;
  addExisting(words, options, options.unique !== undefined);
  addOptions(words, options);
  if (options.unique !== undefined) addUnique(words, options.unique, klass, json);
  if (carrier !== undefined) words.push("context", carrier);
  words[FIXED - 1] = words.length - FIXED;
}

/** Words of a job before its options; the last is the number of those that follow. */
const FIXED = 6;

function addUnique(
  words: (string | number)[],
  given: NonNullable<PutOptions["unique"]>,
  klass: string,
  data: string,
): void {
  const unique = given === true ? {} : typeof given === "string" ? { key: given } : given;
  words.push("unique", unique.key ?? keyOf(klass, data));
  addClaim(words, unique);
}

/** Data as JSON text, or `Invalid`. */
export function jsonOf(klass: string, data: unknown): string {
  try {
    const text = writeJson(data === undefined ? null : data);
    if (text !== undefined) return text;
  } catch (error) {
    throw invalid(`Data of ${klass} cannot be written as JSON: ${(error as Error).message}`);
  }
  throw invalid(`Data of ${klass} cannot be written as JSON: it is a ${typeof data}`);
}

/**
 * The key that klass and data make. The order of members does not count. Numbers that JavaScript
 * would round count as they are written, so that two large numbers do not make the same key.
 */
function keyOf(klass: string, data: string): string {
  const whole = JSON.parse(withExactNumbers(data));
  const sorted = JSON.stringify(whole, (_name, value: unknown) => inOrder(value));
  return createHash("sha256").update(`${klass}\n${sorted}`).digest("base64url");
}

function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
