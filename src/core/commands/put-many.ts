import { endOf, NO_OPTIONS, readArguments, readPairs } from "../arguments.ts";
import { command } from "../command.ts";
import { newSearch, type Planned } from "../dependencies.ts";
import { PUT_OPTIONS, type PutOptions } from "../describing.ts";
import { announcePuts } from "../events.ts";
import { jobKey } from "../keys.ts";
import { finishLanding, newBatchLanding } from "../landing.ts";
import { MAX_BATCH, MAX_DATA } from "../limits.ts";
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
    const puttings: Putting[] = [];
    const optionsOf: PutOptions[] = [];
    const planned: Planned = {};
    readJobs(store, worker, words, { puttings, optionsOf, planned });
    const landing = newBatchLanding(now);
    const jids: string[] = [];
    const search = newSearch();
    for (let i = 0; i < puttings.length; i++) {
      const options = optionsOf[i]!;
      // Every job of the call is read by now, so that they may wait for each other.
      if (options !== NO_OPTIONS) judgePut(store, puttings[i]![2], options, planned, search);
    }
    const queues: string[] = [];
    for (const putting of puttings) {
      queues.push(putting[1]);
      jids.push(putting[2]);
    }
    announcePuts(store, jids, queues);
    for (let i = 0; i < puttings.length; i++) {
      putJob(store, landing, puttings[i]!, optionsOf[i]!, planned);
    }
    finishLanding(store, landing);
    return jids;
  },
});

/** What the words of a call say, job by job. */
interface Jobs {
  puttings: Putting[];
  optionsOf: PutOptions[];
  planned: Planned;
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
    const options = readOptions(store, words, at + FIXED, end);
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

function readOptions(store: Store, words: string[], from: number, to: number): PutOptions {
  if (from === to) return NO_OPTIONS;
  const options = {};
  readPairs(store, PUT_OPTIONS, words, from, to, options);
  return options;
}
