import { endOf, NO_OPTIONS, readArguments, readPairs } from "../arguments.ts";
import { command } from "../command.ts";
import { newSearch, type Planned } from "../dependencies.ts";
import { PUT_OPTIONS, type PutOptions } from "../describing.ts";
import { announcePuts } from "../events.ts";
import { judgeOptions } from "../judge-options.ts";
import { jobKey } from "../keys.ts";
import { finishLanding, type Landing, newBatchLanding, settleLanding } from "../landing.ts";
import { MAX_BATCH, MAX_DATA } from "../limits.ts";
import { changeHolder, type Meeting, meet, newClaims } from "../meeting.ts";
import { judgePut, type Putting, putJob } from "../putting.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { put } from "./put.ts";

/** Where the jobs begin among the words. */
const FIRST = 2;
/**
 * Arguments of a job before its options: queue, jid, klass, data, delay, number of option words.
 */
const FIXED = 6;

/** Puts up to 1,000 jobs, each with its own options: all of them, or none. */
export const putMany = command({
  says: "Put",
  takes: [
    ["worker", "name"],
    ["jobs", "rest"],
  ],
  options: [],
  gives: "texts",
  writes: true,
  frees: false,
  run(store, now, [worker, words]) {
    const jobs: Jobs = { puttings: [], optionsOf: [], planned: {}, meetings: undefined };
    readJobs(store, worker, words, jobs);
    if (jobs.meetings !== undefined) meetAll(store, now, jobs, jobs.meetings);
    judgeAll(store, jobs);
    const { puttings, meetings } = jobs;
    const jids: string[] = [];
    for (const putting of puttings) jids.push(putting[2]);
    tell(store, jobs, jids);
    const landing = newBatchLanding(now);
    for (let i = 0; i < puttings.length; i++) {
      if (meetings !== undefined) putMet(store, landing, jobs, i, meetings[i]!);
      else putJob(store, landing, puttings[i]!, jobs.optionsOf[i]!, jobs.planned);
    }
    finishLanding(store, landing);
    return jids;
  },
});

/**
 * Finds out which job each put is about, one after the other, for they may meet each other; and
 * plans anew, since nobody can wait for a job that is not put.
 */
function meetAll(store: Store, now: number, jobs: Jobs, meetings: Meeting[]): void {
  const { puttings, optionsOf } = jobs;
  const claims = newClaims();
  const planned: Planned = {};
  for (let i = 0; i < puttings.length; i++) {
    const options = optionsOf[i]!;
    const meeting = meet(store, now, puttings[i]![2], options, claims);
    meetings.push(meeting);
    puttings[i]![2] = meeting.jid;
    if (meeting.puts) plan(planned, jobKey(meeting.jid), options.depends ?? NO_JIDS);
  }
  jobs.planned = planned;
}

/** Notes what a job will wait for: if that names none, what a put of it before in the call named. */
function plan(planned: Planned, key: string, depends: string[]): void {
  if (planned[key] === undefined || depends.length > 0) planned[key] = depends;
}

/** Every job of the call is read by now, so that they may wait for each other. */
function judgeAll(store: Store, { puttings, optionsOf, planned, meetings }: Jobs): void {
  const search = newSearch();
  for (let i = 0; i < puttings.length; i++) {
    const { depends } = optionsOf[i]!;
    if (depends !== undefined && (meetings === undefined || meetings[i]!.puts)) {
      const jid = puttings[i]![2];
      judgePut(store, jid, planned[jobKey(jid)]!, planned, search);
    }
  }
}

/** Puts a job of a call in which some have unique keys, or does to the holder what it says. */
function putMet(store: Store, landing: Landing, jobs: Jobs, i: number, meeting: Meeting): void {
  const putting = jobs.puttings[i]!;
  const options = jobs.optionsOf[i]!;
  // What this call has put or moved so far must be in its place to be taken out of it again.
  settleLanding(store, landing);
  if (meeting.puts) putJob(store, landing, putting, options, jobs.planned);
  else changeHolder(store, landing, meeting.jid, putting, options);
}

/** Announces the jobs that are put, in their order. */
function tell(store: Store, { puttings, meetings }: Jobs, jids: string[]): void {
  const queues: string[] = [];
  if (meetings === undefined) {
    for (const putting of puttings) queues.push(putting[1]);
    announcePuts(store, jids, queues);
    return;
  }
  const put: string[] = [];
  for (let i = 0; i < puttings.length; i++) {
    if (meetings[i]!.puts) {
      queues.push(puttings[i]![1]);
      put.push(jids[i]!);
    }
  }
  announcePuts(store, put, queues);
}

/** What the words of a call say, job by job. */
interface Jobs {
  puttings: Putting[];
  optionsOf: PutOptions[];
  planned: Planned;
  /** What each of them meets; undefined when none has a unique key. */
  meetings: Meeting[] | undefined;
}

function readJobs(store: Store, worker: string, words: string[], jobs: Jobs): void {
  const { puttings, optionsOf, planned } = jobs;
  const length = words.length;
  let at = FIRST;
  while (at < length) {
    const end = endOf(store, words, at + FIXED, CUT_SHORT);
    const putting = readJob(store, worker, words, at);
    const jid = putting[2];
    const key = jobKey(jid);
    if (planned[key] !== undefined) {
      refuse("BAD_ARGUMENT", `Job ${jid} is in the call twice`);
    }
    const options = readOptions(store, putting[5], words, at + FIXED, end);
    if (options.unique !== undefined && jobs.meetings === undefined) jobs.meetings = [];
    planned[key] = options.depends ?? NO_JIDS;
    puttings.push(putting);
    optionsOf.push(options);
    if (puttings.length > MAX_BATCH)
      refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
    at = end;
  }
}

const NO_JIDS: string[] = [];

const CUT_SHORT = "The last job is cut short: queue, jid, klass, data, delay, options";

/** Reads the five words of a job. Where nothing is unusual about them, asking so is enough. */
function readJob(store: Store, worker: string, words: string[], at: number): Putting {
  const { text } = store;
  const [queue, jid, klass, data] = [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
  const delay = words[at + 4]!;
  const isUsual =
    delay === "0" &&
    text.isName(queue) &&
    text.isName(klass) &&
    text.isJid(jid) &&
    data.length < USUAL_DATA;
  if (isUsual) return [worker, queue, jid, klass, data, 0];
  const given = ["", worker, queue, jid, klass, data, delay];
  readArguments(store, put, given);
  return given as never;
}

/** Characters of data that are no more bytes than data may have. */
const USUAL_DATA = MAX_DATA / 4;

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
