import { type Static, Type } from "@sinclair/typebox";
import type { Recurring, RecurringOptions } from "../../client/recurring.ts";
import { NoSuchJob } from "../../engine.ts";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import {
  Count,
  Data,
  Length,
  lengthFrom,
  Name,
  Names,
  Priority,
  secondsOf,
  strict,
  Whole,
} from "../schemas.ts";
import { DataShape, DONE, Done, dataFrom } from "../shapes.ts";

const params = strict({ jid: Name });

const RecurringShape = Type.Object(
  {
    jid: Type.String(),
    klass: Type.String(),
    queue: Type.String(),
    data: DataShape,
    interval: Type.Number({ description: "seconds" }),
    priority: Type.Number(),
    retries: Type.Integer(),
    tags: Type.Array(Type.String()),
    backlog: Type.Integer(),
    count: Type.Integer(),
    paused: Type.Boolean(),
    next: Type.Union([Type.Number(), Type.Null()]),
  },
  { $id: "Recurring", description: "a job that is put again and again at an interval" },
);

function recurringShape(one: Recurring): Static<typeof RecurringShape> {
  const { jid, klass, queue, priority, retries, tags, backlog, count } = one;
  return {
    ...{ jid, klass, queue, priority, retries, tags, backlog, count },
    data: dataFrom(one.rawData),
    interval: one.intervalMs / 1000,
    paused: one.paused,
    next: secondsOf(one.next),
  };
}

export const recurring = [
  route({
    method: "GET",
    path: "/api/v1/recurring",
    role: "read",
    says: "Lists the recurring jobs of all queues, some at a time; the list is over when there is no cursor",
    query: strict({
      cursor: Type.Optional(Type.String({ maxLength: 64, description: "what the last page gave" })),
      count: Type.Optional(Count),
    }),
    gives: Type.Object({
      recurring: Type.Array(RecurringShape),
      cursor: Type.Union([Type.String(), Type.Null()]),
    }),
    async run({ client, query: { cursor, count = 25 } }) {
      const page = await client.recurring.list({ cursor, count });
      return { recurring: page.recurring.map(recurringShape), cursor: page.cursor ?? null };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/recurring/:jid",
    role: "read",
    says: "Tells everything about a recurring job",
    params,
    gives: RecurringShape,
    async run({ client, params: { jid } }) {
      const found = await client.recurring.get(jid);
      if (found === undefined) {
        const message = `There is no recurring job ${JSON.stringify(jid)}`;
        throw new NoSuchJob("NO_SUCH_RECURRING", message);
      }
      return recurringShape(found);
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/recurring/:jid",
    role: "admin",
    says: "Defines a recurring job, or changes the one of that jid",
    params,
    body: strict({
      klass: Name,
      data: Type.Optional(Data),
      queue: Type.Optional(Name),
      interval: Length,
      offset: Type.Optional(Length),
      priority: Type.Optional(Priority),
      tags: Type.Optional(Names),
      retries: Type.Optional(Whole),
      backlog: Type.Optional(Whole),
    }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const { klass, data = null, interval, offset, ...rest } = call.body;
      const options: RecurringOptions = { ...rest, interval: lengthFrom(interval) };
      if (offset !== undefined) options.offset = lengthFrom(offset);
      await operate(call, { action: "recur", to: jid, klass }, () =>
        call.client.recurring.set(jid, klass, data, options),
      );
      return DONE;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/recurring/:jid",
    role: "admin",
    says: "Ends a recurring job, if there is one; its children stay",
    params,
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      await operate(call, { action: "unrecur", to: jid }, () => call.client.recurring.remove(jid));
      return DONE;
    },
  }),
  ...(["pause", "unpause"] as const).map((action) =>
    route({
      method: "POST",
      path: `/api/v1/recurring/:jid/${action}`,
      role: "admin",
      says:
        action === "pause"
          ? "Pauses a recurring job"
          : "Lets a recurring job go on in its rhythm; what was missed is not put",
      params,
      gives: Done,
      async run(call) {
        const { jid } = call.params;
        await operate(call, { action: `${action}-recurring`, to: jid }, () =>
          call.client.recurring[action](jid),
        );
        return DONE;
      },
    }),
  ),
];
