import { answerOf, refusedAnswer } from "../answers.ts";
import { checkName, readCount, readLease, readPairs } from "../arguments.ts";
import {
  type Closing,
  completeJob,
  failHeld,
  finishClosing,
  judgeCompletion,
  newBatchClosing,
  newClosing,
  retryHeld,
} from "../closing.ts";
import { command, type Param } from "../command.ts";
import type { Planned } from "../dependencies.ts";
import { MAX_BATCH } from "../limits.ts";
import { type Held, judgeClaim } from "../locks.ts";
import { refuse } from "../refuse.ts";
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
  run(store, now, [worker, count, queues, outcomes]) {
    const read = readOutcomes(store, outcomes ?? []);
    judgeAll(store, worker, read);
    const closing =
      read.length === 1 ? newClosing(store, now, worker) : newBatchClosing(store, now, worker);
    const answers: Reply[] = [];
    for (const outcome of read) {
      answers.push(
        outcome.refusal === undefined
          ? answerOf(close(store, closing, outcome))
          : refusedAnswer(store, outcome.refusal),
      );
    }
    finishClosing(store, closing);
    if (count === 0 || queues.length === 0) return [answers, []];
    return [answers, takeFromAll(store, now, queues, { worker, count, history: false })];
  },
});

interface Outcome {
  verb: string;
  jid: string;
  lease: number | undefined;
  data?: string;
  next?: string;
  delay?: number;
  depends?: string[];
  group?: string;
  message?: string;
  lot?: number;
  spend?: number;
  held?: Held;
  refusal?: string;
}

function readOutcomes(store: Store, words: string[]): Outcome[] {
  const outcomes: Outcome[] = [];
  let at = 0;
  while (at < words.length) {
    const count = readCount(store, "options", words[at + FIXED - 1], 0);
    const end = at + FIXED + count;
    if (end > words.length || words[at + FIXED - 1] === undefined) {
      refuse("BAD_ARGUMENT", "The last outcome is cut short: verb, jid, lease, options");
    }
    outcomes.push(readOutcome(store, words, { at, end }));
    if (outcomes.length > MAX_BATCH)
      refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
    at = end;
  }
  return outcomes;
}

function readOutcome(
  store: Store,
  words: string[],
  { at, end }: { at: number; end: number },
): Outcome {
  const verb = words[at]!;
  const options = optionsOf(verb);
  const lease = readLease(store, words[at + 2]!);
  const outcome: Outcome = { verb, jid: checkName(store, "jid", words[at + 1]!), lease };
  readPairs(store, options, words, { from: at + FIXED, to: end }, outcome as never);
  if (verb === "fail" && (outcome.group === undefined || outcome.message === undefined)) {
    refuse("BAD_ARGUMENT", "A failure needs a group and a message");
  }
  return outcome;
}

/** Finds out what can be done, for all, before anything is written. */
function judgeAll(store: Store, worker: string, outcomes: Outcome[]): void {
  const planned: Planned = {};
  for (const outcome of outcomes) {
    const { jid, lease, next, delay, depends } = outcome;
    const held = judgeClaim(store, { jid, worker, lease, queue: undefined });
    if (typeof held === "string") outcome.refusal = held;
    else if (planned[" " + jid] !== undefined) {
      outcome.refusal = `NOT_RUNNING Job ${jid} is in the call twice`;
    } else {
      outcome.held = held;
      planned[" " + jid] = [];
      if (outcome.verb === "complete") {
        const wrong = judgeNext(next, delay, depends);
        const refusal = wrong ?? judgeCompletion(store, jid, depends, planned);
        if (refusal === undefined) planned[" " + jid] = depends ?? [];
        else outcome.refusal = refusal;
      }
    }
  }
}

function close(store: Store, closing: Closing, outcome: Outcome): string {
  const { verb, group, message, data, next, delay, depends, lot, spend } = outcome;
  const held = outcome.held!;
  if (verb === "complete") return completeJob(store, closing, held, { data, next, delay, depends });
  if (verb === "retry") {
    return `${retryHeld(store, closing, held, { delay, group, message, lot, spend })}`;
  }
  failHeld(store, closing, held, { group: group!, message: message!, exhausted: false, data });
  return "failed";
}
