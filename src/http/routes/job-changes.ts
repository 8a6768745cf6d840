import { Type } from "@sinclair/typebox";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import { Flag, Name, Names, Priority, SomeNames, strict, Text } from "../schemas.ts";
import { DONE, Done } from "../shapes.ts";
import { jobOf, params } from "./jobs.ts";
import { AnswerShape, answerShape } from "./working.ts";

const Tags = Type.Object({ tags: Type.Array(Type.String()) });

export const changing = [
  route({
    method: "DELETE",
    path: "/api/v1/jobs/:jid",
    role: "admin",
    says: "Cancels a job",
    params,
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      await jobOf(call, jid);
      await operate(call, { action: "cancel", to: jid, count: 1 }, () => call.client.cancel([jid]));
      return DONE;
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/cancel",
    role: "admin",
    says: "Cancels jobs, dependents together with what they wait for: all or none",
    body: strict({ jids: SomeNames }),
    gives: Done,
    async run(call) {
      const { jids } = call.body;
      await operate(call, { action: "cancel", count: jids.length }, () => call.client.cancel(jids));
      return DONE;
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/move",
    role: "admin",
    says: "Moves jobs into a queue as they are, each judged on its own",
    body: strict({ queue: Name, jids: SomeNames }),
    gives: Type.Object({ jobs: Type.Array(AnswerShape) }),
    async run(call) {
      const { queue, jids } = call.body;
      const deed = { action: "move", to: queue, count: jids.length, jids };
      const answers = await operate(call, deed, () => call.client.move(queue, jids));
      return { jobs: answers.map((answer, i) => answerShape(jids[i]!, answer)) };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/:jid/move",
    role: "admin",
    says: "Moves a job into a queue as it is",
    params,
    body: strict({ queue: Name }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const job = await jobOf(call, jid);
      const deed = { action: "move", to: call.body.queue, count: 1, jids: [jid] };
      await operate(call, deed, () => job.move(call.body.queue));
      return DONE;
    },
  }),
  ...(["retry", "timeout"] as const).map((action) =>
    route({
      method: "POST",
      path: `/api/v1/jobs/:jid/${action}`,
      role: "admin",
      says:
        action === "retry"
          ? "Lets a job that failed, or waits for its time, run as soon as it can"
          : "Takes a running job from its worker",
      params,
      gives: Done,
      async run(call) {
        const { jid } = call.params;
        const job = await jobOf(call, jid);
        await operate(call, { action, to: jid, count: 1, jids: [jid] }, () => job[action]());
        return DONE;
      },
    }),
  ),
  route({
    method: "PUT",
    path: "/api/v1/jobs/:jid/priority",
    role: "admin",
    says: "Changes a job's priority",
    params,
    body: strict({ priority: Priority }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const { priority } = call.body;
      const job = await jobOf(call, jid);
      const deed = { action: "priority", to: jid, count: 1, priority, jids: [jid] };
      await operate(call, deed, () => job.setPriority(priority));
      return DONE;
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/:jid/tags",
    role: "admin",
    says: "Adds tags to a job and removes others; tells what it has then",
    params,
    body: strict({ add: Type.Optional(Names), remove: Type.Optional(Names) }),
    gives: Tags,
    async run(call) {
      const { jid } = call.params;
      const { add = [], remove = [] } = call.body;
      const job = await jobOf(call, jid);
      const deed = { action: "tag", to: jid, count: 1, add, remove, jids: [jid] };
      const tags = await operate(call, deed, async () => {
        const left = remove.length === 0 ? job.tags : await job.untag(...remove);
        return add.length === 0 ? left : job.tag(...add);
      });
      return { tags: [...tags] };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/:jid/depends",
    role: "admin",
    says: "Makes a job that waits for others wait for more, or for fewer",
    params,
    body: strict({
      on: Type.Optional(SomeNames),
      off: Type.Optional(SomeNames),
      none: Type.Optional(Flag),
    }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const { on = [], off = [], none = false } = call.body;
      const job = await jobOf(call, jid);
      const deed = { action: "depends", to: jid, count: 1, on, off, none, jids: [jid] };
      await operate(call, deed, async () => {
        if (on.length > 0) await job.dependOn(...on);
        if (off.length > 0 || none) await job.undepend(...(none ? [] : off));
      });
      return DONE;
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/jobs/:jid/tracked",
    role: "admin",
    says: "Begins or ends the tracking of a job",
    params,
    body: strict({ tracked: Flag }),
    gives: Done,
    async run(call) {
      const { jid } = call.params;
      const action = call.body.tracked ? "track" : "untrack";
      const job = await jobOf(call, jid);
      await operate(call, { action, to: jid, count: 1, jids: [jid] }, () => job[action]());
      return DONE;
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/:jid/log",
    role: "work",
    says: "Writes an entry into a job's history",
    params,
    body: strict({
      message: Text,
      data: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "an object, added to the entry",
        }),
      ),
    }),
    gives: Done,
    async run(call) {
      const job = await jobOf(call, call.params.jid);
      await job.log(call.body.message, call.body.data);
      return DONE;
    },
  }),
];
