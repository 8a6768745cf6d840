import { endOf, NO_OPTIONS, readPairs } from "../arguments.ts";
import { judgeBackoff } from "../backoff.ts";
import { type Closing, endRuns, keepRuns, letGo, newBatchClosing, newClosing } from "../closing.ts";
import { command, type Options, type Param } from "../command.ts";
import { completeJob, judgeCompletion } from "../completing.ts";
import { completeAll } from "../completing-all.ts";
import { NOTHING_PLANNED, newSearch, type Search } from "../dependencies.ts";
import { isLate } from "../lateness.ts";
import { MAX_BATCH } from "../limits.ts";
import { type Held, judgeClaim } from "../locks.ts";
import { refuse } from "../refuse.ts";
import { relay } from "../relaying.ts";
import { failHeld, retryHeld } from "../retrying.ts";
import type { Store } from "../store.ts";
import { type Asking, takeFromAll } from "../taking.ts";
import { judgeNext } from "./complete.ts";

/** What may be said of each outcome, by its verb. */
export const COMPLETE_OPTIONS = [
  ["data", "json"],
  ["next", "name"],
  ["delay", "seconds"],
  ["depends", "list"],
] as const;
export const FAIL_OPTIONS = [
  ["group", "name"],
  ["message", "text"],
  ["data", "json"],
] as const;
export const RETRY_OPTIONS = [
  ["delay", "seconds"],
  ["group", "name"],
  ["message", "text"],
  ["lot", "fraction"],
  ["spend", "flag"],
  ["backoff", "text"],
] as const;

function optionsOf(verb: string): readonly Param[] {
  if (verb === "complete") return COMPLETE_OPTIONS;
  if (verb === "fail") return FAIL_OPTIONS;
  if (verb === "retry") return RETRY_OPTIONS;
  return refuse("BAD_ARGUMENT", "An outcome must be complete, fail or retry");
}

/** Where the outcomes begin among the words. */
const FIRST = 4;
/** Words of an outcome before its options: verb, jid, lease, number of option words. */
const FIXED = 4;

/** One for all calls, which come one at a time: Lua takes longer to make one than to fill it. */
const asking: Asking = {
  worker: "",
  most: 0,
  history: false,
  closing: undefined,
  hasReleased: false,
};

/**
 * Ends runs of one worker, each judged on its own, and hands it more jobs in the same step: one
 * round trip for a busy worker.
 */
export const finish = command({
  says: "Finish",
  takes: [
    ["worker", "name"],
    ["count", "count"],
    ["queues", "list"],
    ["outcomes", "rest", "?"],
  ],
  options: [],
  gives: "answers",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [worker, wanted, queues, words]) {
    const most = isLate(now) ? 0 : wanted;
    if (most === 1 && queues.length === 1 && isOnePlain(words!)) {
      const [jid, lease] = [words![FIRST + 1]!, words![FIRST + 2]!];
      const next = relay(store, now, worker, queues[0]!, jid, lease);
      if (next !== undefined) return next;
    }
    const outcomes = arePlain(words!) ? undefined : readOutcomes(store, words!);
    const count = outcomes === undefined ? (words!.length - FIRST) / FIXED : outcomes.length;
    if (count > MAX_BATCH) refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
    const closing =
      count === 1 ? newClosing(store, now, worker) : newBatchClosing(store, now, worker);
    const reply =
      outcomes === undefined
        ? completeAll(store, closing, words!, FIRST, FIXED)
        : closeEach(store, closing, words!, outcomes);
    endRuns(store, closing);
    asking.worker = worker;
    asking.most = count + most;
    asking.closing = closing;
    asking.hasReleased = false;
    if (most > 0) takeFromAll(store, now, queues, asking, reply);
    letGo(store, closing);
    keepRuns(store, closing);
    return reply;
  },
});

type OutcomeOptions = Options<typeof COMPLETE_OPTIONS> &
  Options<typeof FAIL_OPTIONS> &
  Options<typeof RETRY_OPTIONS>;

/** Whether one job is complete and nothing else is said of it. */
const isOnePlain = (words: string[]) =>
  words.length === FIRST + FIXED && words[FIRST] === "complete" && words[FIRST + FIXED - 1] === "0";

/** Whether all jobs are complete and nothing else is said of them, as is most often the case. */
function arePlain(words: string[]): boolean {
  const length = words.length;
  for (let at = FIRST; at < length; at += FIXED) {
    if (words[at] !== "complete" || words[at + FIXED - 1] !== "0") return false;
  }
  return true;
}

/** Reads what is said of each job, so that all of it makes sense before anything is written. */
function readOutcomes(store: Store, words: string[]): readonly OutcomeOptions[] {
  const all: OutcomeOptions[] = [];
  let at = FIRST;
  while (at < words.length) {
    const end = endOf(store, words, at + FIXED, CUT_SHORT);
    const verb = words[at]!;
    const isPlain = end === at + FIXED && verb === "complete";
    all.push(isPlain ? NO_OPTIONS : readOptions(store, verb, words, at + FIXED, end));
    at = end;
  }
  return all;
}

const CUT_SHORT = "The last outcome is cut short: verb, jid, lease, options";

function readOptions(
  store: Store,
  verb: string,
  words: string[],
  from: number,
  to: number,
): OutcomeOptions {
  const known = optionsOf(verb);
  const options: OutcomeOptions = {};
  readPairs(store, known, words, from, to, options as never);
  if (verb === "fail" && (options.group === undefined || options.message === undefined)) {
    refuse("BAD_ARGUMENT", "A failure needs a group and a message");
  }
  judgeBackoff(store, options.backoff);
  return options;
}

/** Ends runs as their worker says of each, and answers for each. */
function closeEach(
  store: Store,
  closing: Closing,
  words: string[],
  outcomes: readonly OutcomeOptions[],
): string[] {
  const reply: string[] = [];
  const search = newSearch();
  let at = FIRST;
  for (const options of outcomes) {
    reply.push(close(store, closing, words, at, options, search));
    at = endOf(store, words, at + FIXED, CUT_SHORT);
  }
  return reply;
}

/** Ends the run that these words name as its worker says, and answers for it. */
function close(
  store: Store,
  closing: Closing,
  words: string[],
  at: number,
  options: OutcomeOptions,
  search: Search,
): string {
  const verb = words[at]!;
  const held = judgeClaim(store, words[at + 1]!, closing.worker, words[at + 2]!);
  if (typeof held === "string") return held;
  if (verb === "complete") {
    const refusal = options === NO_OPTIONS ? undefined : judgeOnward(store, held, options, search);
    return refusal ?? completeJob(store, closing, held, options.data, options);
  }
  const { group, message, data } = options;
  if (verb === "retry") return `${retryHeld(store, closing, held, options)}`;
  failHeld(store, closing, held, { group: group!, message: message!, exhausted: false, data });
  return "failed";
}

/** The refusal of where a job is to go on to. */
function judgeOnward(
  store: Store,
  { jid }: Held,
  { next, delay, depends }: OutcomeOptions,
  search: Search,
): string | undefined {
  const wrong = judgeNext(next, delay, depends);
  if (wrong !== undefined) return wrong;
  // What the outcomes before have done may lead elsewhere now.
  search.marks = {};
  return judgeCompletion(store, jid, depends, NOTHING_PLANNED, search);
}
