import { type Static, Type } from "@sinclair/typebox";
import type { PauseOptions } from "../../client/queue-types.ts";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import {
  Count,
  Length,
  lengthFrom,
  momentFrom,
  Name,
  Offset,
  page,
  strict,
  When,
  words,
} from "../schemas.ts";
import {
  CountsShape,
  countsShape,
  DONE,
  Done,
  JobShape,
  jobShape,
  StatisticsShape,
  statisticsShape,
} from "../shapes.ts";

const params = strict({ queue: Name });
const LISTED = ["waiting", "running", "stalled", "scheduled", "depends", "recurring"] as const;
const day = Type.Optional(When);

/** Queues whose statistics one answer tells. */
const MAX_STATISTICS = 100;

const Pausing = strict({
  reason: Type.Optional(
    Type.String({ maxLength: 1024, description: "a text of at most 1,024 bytes" }),
  ),
  for: Type.Optional(Length),
  until: Type.Optional(When),
});

function pauseFrom({ reason, until, for: length }: Static<typeof Pausing>): PauseOptions {
  return {
    ...(reason !== undefined && { reason }),
    ...(length !== undefined && { for: lengthFrom(length) }),
    ...(until !== undefined && { until: momentFrom(until) }),
  };
}

export const queues = [
  route({
    method: "GET",
    path: "/api/v1/queues",
    role: "read",
    says: "Counts the jobs of all queues by state",
    query: strict(page),
    gives: Type.Object({ queues: Type.Array(CountsShape) }),
    async run({ client, query: { offset = 0, count = 500 } }) {
      return { queues: (await client.queues({ offset, count })).map(countsShape) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/queues/:queue",
    role: "read",
    says: "Counts the jobs of a queue by state",
    params,
    gives: CountsShape,
    run: async ({ client, params: { queue } }) => countsShape(await client.queue(queue).counts()),
  }),
  route({
    method: "GET",
    path: "/api/v1/queues/:queue/jobs",
    role: "read",
    says: "Lists the jids of a queue's jobs in one state",
    params,
    query: strict({ state: words(LISTED), ...page }),
    gives: Type.Object({ jids: Type.Array(Type.String()) }),
    async run({ client, params: { queue }, query: { state, ...rest } }) {
      return { jids: await client.queue(queue).jobs(state, rest) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/queues/:queue/peek",
    role: "read",
    says: "Shows the jobs that would be handed out next",
    params,
    query: strict({ count: Type.Optional(Count) }),
    gives: Type.Object({ jobs: Type.Array(JobShape) }),
    async run({ client, params: { queue }, query: { count = 1 } }) {
      return { jobs: (await client.queue(queue).peek(count)).map(jobShape) };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/queues/:queue/stats",
    role: "read",
    says: "Tells how long jobs waited and ran on one day",
    params,
    query: strict({ day }),
    gives: StatisticsShape,
    async run({ client, params: { queue }, query }) {
      const moment = query.day === undefined ? undefined : momentFrom(query.day);
      return statisticsShape(await client.queue(queue).statistics(moment));
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/stats",
    role: "read",
    says: "Tells the same of many queues",
    query: strict({
      day,
      offset: Type.Optional(Offset),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_STATISTICS,
          description: `a whole number from 1 to ${MAX_STATISTICS}`,
        }),
      ),
    }),
    gives: Type.Object({
      queues: Type.Array(Type.Object({ name: Type.String(), statistics: StatisticsShape })),
    }),
    async run({ client, query }) {
      const { offset = 0, count = 25 } = query;
      const moment = query.day === undefined ? undefined : momentFrom(query.day);
      const known = await client.queues({ offset, count });
      const told = known.map(async ({ name }) => {
        const statistics = await client.queue(name).statistics(moment);
        return { name, statistics: statisticsShape(statistics) };
      });
      return { queues: await Promise.all(told) };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/queues/:queue/pause",
    role: "admin",
    says: "Lets nobody take jobs from a queue",
    params,
    body: Pausing,
    gives: Done,
    async run(call) {
      const { queue } = call.params;
      const { reason } = call.body;
      const pause = pauseFrom(call.body);
      await operate(call, { action: "pause", to: queue, queue, reason }, () =>
        call.client.queue(queue).pause(pause),
      );
      return DONE;
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/queues/:queue/unpause",
    role: "admin",
    says: "Lets workers take jobs from a queue again",
    params,
    gives: Done,
    async run(call) {
      const { queue } = call.params;
      await operate(call, { action: "unpause", to: queue, queue }, () =>
        call.client.queue(queue).unpause(),
      );
      return DONE;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/queues/:queue",
    role: "admin",
    says: "Takes a queue off the list; its jobs stay",
    params,
    gives: Done,
    async run(call) {
      const { queue } = call.params;
      await operate(call, { action: "forget", to: queue, queue }, () =>
        call.client.queue(queue).forget(),
      );
      return DONE;
    },
  }),
];
