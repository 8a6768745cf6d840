import { checkName, endOf, NO_OPTIONS, readPairs } from "../arguments.ts";
import { type Closing, finishClosing, newBatchClosing, newClosing } from "../closing.ts";
import { command, type Options, type Param } from "../command.ts";
import { completeJob, judgeCompletion } from "../completing.ts";
import { newSearch, type Planned, type Search } from "../dependencies.ts";
import { MAX_BATCH } from "../limits.ts";
import { type Held, judgeClaim } from "../locks.ts";
import { refuse } from "../refuse.ts";
import { failHeld, retryHeld } from "../retrying.ts";
import type { Store } from "../store.ts";
import { takeFromAll } from "../taking.ts";
import type { Reply } from "../text.ts";
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
  run(store, now, [worker, count, queues, words]) {
    const outcomes: Outcomes = { verbs: [], helds: [], options: [] };
    readOutcomes(store, worker, words!, outcomes);
    const { verbs, helds, options } = outcomes;
    const closing =
      verbs.length === 1 ? newClosing(store, now, worker) : newBatchClosing(store, now, worker);
    const answers: Reply[] = [];
    for (let i = 0; i < verbs.length; i++) {
      const held = helds[i]!;
      answers.push(
        typeof held === "string" ? held : close(store, closing, verbs[i]!, held, options[i]!),
      );
    }
    finishClosing(store, closing);
    const taken: Reply[] = [];
    if (count > 0) takeFromAll(store, now, queues, { worker, count, history: false }, taken);
    return [answers, taken];
  },
});

type OutcomeOptions = Options<typeof COMPLETE_OPTIONS> &
  Options<typeof FAIL_OPTIONS> &
  Options<typeof RETRY_OPTIONS>;

/** What a call says of each job. */
interface Outcomes {
  verbs: string[];
  /** The job, or why its run cannot be ended. */
  helds: (Held | string)[];
  options: OutcomeOptions[];
}

/** Reads the outcomes and finds out what can be done, for all, before anything is written. */
function readOutcomes(store: Store, worker: string, words: string[], into: Outcomes): void {
  const { verbs, helds, options: optionsOf } = into;
  const plan = { planned: {}, search: newSearch() };
  const length = words.length;
  let at = FIRST;
  while (at < length) {
    const end = endOf(store, words, at + FIXED, CUT_SHORT);
    const verb = words[at]!;
    const jid = words[at + 1]!;
    const options =
      end === at + FIXED && verb === "complete"
        ? NO_OPTIONS
        : readOptions(store, verb, words, at + FIXED, end);
    let held = judgeClaim(store, jid, worker, words[at + 2]!);
    // A jid that is a job's is a name.
    if (typeof held === "string") checkName(store, "jid", jid);
    else held = judgeOutcome(store, verb, held, options, plan);
    verbs.push(verb);
    helds.push(held);
    optionsOf.push(options);
    at = end;
  }
  if (verbs.length > MAX_BATCH) refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
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
  return options;
}

/** The job, or the refusal of what is to become of it. */
function judgeOutcome(
  store: Store,
  verb: string,
  held: Held,
  options: OutcomeOptions,
  { planned, search }: { planned: Planned; search: Search },
): Held | string {
  const { jid, key } = held;
  if (planned[key] !== undefined) return `NOT_RUNNING Job ${jid} is in the call twice`;
  planned[key] = NO_JIDS;
  if (verb !== "complete" || options === NO_OPTIONS) return held;
  const { next, delay, depends } = options;
  const wrong = judgeNext(next, delay, depends);
  if (wrong !== undefined || depends === undefined) return wrong ?? held;
  // What the outcomes before have planned may lead elsewhere now.
  search.marks = {};
  const refusal = judgeCompletion(store, jid, depends, planned, search);
  if (refusal !== undefined) return refusal;
  planned[key] = depends;
  return held;
}

const NO_JIDS: string[] = [];

/** Ends a run as its worker says, and answers for it. */
function close(
  store: Store,
  closing: Closing,
  verb: string,
  held: Held,
  options: OutcomeOptions,
): string {
  if (verb === "complete") return completeJob(store, closing, held, options.data, options);
  const { group, message, data, delay, lot, spend } = options;
  if (verb === "retry") {
    return `${retryHeld(store, closing, held, { delay, group, message, lot, spend })}`;
  }
  failHeld(store, closing, held, { group: group!, message: message!, exhausted: false, data });
  return "failed";
}
