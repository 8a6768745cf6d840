import { type Static, Type } from "@sinclair/typebox";
import type { JobJson } from "../client/job-json.ts";
import type { QueueCounts, QueueStatistics, Times } from "../client/queue-types.ts";
import type { RunningJob } from "../client/running-job.ts";
import { QlessError } from "../engine.ts";
import { type RawJson, rawJson } from "../json/raw-json.ts";
import { secondsOf } from "./schemas.ts";

/** What answers are made of: their schemas, and how the client's objects become them. */

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const seconds = Type.Number({ description: "seconds" });
const moment = Type.Number({ description: "seconds since 1970" });

export const Reasoned = Type.Object(
  { code: Type.String(), message: Type.String() },
  { $id: "Reasoned", description: "why something was refused" },
);

/** Job data: its JSON text byte for byte, or a string if another program stored what is not JSON. */
export const DataShape = Type.Unsafe<RawJson | string>(
  Type.Unknown({ description: "any JSON, byte for byte as it was put" }),
);

export const JobShape = Type.Object(
  {
    jid: Type.String(),
    klass: Type.String(),
    state: Type.String(),
    queue: Type.String(),
    worker: Type.String(),
    tracked: Type.Boolean(),
    priority: Type.Number(),
    expires: moment,
    retries: Type.Integer(),
    remaining: Type.Integer(),
    data: DataShape,
    tags: Type.Array(Type.String()),
    history: Type.Array(
      Type.Object({ what: Type.String(), when: moment }, { additionalProperties: true }),
    ),
    failure: Type.Object({
      group: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
      when: Type.Optional(moment),
      worker: Type.Optional(Type.String()),
    }),
    spawned_from_jid: orNull(Type.String()),
    dependents: Type.Array(Type.String()),
    dependencies: Type.Array(Type.String()),
    lease: orNull(Type.Integer()),
    scheduled: orNull(moment),
    source: orNull(Type.String()),
    backoff: orNull(Type.String()),
    cutoff: orNull(seconds),
    unique: Type.Optional(orNull(Type.String())),
    context: Type.Optional(orNull(Type.String())),
  },
  { $id: "Job", description: "a job as it is now" },
);

/** A job for an answer. */
export function jobShape(job: { toJSON(): JobJson }): Static<typeof JobShape> {
  const { data, ...rest } = job.toJSON();
  return { ...rest, data: dataFrom(data) };
}

/** Stored data for an answer; what is not JSON becomes a string. */
export function dataFrom(text: string): RawJson | string {
  try {
    return rawJson(text);
  } catch {
    return text;
  }
}

export const RunningShape = Type.Object(
  {
    jid: Type.String(),
    klass: Type.String(),
    queue: Type.String(),
    worker: Type.String(),
    data: DataShape,
    lease: Type.Integer(),
    expires: moment,
    priority: Type.Number(),
    retries: Type.Integer(),
    remaining: Type.Integer(),
    tags: Type.Array(Type.String()),
    source: orNull(Type.String()),
    cutoff: orNull(seconds),
    context: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: "RunningJob", description: "a job that was handed out" },
);

export function runningShape(job: RunningJob): Static<typeof RunningShape> {
  const { jid, klass, queue, worker, lease, priority, retries, remaining, context } = job;
  return {
    ...{ jid, klass, queue, worker, lease, priority, retries, remaining, context },
    data: dataFrom(job.rawData),
    expires: job.expires.getTime() / 1000,
    tags: [...job.tags],
    source: job.source ?? null,
    cutoff: job.cutoffMs === undefined ? null : job.cutoffMs / 1000,
  };
}

export const CountsShape = Type.Object(
  {
    name: Type.String(),
    waiting: Type.Integer(),
    running: Type.Integer(),
    stalled: Type.Integer(),
    scheduled: Type.Integer(),
    depends: Type.Integer(),
    recurring: Type.Integer(),
    next_since: orNull(moment),
    paused: Type.Boolean(),
    paused_reason: orNull(Type.String()),
    paused_until: orNull(moment),
  },
  { $id: "Queue", description: "how many jobs of a queue are in which state" },
);

export function countsShape(counts: QueueCounts): Static<typeof CountsShape> {
  const { nextSince, pausedReason = null, pausedUntil, ...rest } = counts;
  return {
    ...rest,
    next_since: secondsOf(nextSince),
    paused_reason: pausedReason,
    paused_until: secondsOf(pausedUntil),
  };
}

const TimesShape = Type.Object(
  {
    count: Type.Integer(),
    mean: seconds,
    std: seconds,
    p50: seconds,
    p95: seconds,
    p99: seconds,
    histogram: Type.Array(Type.Integer(), {
      description: "jobs by length: 60 seconds, 59 minutes, 23 hours, 6 days and longer",
    }),
  },
  { $id: "Times", description: "how long jobs waited or ran; lengths in seconds" },
);

export const StatisticsShape = Type.Object(
  {
    wait: TimesShape,
    run: TimesShape,
    failures: Type.Integer(),
    failed: Type.Integer(),
    retries: Type.Integer(),
  },
  { $id: "Statistics", description: "what happened in a queue on one day" },
);

export function statisticsShape(one: QueueStatistics): Static<typeof StatisticsShape> {
  const { failures, failed, retries } = one;
  return { wait: timesShape(one.wait), run: timesShape(one.run), failures, failed, retries };
}

const timesShape = (times: Times): Static<typeof TimesShape> => ({
  count: times.count,
  mean: times.meanMs / 1000,
  std: times.stdMs / 1000,
  p50: times.p50Ms / 1000,
  p95: times.p95Ms / 1000,
  p99: times.p99Ms / 1000,
  histogram: times.histogram,
});

/** Why one of several was refused. */
export function reasonOf(error: Error): Static<typeof Reasoned> {
  const code = error instanceof QlessError ? error.code : "FAILED";
  return { code, message: error.message };
}

export const Done = Type.Object({ done: Type.Literal(true) }, { $id: "Done" });
export const DONE: Static<typeof Done> = { done: true };
