import type { Calls } from "../client/calls.ts";
import { RunningJob } from "../client/running-job.ts";
import { Refused, refusalFrom } from "../engine.ts";
import type { Outcome } from "./outcome.ts";
import type { Run } from "./run.ts";
import type { Turns } from "./turns.ts";

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

export interface Finished {
  /** For each outcome: what it came to, or why it was refused. */
  answers: (string | Refused)[];
  jobs: RunningJob[];
}

/** Outcomes that one call carries. */
export const MAX_OUTCOMES = 500;

/**
 * Gives back jobs that a reply brought which was lost. They are not known here, and nobody else would
 * have them before their locks expire.
 */
export async function giveBackUnknown(
  calls: Calls,
  worker: string,
  known: ReadonlySet<string>,
): Promise<void> {
  const { jobs } = await calls.json<{ jobs: string[] }>("workers", [worker]);
  for (const jid of jobs.filter((one) => !known.has(one))) {
    await calls.write("timeout", [jid]).catch((error) => {
      if (!(error instanceof Refused)) throw error;
    });
  }
}

/** Sends outcomes and takes jobs, in one call. What comes of many is read in its own turn. */
export async function finish(
  calls: Calls,
  worker: string,
  ended: readonly Ended[],
  { queues, count }: Asked,
  turns: Turns,
): Promise<Finished> {
  const words: (string | number)[] = [worker, count, count === 0 ? "[]" : JSON.stringify(queues)];
  for (const { run, outcome } of ended) {
    const { jid, lease } = run.job;
    words.push(outcome.verb, jid, lease, outcome.words.length);
    for (const word of outcome.words) words.push(word);
  }
  const reply = (await calls.attempt("finish", words)) as string[];
  if (ended.length >= turns.many) await turns.own();
  return {
    answers: reply.slice(0, ended.length).map((answer) => refusalFrom(answer) ?? answer),
    jobs: reply.slice(ended.length).map((job) => new RunningJob(calls, worker, job)),
  };
}
