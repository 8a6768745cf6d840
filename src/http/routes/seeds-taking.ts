import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { RunningJob } from "../../client/running-job.ts";
import { type Call, route } from "../route.ts";
import { Count, Name, Wait } from "../schemas.ts";
import { DataShape, dataFrom } from "../shapes.ts";
import { popped, workerOf } from "./working.ts";

/** Of several, those that were refused, and why. */
export const Refused = Type.Array(
  Type.Object({ id: Type.String(), code: Type.String(), error: Type.String() }),
);

/** What every answer is in. */
export const envelope = <Results extends TSchema>(results: Results) =>
  Type.Object({
    results,
    refused: Type.Optional(Refused),
    kept: Type.Optional(
      Type.Array(Type.String(), { description: "of the results, the jobs that existed already" }),
    ),
    time: Type.Optional(Type.Object({ total: Type.Number({ description: "milliseconds" }) })),
  });

export const host = Type.Optional(Name);
export const byQueue = Type.Object({ queue: Name });
const counted = Type.Object({ queue: Name, count: Count });
const asking = Type.Object({ host, wait: Type.Optional(Wait) });

const WorkShape = Type.Object(
  {
    id: Type.String(),
    queue: Type.String(),
    meta: DataShape,
    lease: Type.Integer(),
    heartbeat: Type.Integer({ description: "seconds until it must be renewed" }),
    cutoff: Type.Optional(Type.Integer({ description: "seconds that it may run in all" })),
  },
  { $id: "Work", description: "a job that was handed out" },
);
type Work = Static<typeof WorkShape>;

/** A job as the seeds show it. */
function workShape(job: RunningJob, now: number, config: Record<string, string | number>): Work {
  const { jid, queue, lease, cutoffMs } = job;
  const ofQueue = Number(config[`${queue}-cutoff`] ?? 0);
  const cutoff = Math.floor(cutoffMs === undefined ? ofQueue : cutoffMs / 1000);
  const heartbeat = secondsUntil(job.expires.getTime(), now);
  const work = { id: jid, queue, meta: dataFrom(job.rawData), lease, heartbeat };
  return cutoff > 0 ? { ...work, cutoff } : work;
}

export const secondsUntil = (ms: number, now: number) => Math.max(Math.round((ms - now) / 1000), 0);

async function work(
  call: Call,
  queue: string,
  count: number,
  asked: { host?: string; wait?: number },
): Promise<Work[]> {
  const { site, client } = call;
  const worker = workerOf(call, asked.host);
  // Before it takes anything: what went wrong afterwards would leave jobs in nobody's hands.
  const [config] = await Promise.all([client.config.all(), site.clock.now()]);
  const jobs = await popped(call, { queues: [queue], worker, count, wait: asked.wait ?? 0 });
  return jobs.map((job) => workShape(job, site.clock.estimate(), config));
}

export const getting = (["GET", "POST"] as const).flatMap((method) => {
  const body = method === "POST" ? { body: asking } : {};
  const askedOf = ({ query, body: said }: Call<unknown, Static<typeof asking>, unknown>) => ({
    ...query,
    ...(said as Static<typeof asking> | undefined),
  });
  return [
    route({
      method,
      path: "/get/:queue",
      role: "work",
      acts: true,
      seed: true,
      says: "Takes a job",
      params: byQueue,
      query: asking,
      ...body,
      gives: envelope(Type.Union([WorkShape, Type.Null()])),
      async run(call) {
        const [one = null] = await work(call, call.params.queue, 1, askedOf(call));
        return { results: one };
      },
    }),
    route({
      method,
      path: "/get/:queue/:count",
      role: "work",
      acts: true,
      seed: true,
      says: "Takes some jobs: one, or with a count of more than 1 a list",
      params: counted,
      query: asking,
      ...body,
      gives: envelope(Type.Union([WorkShape, Type.Null(), Type.Array(WorkShape)])),
      async run(call) {
        const { queue, count } = call.params;
        const jobs = await work(call, queue, count, askedOf(call));
        return { results: count === 1 ? (jobs[0] ?? null) : jobs };
      },
    }),
  ];
});
