import { Type } from "@sinclair/typebox";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import { Name, page, strict } from "../schemas.ts";
import { JobShape, jobShape } from "../shapes.ts";

const params = strict({ key: Name });

/** Unique keys, tags and tracked jobs: what jobs are found by. */
export const keys = [
  route({
    method: "GET",
    path: "/api/v1/unique/:key",
    role: "read",
    says: "Tells which job holds a unique key",
    params,
    gives: Type.Object({ jid: Type.Union([Type.String(), Type.Null()]) }),
    run: async ({ client, params: { key } }) => ({ jid: (await client.holderOf(key)) ?? null }),
  }),
  route({
    method: "DELETE",
    path: "/api/v1/unique/:key",
    role: "admin",
    says: "Lets go of a unique key",
    params,
    gives: Type.Object({ freed: Type.Boolean() }),
    async run(call) {
      const { key } = call.params;
      const freed = await operate(call, { action: "free", to: key }, () =>
        call.client.freeKey(key),
      );
      return { freed };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/tags",
    role: "read",
    says: "Lists the most used tags, of those that at least two jobs have, with their numbers of jobs",
    query: strict(page),
    gives: Type.Object({
      tags: Type.Array(Type.Object({ tag: Type.String(), count: Type.Integer() })),
    }),
    run: async ({ client, query }) => ({ tags: await client.tagCounts(query) }),
  }),
  route({
    method: "GET",
    path: "/api/v1/tracked",
    role: "read",
    says: "Lists the tracked jobs, some at a time, and tracked jids of which nothing is left",
    query: strict(page),
    gives: Type.Object({ jobs: Type.Array(JobShape), expired: Type.Array(Type.String()) }),
    async run({ client, query: { offset = 0, count = 100 } }) {
      const { jobs, expired } = await client.tracked({ offset, count });
      return { jobs: jobs.map(jobShape), expired };
    },
  }),
];
