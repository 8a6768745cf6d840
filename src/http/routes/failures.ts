import { Type } from "@sinclair/typebox";
import { route } from "../route.ts";
import { Count, Name, page, strict } from "../schemas.ts";

const params = strict({ group: Name });
const Jids = Type.Array(Type.String());

export const failures = [
  route({
    method: "GET",
    path: "/api/v1/failures",
    role: "read",
    says: "Counts failed jobs by group",
    gives: Type.Object({
      groups: Type.Array(Type.Object({ group: Type.String(), count: Type.Integer() })),
    }),
    async run({ client }) {
      const groups = [...(await client.failures.groups())];
      return { groups: groups.map(([group, count]) => ({ group, count })) };
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
