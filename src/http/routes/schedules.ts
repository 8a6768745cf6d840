import { type Static, Type } from "@sinclair/typebox";
import type { Schedule } from "../../client/schedule.ts";
import type { ScheduleOptions } from "../../client/schedules.ts";
import { NoSuchJob } from "../../engine.ts";
import { operate } from "../operator.ts";
import { type Call, route } from "../route.ts";
import {
  BackoffText,
  Data,
  Length,
  lengthFrom,
  momentFrom,
  Name,
  Names,
  Priority,
  page,
  secondsOf,
  strict,
  When,
  Whole,
  words,
} from "../schemas.ts";
import { DataShape, DONE, Done, dataFrom } from "../shapes.ts";

const params = strict({ jid: Name });
const Cron = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'a cron expression such as "0 9 * * 1-5"',
});
const orNull = Type.Union([Type.Number(), Type.Null()]);
const textOrNull = Type.Union([Type.String(), Type.Null()]);

const ScheduleShape = Type.Object(
  {
    jid: Type.String(),
    klass: Type.String(),
    queue: Type.String(),
    data: DataShape,
    cron: Type.String(),
    zone: Type.String(),
    overlap: Type.String(),
    missed: Type.String(),
    backlog: Type.Integer(),
    jitter: Type.Number({ description: "seconds" }),
    priority: Type.Number(),
    tags: Type.Array(Type.String()),
    retries: Type.Union([Type.Integer(), Type.Null()]),
    source: textOrNull,
    backoff: textOrNull,
    paused: Type.Boolean(),
    runs: Type.Integer(),
    skipped: Type.Integer(),
    next: orNull,
    last: orNull,
    last_jid: textOrNull,
  },
  { $id: "Schedule", description: "a job by the calendar" },
);

function scheduleShape(one: Schedule): Static<typeof ScheduleShape> {
  const { jid, klass, queue, cron, zone, overlap, missed, backlog, paused } = one;
  const { priority, tags, retries = null, source = null, backoff = null } = one;
  return {
    ...{ jid, klass, queue, cron, zone, overlap, missed, backlog, paused },
    ...{ priority, tags, retries, source, backoff },
    data: dataFrom(one.rawData),
    jitter: one.jitterMs / 1000,
    runs: one.runs,
    skipped: one.skipped,
    next: secondsOf(one.next),
    last: secondsOf(one.last),
    last_jid: one.lastJid ?? null,
  };
}

async function scheduleOf({ client }: Pick<Call, "client">, jid: string): Promise<Schedule> {
  const schedule = await client.schedules.get(jid);
  if (schedule !== undefined) return schedule;
  throw new NoSuchJob("NO_SUCH_SCHEDULE", `There is no schedule ${JSON.stringify(jid)}`);
}

export const schedules = [
  route({
    method: "GET",
    path: "/api/v1/schedules",
    role: "read",
    says: "Lists the schedules",
    query: strict(page),
    gives: Type.Object({ schedules: Type.Array(ScheduleShape) }),
    async run({ client, query }) {
      return { schedules: (await client.schedules.list(query)).map(scheduleShape) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/schedules/:jid",
    role: "read",
    says: "Tells everything about a schedule",
    params,
    gives: ScheduleShape,
    run: async (call) => scheduleShape(await scheduleOf(call, call.params.jid)),
  }),
  route({
    method: "GET",
    path: "/api/v1/cron",
    role: "read",
    says: "Tells when a cron expression comes round next",
    query: strict({
      cron: Cron,
      zone: Type.Optional(Name),
      count: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 50, description: "a whole number from 1 to 50" }),
      ),
      after: Type.Optional(When),
    }),
    gives: Type.Object({ runs: Type.Array(Type.Number({ description: "seconds since 1970" })) }),
    run({ client, query: { cron, zone = "UTC", count = 5, after } }) {
      const from = after === undefined ? Date.now() : momentFrom(after);
      const runs = client.schedules.nextRuns(cron, count, zone, from);
      return { runs: runs.map((run) => run.getTime() / 1000) };
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/schedules/:jid",
    role: "admin",
    says: "Defines a schedule; saying the same again changes nothing",
    params,
    body: strict({
      klass: Name,
      data: Type.Optional(Data),
      cron: Cron,
      zone: Type.Optional(Name),
      queue: Type.Optional(Name),
      overlap: Type.Optional(words(["allow", "skip"])),
      missed: Type.Optional(words(["skip", "one", "all"])),
      backlog: Type.Optional(Whole),
      jitter: Type.Optional(Length),
      priority: Type.Optional(Priority),
      tags: Type.Optional(Names),
      retries: Type.Optional(Whole),
      source: Type.Optional(Name),
      backoff: Type.Optional(BackoffText),
    }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const { klass, data = null, jitter, ...rest } = call.body;
      const options: ScheduleOptions = { ...rest };
      if (jitter !== undefined) options.jitter = lengthFrom(jitter);
      await operate(call, { action: "schedule", to: jid, klass, cron: rest.cron }, () =>
        call.client.schedules.set(jid, klass, data, options),
      );
      return DONE;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/schedules/:jid",
    role: "admin",
    says: "Ends a schedule; its children stay",
    params,
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      await scheduleOf(call, jid);
      await operate(call, { action: "unschedule", to: jid }, () =>
        call.client.schedules.remove(jid),
      );
      return DONE;
    },
  }),
  ...(["pause", "unpause"] as const).map((action) =>
    route({
      method: "POST",
      path: `/api/v1/schedules/:jid/${action}`,
      role: "admin",
      says: action === "pause" ? "Pauses a schedule" : "Lets a schedule go on with its next run",
      params,
      gives: Done,
      async run(call) {
        const { jid } = call.params;
        await operate(call, { action: `${action}-schedule`, to: jid }, () =>
          call.client.schedules[action](jid),
        );
        return DONE;
      },
    }),
  ),
];
