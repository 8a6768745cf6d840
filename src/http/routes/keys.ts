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
    says: "Lists the most used tags, of those that at least two jobs have",
    query: strict(page),
    gives: Type.Object({ tags: Type.Array(Type.String()) }),
    run: async ({ client, query }) => ({ tags: await client.topTags(query) }),
  }),
  route({
    method: "GET",
    path: "/api/v1/tracked",
    role: "read",
    says: "Lists the tracked jobs, and tracked jids of which nothing is left",
    gives: Type.Object({ jobs: Type.Array(JobShape), expired: Type.Array(Type.String()) }),
    async run({ client }) {
      const { jobs, expired } = await client.tracked();
      return { jobs: jobs.map(jobShape), expired };
    },
  }),
];
