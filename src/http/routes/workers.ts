import { Type } from "@sinclair/typebox";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import { Name, secondsOf, strict } from "../schemas.ts";
import { DONE, Done } from "../shapes.ts";

const params = strict({ worker: Name });
const Strings = Type.Array(Type.String());

const PresentShape = Type.Object(
  {
    until: Type.Union([Type.Number(), Type.Null()]),
    queues: Strings,
    klasses: Strings,
    facts: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: "what a worker says of itself" },
);

export const workers = [
  route({
    method: "GET",
    path: "/api/v1/workers",
    role: "read",
    says: "Lists workers, at most 1,000, the last seen first",
    gives: Type.Object({
      workers: Type.Array(
        Type.Object({
          name: Type.String(),
          jobs: Type.Integer(),
          stalled: Type.Integer(),
          present: Type.Union([PresentShape, Type.Null()]),
        }),
      ),
    }),
    async run({ client }) {
      const all = await client.workers.list();
      return {
        workers: all.map(({ name, jobs, stalled, present }) => ({
          ...{ name, jobs, stalled },
          present:
            present === undefined
              ? null
              : { ...present, until: secondsOf(present.until), facts: { ...present.facts } },
        })),
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/workers/:worker",
    role: "read",
    says: "Lists the jobs that a worker holds",
    params,
    gives: Type.Object({ jobs: Strings, stalled: Strings }),
    run: ({ client, params: { worker } }) => client.workers.get(worker),
  }),
  route({
    method: "DELETE",
    path: "/api/v1/workers/:worker",
    role: "admin",
    says: "Takes a worker off the list; its locks stay",
    params,
    gives: Done,
    async run(call) {
      const { worker } = call.params;
      await operate(call, { action: "deregister", to: worker }, () =>
        call.client.workers.deregister(worker),
      );
      return DONE;
    },
  }),
];
