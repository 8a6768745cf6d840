import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FailureGroup } from "../../client/failures.ts";
import { route } from "../route.ts";
import { Count, Name, Offset, page, secondsOf, strict } from "../schemas.ts";

const params = strict({ group: Name });
const Jids = Type.Array(Type.String());

/** Groups that one answer tells of. */
const MAX_GROUPS = 100;
const GroupCount = Type.Integer({
  minimum: 1,
  maximum: MAX_GROUPS,
  description: `a whole number from 1 to ${MAX_GROUPS}`,
});
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const moment = orNull(Type.Number({ description: "seconds since 1970" }));

const GroupShape = Type.Object(
  {
    group: Type.String(),
    count: Type.Integer(),
    first: moment,
    last: moment,
    jid: orNull(Type.String({ description: "the last one that failed" })),
    message: orNull(Type.String({ description: "the first line of what it said" })),
    queues: Type.Array(Type.String(), { description: "those of the last ten" }),
  },
  { $id: "FailureGroup", description: "failed jobs that have a group in common" },
);

function groupShape(one: FailureGroup): Static<typeof GroupShape> {
  const { group, count, queues, jid = null, message = null } = one;
  const times = { first: secondsOf(one.first), last: secondsOf(one.last) };
  return { group, count, ...times, jid, message, queues };
}

export const failures = [
  route({
    method: "GET",
    path: "/api/v1/failures",
    role: "read",
    says: "Tells of groups of failed jobs, the largest first, and how many groups and jobs there are",
    query: strict({ offset: Type.Optional(Offset), count: Type.Optional(GroupCount) }),
    gives: Type.Object({
      groups: Type.Array(GroupShape),
      total: Type.Integer(),
      jobs: Type.Integer(),
    }),
    async run({ client, query: { offset = 0, count = MAX_GROUPS } }) {
      const [groups, counts] = await Promise.all([
        client.failures.list({ offset, count }),
        client.failures.groups(),
      ]);
      const jobs = [...counts.values()].reduce((sum, n) => sum + n, 0);
      return { groups: groups.map(groupShape), total: counts.size, jobs };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/failures/:group",
    role: "read",
    says: "Lists the jobs that failed in a group, the last one first",
    params,
    query: strict(page),
    gives: Type.Object({ total: Type.Integer(), jids: Jids }),
    run: ({ client, params: { group }, query }) => client.failures.jobs(group, query),
  }),
  route({
    method: "POST",
    path: "/api/v1/failures/:group/unfail",
    role: "admin",
    says: "Puts jobs that failed in a group into a queue again, the longest failed first",
    params,
    body: strict({ queue: Name, count: Type.Optional(Count) }),
    gives: Type.Object({ count: Type.Integer() }),
    async run({ client, caller, site, params: { group }, body: { queue, count = 25 } }) {
      const done = await client.failures.unfail(group, queue, { count });
      const deed = { action: "unfail", to: queue, queue, group, count: done };
      await site.audit.note(client, caller, deed);
      return { count: done };
    },
  }),
];
