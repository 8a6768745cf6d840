import { writeJson } from "../json/raw-json.ts";
import type { CallLimits, Calls } from "./calls.ts";
import { type Answer, answerFrom } from "./moving.ts";
import type { Registry } from "./registry.ts";
import type { AnyRunningJob } from "./registry-jobs.ts";
import type { Completion, RetryOptions } from "./running-job.ts";
import { takenFrom } from "./taken.ts";
import { seconds } from "./times.ts";

/** A job whose lock is to be renewed; without a lease, whoever has the worker's name holds it. */
export interface Beat {
  jid: string;
  lease?: number | undefined;
  /** New data to keep with the job. */
  data?: unknown;
}

/**
 * How a run ended; without a lease, whoever has the worker's name holds the job. The `backoff` of a
 * retry counts where neither the job nor its queue has one.
 */
export type Outcome = { jid: string; lease?: number | undefined } & (
  | ({ verb: "complete" } & Completion)
  | { verb: "fail"; group: string; message: string; data?: unknown }
  | ({ verb: "retry"; backoff?: string } & RetryOptions)
);

export interface Finished<Jobs extends Registry> {
  /** For each outcome: the new state, or the retries that are left, or why it was refused. */
  answers: Answer[];
  jobs: AnyRunningJob<Jobs>[];
}

/** @internal */
export async function beatAll(
  calls: Calls,
  worker: string,
  beats: readonly Beat[],
  limits?: CallLimits,
): Promise<Answer[]> {
  if (beats.length === 0) return [];
  const words = beats.flatMap(({ jid, lease = "", data }) => [
    jid,
    lease,
    data === undefined ? "" : (writeJson(data) ?? ""),
  ]);
  const answers = await calls.write("heartbeat.many", [worker, ...words], limits);
  return (answers as string[]).map(answerFrom);
}

/** @internal */
export async function finishAll<Jobs extends Registry>(
  calls: Calls,
  worker: string,
  outcomes: readonly Outcome[],
  {
    queues = [],
    count = 1,
    ...limits
  }: { queues?: readonly string[]; count?: number } & CallLimits,
): Promise<Finished<Jobs>> {
  const words: (string | number)[] = [worker, queues.length === 0 ? 0 : count];
  words.push(JSON.stringify(queues));
  for (const outcome of outcomes) {
    const options = wordsOf(outcome);
    words.push(outcome.verb, outcome.jid, outcome.lease ?? "", options.length, ...options);
  }
  const reply = (await calls.write("finish", words, limits)) as string[];
  const [answers, popped] = [reply.slice(0, outcomes.length), reply.slice(outcomes.length)];
  return {
    answers: answers.map(answerFrom),
    jobs: await takenFrom(calls, worker, popped),
  };
}

function wordsOf(outcome: Outcome): (string | number)[] {
  const words: (string | number)[] = [];
  const say = (name: string, value: string | number | undefined) => {
    if (value !== undefined) words.push(name, value);
  };
  if (outcome.verb !== "retry")
    say("data", outcome.data === undefined ? undefined : writeJson(outcome.data));
  if (outcome.verb !== "complete") {
    say("group", outcome.group);
    say("message", outcome.message);
  }
  if (outcome.verb === "complete") {
    say("next", outcome.next);
    say("depends", outcome.depends && JSON.stringify(outcome.depends));
  }
  if (outcome.verb !== "fail") {
    say("delay", outcome.delay === undefined ? undefined : seconds(outcome.delay, "delay"));
  }
  if (outcome.verb === "retry") {
    say("lot", Math.random());
    say("backoff", outcome.backoff);
    if (outcome.spend === false) say("spend", 0);
  }
  return words;
}
