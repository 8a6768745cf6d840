import { checkData, checkName, endOf, NO_OPTIONS, readPairs } from "./arguments.ts";
import type { Planned } from "./dependencies.ts";
import { PUT_OPTIONS, type PutOptions } from "./describing.ts";
import { putMessages } from "./events.ts";
import { judgeOptions } from "./judge-options.ts";
import { jobKey } from "./keys.ts";
import { MAX_BATCH, MAX_DATA } from "./limits.ts";
import type { Meeting } from "./meeting.ts";
import { readNumber } from "./numbers.ts";
import type { Putting } from "./putting.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";

/**
 * What the words of put.many say. Each list has a member for each job: a thousand jobs in four
 * lists are made and cleared away faster than a thousand lists.
 */
export interface Jobs {
  worker: string;
  jids: string[];
  data: string[];
  /** The keys of their records. */
  keys: string[];
  /** Jobs that were written as the one before them share its stage. */
  stages: Stage[];
  /** Whether none of them has options. */
  isPlain: boolean;
  /** Whether the answer is to name outcomes, because a job of the call has `exists`. */
  asks: boolean;
  /** Whether it matters to a job of the call if its jid exists. */
  isWary: boolean;
  planned: Planned;
  /** What each of them meets; undefined when none can meet an existing job. */
  meetings: Meeting[] | undefined;
  /** What tells that all of them are put. */
  messages: string[];
}

/** What jobs that follow each other may have in common. */
export interface Stage {
  queue: string;
  klass: string;
  delay: number;
  options: PutOptions;
}

/** A job of the call as put takes it, written over the one before. */
export function fill(putting: Putting, jobs: Jobs, i: number): void {
  const stage = jobs.stages[i]!;
  putting[1] = stage.queue;
  putting[2] = jobs.jids[i]!;
  putting[3] = stage.klass;
  putting[4] = jobs.data[i]!;
  putting[5] = stage.delay;
}

export const NO_JIDS: string[] = [];

/** Where the jobs begin among the words. */
const FIRST = 2;
/**
 * Words of a job before its options: queue, jid, klass, data, delay, number of option words.
 */
const FIXED = 6;
/** In place of a queue: this job is as the one before it, but for the jid and data that follow. */
const SAME = "\t";
/** Words of such a job. */
const SAME_WORDS = 3;

const CUT_SHORT = "The last job is cut short: queue, jid, klass, data, delay, options";

/** Characters of data that are no more bytes than data may have. */
const USUAL_DATA = MAX_DATA / 4;

/** Reads all jobs, or refuses the call. */
export function readJobs(store: Store, worker: string, words: string[]): Jobs {
  const jobs = newJobs(worker);
  const length = words.length;
  let stage: Stage = { queue: "", klass: "", delay: 0, options: NO_OPTIONS };
  let at = FIRST;
  for (let i = 0; at < length; i++) {
    if (words[at] === SAME && i > 0) {
      if (at + SAME_WORDS > length) refuse("BAD_ARGUMENT", CUT_SHORT);
      addJob(store, jobs, i, stage, words[at + 1]!, words[at + 2]!);
      at += SAME_WORDS;
    } else {
      const end = endOf(store, words, at + FIXED, CUT_SHORT);
      stage = readStage(store, words, at, end);
      if (stage.options !== NO_OPTIONS) note(jobs, stage.options);
      addJob(store, jobs, i, stage, words[at + 1]!, words[at + 3]!);
      at = end;
    }
  }
  jobs.messages = putMessages(store, jobs.jids, jobs.stages);
  return jobs;
}

/** Notes what options of a job mean for the whole call. */
function note(jobs: Jobs, { unique, exists, protect }: PutOptions): void {
  jobs.isPlain = false;
  if (unique !== undefined) jobs.meetings = [];
  if (exists !== undefined) jobs.asks = true;
  if (exists !== undefined || protect !== undefined) jobs.isWary = true;
}

const newJobs = (worker: string): Jobs => ({
  worker,
  jids: [],
  data: [],
  keys: [],
  stages: [],
  isPlain: true,
  asks: false,
  isWary: false,
  planned: {},
  meetings: undefined,
  messages: [],
});

/** Reads what a job says of itself, but for jid and data. */
function readStage(store: Store, words: string[], at: number, end: number): Stage {
  const queue = checkName(store, "queue", words[at]!);
  const klass = checkName(store, "klass", words[at + 2]!);
  const said = words[at + 4]!;
  const delay = said === "0" ? 0 : readNumber(store, "delay", "seconds", said);
  return { queue, klass, delay, options: readOptions(store, delay, words, at + FIXED, end) };
}

function addJob(
  store: Store,
  jobs: Jobs,
  i: number,
  stage: Stage,
  jid: string,
  data: string,
): void {
  const { planned } = jobs;
  const key = jobKey(jid);
  if (planned[key] !== undefined) {
    if (stage.options.exists === undefined) {
      refuse("BAD_ARGUMENT", `Job ${jid} is in the call twice: give the second one "exists"`);
    }
    jobs.meetings = [];
  }
  if (i >= MAX_BATCH) refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
  if (data.length > USUAL_DATA) checkData(store, "data", data);
  planned[key] = stage.options.depends ?? NO_JIDS;
  jobs.keys[i] = key;
  jobs.jids[i] = jid;
  jobs.data[i] = data;
  jobs.stages[i] = stage;
}

function readOptions(
  store: Store,
  delay: number,
  words: string[],
  from: number,
  to: number,
): PutOptions {
  if (from === to) return NO_OPTIONS;
  const options = {};
  readPairs(store, PUT_OPTIONS, words, from, to, options);
  judgeOptions(store, delay, options);
  return options;
}
