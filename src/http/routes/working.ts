import { type Static, Type } from "@sinclair/typebox";
import type { Answer } from "../../client/moving.ts";
import type { RunningJob } from "../../client/running-job.ts";
import type { Outcome } from "../../client/working.ts";
import { type Call, route } from "../route.ts";
import {
  BackoffText,
  Count,
  Data,
  Flag,
  Lease,
  Length,
  lengthFrom,
  MAX_BATCH,
  Name,
  Names,
  SomeNames,
  strict,
  Text,
  Wait,
  words,
} from "../schemas.ts";
import { Reasoned, RunningShape, reasonOf, runningShape } from "../shapes.ts";

/** Who works, where it is not said: the address of the caller. */
export const workerOf = ({ caller }: Call, name: string | undefined) => name ?? caller.address;

/** Takes jobs, and waits for some where it is asked to. */
export async function popped(
  call: Call,
  asked: { queues: readonly string[]; worker: string; count: number; wait: number },
): Promise<RunningJob[]> {
  const { queues, worker, count, wait } = asked;
  const take = () => call.client.pop(queues, { worker, count });
  const jobs = await call.site.room.take(queues, wait * 1000, call.signal, take);
  return keptOf(call, worker, jobs);
}

/** Characters of data that one answer brings; one job is brought however large it is. */
const MAX_CHARACTERS = 32_000_000;

/**
 * Jobs for a caller that has gone meanwhile are given back at once, at no cost; with a key it may ask
 * again, and gets the same ones. So are jobs that are too large for one answer, but for the first.
 */
async function keptOf(call: Call, worker: string, jobs: RunningJob[]): Promise<RunningJob[]> {
  if (jobs.length === 0 || call.key !== undefined) return jobs;
  let characters = 0;
  const isGone = call.reply.raw.destroyed;
  const kept = jobs.filter(({ rawData }, i) => {
    characters += rawData.length;
    return !isGone && (i === 0 || characters <= MAX_CHARACTERS);
  });
  const back = jobs.filter((job) => !kept.includes(job));
  if (back.length > 0) await call.client.finish(worker, back.map(givingBack));
  return kept;
}

const givingBack = ({ jid, lease }: RunningJob): Outcome => ({
  ...{ verb: "retry", jid, lease },
  delay: 0,
  spend: false,
});

const OutcomeShape = Type.Object(
  {
    verb: words(["complete", "fail", "retry"]),
    jid: Name,
    lease: Type.Optional(Lease),
    data: Type.Optional(Data),
    next: Type.Optional(Name),
    delay: Type.Optional(Length),
    depends: Type.Optional(Names),
    group: Type.Optional(Name),
    message: Type.Optional(Text),
    spend: Type.Optional(Flag),
    backoff: Type.Optional(BackoffText),
  },
  { additionalProperties: false, description: "an object with verb, jid, lease and more" },
);

function outcomeFrom(given: Static<typeof OutcomeShape>): Outcome {
  const { delay, ...rest } = given;
  const length = delay === undefined ? {} : { delay: lengthFrom(delay) };
  return { ...rest, ...length } as Outcome;
}

export const AnswerShape = Type.Object(
  {
    jid: Type.String(),
    value: Type.Optional(Type.String({ description: "the new state, or the retries left" })),
    expires: Type.Optional(Type.Number({ description: "seconds since 1970" })),
    error: Type.Optional(Reasoned),
  },
  { $id: "Answer", description: "what became of one job of several" },
);

export const answerShape = (jid: string, answer: Answer): Static<typeof AnswerShape> =>
  answer.ok ? { jid, value: answer.value } : { jid, error: reasonOf(answer.error) };

const many = (what: string) => ({
  minItems: 1,
  maxItems: MAX_BATCH,
  description: `a list of 1 to ${MAX_BATCH} ${what}`,
});

export const working = [
  route({
    method: "POST",
    path: "/api/v1/pop",
    role: "work",
    says: "Takes jobs from queues in their order, and may wait for one",
    body: strict({
      queues: SomeNames,
      worker: Type.Optional(Name),
      count: Type.Optional(Count),
      wait: Type.Optional(Wait),
    }),
    gives: Type.Object({ jobs: Type.Array(RunningShape) }),
    async run(call) {
      const { queues, count = 1, wait = 0 } = call.body;
      const worker = workerOf(call, call.body.worker);
      const jobs = await popped(call, { queues, worker, count, wait });
      return { jobs: jobs.map(runningShape) };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/heartbeat",
    role: "work",
    says: "Renews the locks of jobs, each for itself",
    body: strict({
      worker: Type.Optional(Name),
      jobs: Type.Array(
        Type.Object(
          { jid: Name, lease: Type.Optional(Lease), data: Type.Optional(Data) },
          { additionalProperties: false, description: "an object with jid, lease and data" },
        ),
        many("jobs"),
      ),
    }),
    gives: Type.Object({ jobs: Type.Array(AnswerShape) }),
    async run(call) {
      const { jobs } = call.body;
      const answers = await call.client.heartbeat(workerOf(call, call.body.worker), jobs);
      return {
        jobs: answers.map((answer, i) => {
          const { jid } = jobs[i]!;
          return answer.ok ? { jid, expires: Number(answer.value) } : answerShape(jid, answer);
        }),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/finish",
    role: "work",
    says: "Ends runs, each for itself, and takes the next jobs",
    body: strict({
      worker: Type.Optional(Name),
      outcomes: Type.Array(OutcomeShape, many("outcomes")),
      queues: Type.Optional(Names),
      count: Type.Optional(Count),
    }),
    gives: Type.Object({ outcomes: Type.Array(AnswerShape), jobs: Type.Array(RunningShape) }),
    async run(call) {
      const { outcomes, queues = [], count = 1 } = call.body;
      const worker = workerOf(call, call.body.worker);
      const given = outcomes.map(outcomeFrom);
      const { answers, jobs } = await call.client.finish(worker, given, { queues, count });
      const kept = await keptOf(call, worker, jobs);
      return {
        outcomes: answers.map((answer, i) => answerShape(outcomes[i]!.jid, answer)),
        jobs: kept.map(runningShape),
      };
    },
  }),
];
