import { same } from "../compare.ts";
import { list, No, pairs, parts, type Rule } from "./call.ts";
import { judgeCycle } from "./dependencies.ts";
import { claimed, completeJob, prune, renew, retryJob } from "./ending.ts";
import { fail, take } from "./queue.ts";
import type { World } from "./world.ts";

/** What workers do with several jobs in one call. */

/** The answer for one of several jobs: what the engine said, without the sentence of a refusal. */
export const told = (answer: string): string => /^[A-Z_]{2,}(?= )/.exec(answer)?.[0] ?? answer;

export function each(act: () => number | string): string {
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

/** Ends one job's run, or says why not. */
function end(world: World, now: number, worker: string, [head, said]: [string[], string[]]) {
  const [verb, jid, lease] = head;
  const options = pairs(said);
  const job = claimed(world, { jid: jid!, worker, lease });
  if (verb === "retry") return retryJob(world, now, job, options);
  if (verb === "complete") {
    judgeCycle(world, jid!, list(options.get("depends")), new Map());
    return completeJob(world, now, job, options);
  }
  fail(world, now, job, options.get("group")!, options.get("message")!);
  return "failed";
}

const finish: Rule = (world, now, [worker, count, queues, ...words]) => {
  return (reply) => {
    const expected = parts(words, 4).map(({ head, options }) =>
      each(() => end(world, now, worker!, [head, options])),
    );
    const answers = (reply as string[]).slice(0, expected.length);
    same(answers.map(told), expected);
    if (expected.includes("complete")) prune(world, now);
    const asking = { queues: list(queues), worker: worker!, count: Number(count), history: false };
    take(world, now, asking, (reply as string[]).slice(expected.length));
  };
};

const pop: Rule = (world, now, [queue, worker, count, ...rest]) => {
  const options = pairs(rest);
  const queues = [queue!, ...list(options.get("also"))];
  const history = options.get("history") === "1";
  const asking = { queues, worker: worker!, count: Number(count), history };
  return (reply) => take(world, now, asking, reply as string[]);
};

export const BATCH_RULES: Record<string, Rule> = {
  finish,
  "heartbeat.many": heartbeatMany,
  pop,
};
