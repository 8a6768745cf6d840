import { Type } from "@sinclair/typebox";
import { NoSuchJob } from "../../engine.ts";
import { type Call, route } from "../route.ts";
import {
  Count,
  MAX_WAIT_S,
  momentFrom,
  Name,
  Names,
  page,
  strict,
  Wait,
  When,
  words,
} from "../schemas.ts";
import { JobShape, jobShape } from "../shapes.ts";

export const STATES = [
  "waiting",
  "scheduled",
  "depends",
  "running",
  "stalled",
  "complete",
  "failed",
] as const;

/** Which jobs to find, for a search and for a change of many. */
export const criteria = {
  state: Type.Optional(words(STATES)),
  queue: Type.Optional(Name),
  klass: Type.Optional(Name),
  tag: Type.Optional(Name),
  source: Type.Optional(Name),
  group: Type.Optional(Name),
  jid: Type.Optional(Name),
  from: Type.Optional(When),
  to: Type.Optional(When),
  order: Type.Optional(words(["newest", "oldest"])),
};

type Given = { from?: string | number; to?: string | number };

export function criteriaFrom<Criteria extends Given>({ from, to, ...rest }: Criteria) {
  const times = {
    ...(from !== undefined && { from: momentFrom(from) }),
    ...(to !== undefined && { to: momentFrom(to) }),
  };
  return { ...rest, ...times };
}

export const params = strict({ jid: Name });

/** The job, or a refusal that says that there is none. */
export async function jobOf({ client }: Pick<Call, "client">, jid: string) {
  const job = await client.get(jid);
  if (job !== undefined) return job;
  throw new NoSuchJob("NO_SUCH_JOB", `There is no job ${JSON.stringify(jid)}`);
}

const Jobs = Type.Object({ jobs: Type.Array(JobShape) });

export const looking = [
  route({
    method: "GET",
    path: "/api/v1/jobs",
    role: "read",
    says: "Finds jobs, some at a time; the search is over when there is no cursor",
    query: strict({
      ...criteria,
      cursor: Type.Optional(
        Type.String({ maxLength: 4096, description: "what the last page gave" }),
      ),
      count: Type.Optional(Count),
    }),
    gives: Type.Object({
      jobs: Type.Array(JobShape),
      cursor: Type.Union([Type.String(), Type.Null()]),
    }),
    async run({ client, query: { cursor, count = 25, ...rest } }) {
      const search = client.search(criteriaFrom(rest));
      const found = await search.page({ cursor, count });
      return { jobs: found.jobs.map(jobShape), cursor: found.cursor ?? null };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/get",
    role: "read",
    acts: false,
    says: "Tells everything about several jobs, of those that there are",
    body: strict({ jids: Names }),
    gives: Jobs,
    run: async ({ client, body }) => ({ jobs: (await client.getMany(body.jids)).map(jobShape) }),
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs/:jid",
    role: "read",
    says: "Tells everything about a job",
    params,
    gives: JobShape,
    run: async (call) => jobShape(await jobOf(call, call.params.jid)),
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs/:jid/explain",
    role: "read",
    says: "Tells why a job is not running",
    params,
    gives: Type.Object({
      jid: Type.String(),
      state: Type.String(),
      queue: Type.String(),
      reasons: Type.Array(Type.Object({ reason: Type.String() }, { additionalProperties: true })),
    }),
    async run({ client, params: { jid } }) {
      const { reasons, ...told } = await client.explain(jid);
      return { ...told, reasons: reasons.map(inSeconds) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/jobs/:jid/wait",
    role: "read",
    says: "Waits until a job has ended",
    params,
    query: strict({ wait: Type.Optional(Wait) }),
    gives: Type.Object({
      state: words(["complete", "failed", "gone", "pending"]),
      job: Type.Union([JobShape, Type.Null()]),
    }),
    async run({ client, params: { jid }, query: { wait = MAX_WAIT_S }, signal }) {
      try {
        const ended = await client.waitFor(jid, { timeout: wait * 1000, signal });
        return { state: ended.state, job: ended.job === undefined ? null : jobShape(ended.job) };
      } catch (error) {
        if ((error as { code?: string }).code !== "TIMEOUT" && !signal.aborted) throw error;
        // Time also runs out while the store is away, and then nothing is known of the job.
        if (!signal.aborted) await client.get(jid);
        return { state: "pending" as const, job: null };
      }
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/completed",
    role: "read",
    says: "Lists completed jobs, the last one first",
    query: strict(page),
    gives: Type.Object({ jids: Type.Array(Type.String()) }),
    run: async ({ client, query }) => ({ jids: await client.completed(query) }),
  }),
];

/** Moments of a reason as seconds. */
function inSeconds(reason: { reason: string }): { reason: string } {
  const entries = Object.entries<unknown>({ ...reason }).map(([name, value]) => [
    name,
    value instanceof Date ? value.getTime() / 1000 : (value ?? null),
  ]);
  return Object.fromEntries(entries);
}
