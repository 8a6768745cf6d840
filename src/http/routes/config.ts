import { type Static, Type } from "@sinclair/typebox";
import { isLength, type QueueSettings, type Settings } from "../../client/config.ts";
import { operate } from "../operator.ts";
import { route } from "../route.ts";
import { Length, lengthFrom, Name, strict } from "../schemas.ts";
import { DONE, Done } from "../shapes.ts";
import { validatorOf } from "../validation.ts";

const params = strict({ name: Name });
const ofQueue = strict({ queue: Name, name: Name });
const body = strict({
  value: Type.Union([Type.Number(), Type.String({ maxLength: 1024 })], {
    description: 'a number, in seconds where it is a length of time, or a text such as "30s"',
  }),
});

const LengthBody = strict({ value: Length });
const asLength = validatorOf(LengthBody);

/** A value as the client takes it, whose numbers are milliseconds where ours are seconds. */
function valueFrom(name: string, value: string | number): string | number {
  if (!isLength(name)) return value;
  const { value: length } = asLength.checked({ value }) as Static<typeof LengthBody>;
  return lengthFrom(length);
}

export const config = [
  route({
    method: "GET",
    path: "/api/v1/config",
    role: "read",
    says: "Tells all settings, defaults included",
    gives: Type.Object({
      config: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    }),
    run: async ({ client }) => ({ config: await client.config.all() }),
  }),
  route({
    method: "PUT",
    path: "/api/v1/config/:name",
    role: "admin",
    says: "Changes a setting of the namespace",
    params,
    body,
    gives: Done,
    async run(call) {
      const { name } = call.params;
      const { value } = call.body;
      await operate(call, { action: "config", to: name, value }, () =>
        call.client.config.set(name as keyof Settings, valueFrom(name, value) as never),
      );
      return DONE;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/config/:name",
    role: "admin",
    says: "Brings a setting back to its default",
    params,
    gives: Done,
    async run(call) {
      const { name } = call.params;
      await operate(call, { action: "unset", to: name }, () =>
        call.client.config.unset(name as keyof Settings),
      );
      return DONE;
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/queues/:queue/config/:name",
    role: "admin",
    says: "Changes a setting of a queue",
    params: ofQueue,
    body,
    gives: Done,
    async run(call) {
      const { queue, name } = call.params;
      const { value } = call.body;
      await operate(call, { action: "config", to: name, queue, value }, () =>
        call.client.config.setQueue(
          queue,
          name as keyof QueueSettings,
          valueFrom(name, value) as never,
        ),
      );
      return DONE;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/queues/:queue/config/:name",
    role: "admin",
    says: "Brings a setting of a queue back to that of the namespace",
    params: ofQueue,
    gives: Done,
    async run(call) {
      const { queue, name } = call.params;
      await operate(call, { action: "unset", to: name, queue }, () =>
        call.client.config.unsetQueue(queue, name as keyof QueueSettings),
      );
      return DONE;
    },
  }),
];
