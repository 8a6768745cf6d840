import { same } from "../compare.ts";
import { type Answered, list, No, pairs, parts, type Rule } from "./call.ts";
import { judgeCycle } from "./dependencies.ts";
import { claimed, completeJob, prune, renew, retryJob } from "./ending.ts";
import { fail, take } from "./queue.ts";
import type { World } from "./world.ts";

/** What workers do with several jobs in one call. */

/** The answer for one of several jobs: what the engine said, without the sentence of a refusal. */
const told = (answer: string): string => /^[A-Z_]{2,}(?= )/.exec(answer)?.[0] ?? answer;

function each(act: () => number | string): string {
  try {
    return String(act());
  } catch (error) {
    if (error instanceof No) return error.code;
    throw error;
  }
}

const heartbeatMany: Rule = (world, now, [worker, ...beats]) => {
  return (reply) => {
    const expected: string[] = [];
    for (let i = 0; i < beats.length; i += 3) {
      const claim = { jid: beats[i]!, worker: worker!, lease: beats[i + 1] };
      expected.push(each(() => renew(world, now, claim, beats[i + 2]) / 1000));
    }
    same((reply as string[]).map(told), expected);
  };
};

/** One job's part in a finish, judged before anything is done. */
type Ending = (() => number | string) | string;

function endings(world: World, now: number, worker: string, words: string[]): Ending[] {
  const planned = new Map<string, string[]>();
  return parts(words, 4).map(({ head: [verb, jid, lease], options: said }) => {
    const options = pairs(said);
    try {
      const job = claimed(world, { jid: jid!, worker, lease });
      if (planned.has(jid!)) return "NOT_RUNNING";
      planned.set(jid!, []);
      const depends = verb === "complete" ? list(options.get("depends")) : [];
      judgeCycle(world, jid!, depends, planned);
      planned.set(jid!, depends);
      if (verb === "complete") return () => completeJob(world, now, job, options);
      if (verb === "retry") return () => retryJob(world, now, job, options);
      return () => {
        fail(world, now, job, options.get("group")!, options.get("message")!);
        return "failed";
      };
    } catch (error) {
      if (error instanceof No) return error.code;
      throw error;
    }
  });
}

const finish: Rule = (world, now, [worker, count, queues, ...words]) => {
  const judged = endings(world, now, worker!, words);
  return (reply) => {
    const [answers, jobs] = reply as [string[], Answered[][]];
    const expected = judged.map((end) => (typeof end === "string" ? end : each(end)));
    same(answers.map(told), expected);
    if (expected.includes("complete")) prune(world, now);
    const asking = { queues: list(queues), worker: worker!, count: Number(count), history: false };
    take(world, now, asking, jobs);
  };
};

const pop: Rule = (world, now, [queue, worker, count, ...rest]) => {
  const options = pairs(rest);
  const queues = [queue!, ...list(options.get("also"))];
  const history = options.get("history") === "1";
  const asking = { queues, worker: worker!, count: Number(count), history };
  return (reply) => take(world, now, asking, reply as Answered[][]);
};

export const BATCH_RULES: Record<string, Rule> = {
  finish,
  "heartbeat.many": heartbeatMany,
  pop,
};
