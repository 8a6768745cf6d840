import { readArguments, readCount, readPairs } from "../arguments.ts";
import { command } from "../command.ts";
import type { Planned } from "../dependencies.ts";
import { finishLanding, newBatchLanding } from "../landing.ts";
import { MAX_BATCH } from "../limits.ts";
import { judgePut, PUT_OPTIONS, type Putting, putJob } from "../putting.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { put } from "./put.ts";

/** Arguments of a job before its options: queue, jid, klass, data, delay, number of option words. */
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
  run(store, now, [worker, jobs]) {
    const puttings = readJobs(store, worker, jobs);
    const planned: Planned = {};
    for (const { jid, options } of puttings) {
      if (planned[" " + jid] !== undefined) {
        refuse("BAD_ARGUMENT", `Job ${jid} is in the call twice`);
      }
      planned[" " + jid] = options.depends ?? [];
    }
    for (const putting of puttings) judgePut(store, putting, planned);
    const landing = newBatchLanding(now);
    const jids: string[] = [];
    for (const putting of puttings) {
      putJob(store, landing, putting, planned);
      jids.push(putting.jid);
    }
    finishLanding(store, landing);
    return jids;
  },
});

function readJobs(store: Store, worker: string, words: string[]): Putting[] {
  const puttings: Putting[] = [];
  let at = 0;
  while (at < words.length) {
    const count = readCount(store, "options", words[at + FIXED - 1], 0);
    const end = at + FIXED + count;
    if (end > words.length || words[at + FIXED - 1] === undefined) {
      refuse("BAD_ARGUMENT", "The last job is cut short: queue, jid, klass, data, delay, options");
    }
    puttings.push(readJob(store, worker, words, { at, end }));
    if (puttings.length > MAX_BATCH)
      refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
    at = end;
  }
  return puttings;
}

function readJob(
  store: Store,
  worker: string,
  words: string[],
  { at, end }: { at: number; end: number },
): Putting {
  const fixed = [worker];
  for (let i = at; i < at + FIXED - 1; i++) fixed.push(words[i]!);
  readArguments(store, put, fixed);
  const [, queue, jid, klass, data, delay] = fixed as never as Parameters<typeof put.run>[2];
  const options = {};
  readPairs(store, PUT_OPTIONS, words, { from: at + FIXED, to: end }, options);
  return { worker, queue, jid, klass, data, delay, options };
}
