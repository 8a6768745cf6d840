import { type Static, Type } from "@sinclair/typebox";
import type { Answer } from "../../client/moving.ts";
import type { PutResult } from "../../client/put-batch.ts";
import { NoSuchJob } from "../../engine.ts";
import { denialOf, noteDenial } from "../creating.ts";
import { type Call, route } from "../route.ts";
import { Data, Lease, MAX_BATCH, Name } from "../schemas.ts";
import { CountsShape, countsShape, DataShape, jobShape, reasonOf } from "../shapes.ts";
import { putOptions, putProperties } from "./putting.ts";
import { byQueue, envelope, getting, host, type Refused, secondsUntil } from "./seeds-taking.ts";
import { workerOf } from "./working.ts";

/** The interface of the seeds: for a worker that has nothing but an HTTP client. */

const many = (what: string) => ({
  maxItems: MAX_BATCH,
  description: `a list of at most ${MAX_BATCH} ${what}`,
});

const Beat = Type.Union([Name, Type.Object({ id: Name, lease: Type.Optional(Lease) })], {
  description: "an id, or an object with id and lease",
});

const refusedOf = (ids: readonly string[], answers: readonly Answer[]): Static<typeof Refused> =>
  answers.flatMap((answer, i) => {
    if (answer.ok) return [];
    const { code, message } = reasonOf(answer.error);
    return [{ id: ids[i]!, code, error: message }];
  });

const Completed = Type.Object(
  { id: Name, meta: Type.Optional(Data), lease: Type.Optional(Lease) },
  { description: "an object with id and meta" },
);

/** Completes one job, in that queue; one without meta keeps what it has. */
async function completed(
  { client }: Pick<Call, "client">,
  worker: string,
  queue: string,
  { id, meta, lease }: Static<typeof Completed>,
): Promise<Answer> {
  if (meta === undefined) {
    const outcome = { verb: "complete", jid: id, lease } as const;
    return (await client.finish(worker, [outcome])).answers[0]!;
  }
  const words: (string | number)[] = [id, worker, queue, meta.text];
  if (lease !== undefined) words.push("lease", lease);
  return answered(client.parts.calls.write("complete", words).then(String));
}

/** What came of it; only a refusal concerns this one alone. */
async function answered(value: Promise<string>): Promise<Answer> {
  try {
    return { ok: true, value: await value };
  } catch (error) {
    if (error instanceof Error && "code" in error && !("uncertain" in error)) {
      return { ok: false, error };
    }
    throw error;
  }
}

/** The jids of the jobs that were there and are as they were. */
async function keptOf(puts: readonly Promise<PutResult>[]): Promise<string[]> {
  const settled = await Promise.allSettled(puts);
  return settled.flatMap((one) =>
    one.status === "fulfilled" && one.value.outcome === "kept" ? [one.value.jid] : [],
  );
}

/** The answers, with attempts that the caller may not make noted; throws if there is nothing else. */
async function permitted(call: Call<{ queue: string }>, answers: Answer[]): Promise<Answer[]> {
  const denials = answers.map((answer) => (answer.ok ? undefined : denialOf(answer.error)));
  const [denial] = denials.filter((one) => one !== undefined);
  if (denial === undefined) return answers;
  const count = denials.filter((one) => one !== undefined).length;
  await noteDenial(call, { queue: call.params.queue, count }, denial);
  if (count === answers.length) throw denial;
  return answers.map((answer, i) =>
    denials[i] === undefined ? answer : { ok: false, error: denials[i] },
  );
}

const { jid: _, ...options } = putProperties;
const Added = Type.Object(
  { meta: Type.Optional(Data), id: Type.Optional(Name), klass: Type.Optional(Name), ...options },
  { description: "an object with meta, id and options of a put" },
);

export const seeds = [
  ...getting,
  route({
    method: "POST",
    path: "/heartbeat/:queue",
    role: "work",
    seed: true,
    says: "Renews locks: seconds until the next heartbeat, or false where the lock is lost",
    params: byQueue,
    body: Type.Object({ host, data: Type.Array(Beat, many("ids")) }),
    gives: envelope(Type.Array(Type.Union([Type.Integer(), Type.Literal(false)]))),
    async run(call) {
      const beats = call.body.data.map((one) => (typeof one === "string" ? { id: one } : one));
      const ids = beats.map(({ id }) => id);
      const jobs = beats.map(({ id, ...rest }) => ({ jid: id, ...rest }));
      await call.site.clock.now();
      const answers = await call.client.heartbeat(workerOf(call, call.body.host), jobs);
      const now = call.site.clock.estimate();
      const results = answers.map((answer) =>
        answer.ok ? secondsUntil(Number(answer.value) * 1000, now) : (false as const),
      );
      return { results, refused: refusedOf(ids, answers) };
    },
  }),
  route({
    method: "POST",
    path: "/complete/:queue",
    role: "work",
    seed: true,
    says: "Completes jobs, and tells the ids of those that are",
    params: byQueue,
    body: Type.Object({ host, data: Type.Array(Completed, many("jobs")) }),
    gives: envelope(Type.Array(Type.String())),
    async run(call) {
      const { data } = call.body;
      const worker = workerOf(call, call.body.host);
      const each = data.map((one) => completed(call, worker, call.params.queue, one));
      const answers = await Promise.all(each);
      const ids = data.map(({ id }) => id);
      const results = ids.filter((_id, i) => answers[i]!.ok);
      return { results, refused: refusedOf(ids, answers) };
    },
  }),
  route({
    method: "POST",
    path: "/add/:queue",
    role: "put",
    seed: true,
    says: "Puts jobs, each for itself: its id, or false",
    params: byQueue,
    body: Type.Object({ host, data: Type.Array(Added, many("jobs")) }),
    gives: envelope(Type.Array(Type.Union([Type.String(), Type.Literal(false)]))),
    async run(call) {
      const { queue } = call.params;
      const { data } = call.body;
      const puts = data.map(({ meta = null, id, klass = queue, ...rest }, i) => {
        const options = putOptions({ ...rest, ...(id !== undefined && { jid: id }) }, call, i);
        return call.client.queue(queue).put(klass, meta, options);
      });
      const put = await Promise.all(puts.map((one) => answered(one.then(({ jid }) => jid))));
      const answers = await permitted(call, put);
      const results = answers.map((answer) => (answer.ok ? answer.value : (false as const)));
      const ids = data.map(({ id }, i) => id ?? String(i));
      return { results, refused: refusedOf(ids, answers), kept: await keptOf(puts) };
    },
  }),
  route({
    method: "GET",
    path: "/queues",
    role: "read",
    seed: true,
    says: "Counts the jobs of all queues by state",
    gives: envelope(Type.Array(CountsShape)),
    run: async ({ client }) => ({ results: (await client.queues()).map(countsShape) }),
  }),
  route({
    method: "GET",
    path: "/job/:id",
    role: "read",
    seed: true,
    says: "Tells everything about a job",
    params: Type.Object({ id: Name }),
    gives: envelope(
      Type.Object(
        { id: Type.String(), state: Type.String(), queue: Type.String(), meta: DataShape },
        { additionalProperties: true },
      ),
    ),
    async run({ client, params: { id } }) {
      const job = await client.get(id);
      if (job === undefined) {
        throw new NoSuchJob("NO_SUCH_JOB", `There is no job ${JSON.stringify(id)}`);
      }
      const { jid, data, ...rest } = jobShape(job);
      return { results: { id: jid, meta: data, ...rest } };
    },
  }),
];
