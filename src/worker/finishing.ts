import type { Calls } from "../client/calls.ts";
import { RunningJob } from "../client/running-job.ts";
import type { Outcome } from "./outcome.ts";
import type { Run } from "./run.ts";

/** A run that has ended, and what is to become of its job. */
export interface Ended {
  run: Run;
  outcome: Outcome;
  /** Whether it was sent before and nobody knows whether it arrived. */
  isDoubtful: boolean;
}

/** What a call asks for: some jobs, from these queues in this order. */
export interface Asked {
  queues: readonly string[];
  count: number;
}

export const NOTHING: Asked = { queues: [], count: 0 };

/** Outcomes that one call carries. */
export const MAX_OUTCOMES = 500;

/** The list of queues that was asked for last, and its text: most workers ask for one and the same. */
let lastQueues: readonly string[] = [];
let lastText = "[]";

function textOf(queues: readonly string[]): string {
  if (queues !== lastQueues) {
    lastQueues = queues;
    lastText = JSON.stringify(queues);
  }
  return lastText;
}

/**
 * Sends outcomes and takes jobs, in one call: answers with what became of each, then the jobs. Takes
 * none if the call arrives after the deadline, by the engine's clock.
 */
export function finish(
  calls: Calls,
  worker: string,
  ended: readonly Ended[],
  { queues, count }: Asked,
  deadline: number | undefined,
): Promise<string[]> {
  const words: (string | number)[] = [worker, count, count === 0 ? "[]" : textOf(queues)];
  for (const { run, outcome } of ended) {
    words.push(outcome.verb, run.jid, run.claim, outcome.words.length);
    for (const word of outcome.words) words.push(word);
  }
  const reply =
    deadline === undefined
      ? calls.attempt("finish", words)
      : calls.attemptBefore(deadline, "finish", words);
  return reply as Promise<string[]>;
}

/** The jobs that an answer brings, behind what it says of so many outcomes. */
export function jobsIn(
  reply: readonly string[],
  outcomes: number,
  { calls, name }: { calls: Calls; name: string },
): RunningJob[] {
  const jobs: RunningJob[] = [];
  for (let i = outcomes; i < reply.length; i++) jobs.push(new RunningJob(calls, name, reply[i]!));
  return jobs;
}
