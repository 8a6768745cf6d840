import { type Static, Type } from "@sinclair/typebox";
import type { PutOptions, Unique } from "../../client/put-options.ts";
import { createsOnly, putPermitted } from "../creating.ts";
import { jidFrom } from "../idempotency.ts";
import { type Call, route } from "../route.ts";
import {
  BackoffText,
  Data,
  Flag,
  Length,
  lengthFrom,
  MAX_BATCH,
  momentFrom,
  Name,
  Names,
  Priority,
  strict,
  When,
  Whole,
  words,
} from "../schemas.ts";

const UniqueShape = Type.Object(
  {
    key: Type.Optional(Name),
    until: Type.Optional(words(["start", "complete", "failed"])),
    for: Type.Optional(Length),
    conflict: Type.Optional(words(["keep", "replace", "data", "time"])),
  },
  { additionalProperties: false },
);

/** What may be said of a job that is put, besides its klass and data. */
export const putProperties = {
  jid: Type.Optional(Name),
  if_exists: Type.Optional(words(["keep", "replace", "refuse"])),
  priority: Type.Optional(Priority),
  delay: Type.Optional(Length),
  at: Type.Optional(When),
  retries: Type.Optional(Whole),
  backoff: Type.Optional(BackoffText),
  tags: Type.Optional(Names),
  depends: Type.Optional(Names),
  source: Type.Optional(Name),
  cutoff: Type.Optional(Length),
  unique: Type.Optional(
    Type.Union([Name, Flag, UniqueShape], {
      description:
        "a key, true for one made of klass and data, or an object with key, until or for, and conflict",
    }),
  ),
};

const Putting = Type.Object(
  { klass: Name, data: Type.Optional(Data), queue: Type.Optional(Name), ...putProperties },
  { additionalProperties: false, description: "an object with klass, data and options of a put" },
);

const PutShape = Type.Object(
  {
    jid: Type.String(),
    outcome: words(["created", "kept", "replaced", "changed"]),
  },
  { $id: "Put", description: "the job that there is now, and what the put did" },
);

type PutBody = Static<ReturnType<typeof strict<typeof putProperties>>>;

/** The options of a put as the client takes them, for the caller; `index` is the job's in the request. */
export function putOptions(body: PutBody, call: Call, index: number): PutOptions {
  const { delay, at, cutoff, unique } = body;
  const options: PutOptions = {
    jid: jidOf(call, index),
    ifExists: body.if_exists,
    createsOnly: createsOnly(call.caller),
  };
  for (const name of [
    "jid",
    "priority",
    "retries",
    "backoff",
    "tags",
    "depends",
    "source",
  ] as const) {
    if (body[name] !== undefined) (options as Record<string, unknown>)[name] = body[name];
  }
  if (delay !== undefined) options.delay = lengthFrom(delay);
  if (at !== undefined) options.at = momentFrom(at);
  if (cutoff !== undefined) options.cutoff = lengthFrom(cutoff);
  if (unique !== undefined && unique !== false) options.unique = uniqueFrom(unique);
  return options;
}

function uniqueFrom(given: string | true | Static<typeof UniqueShape>): string | true | Unique {
  if (typeof given !== "object" || given.for === undefined) return given;
  return { ...given, for: lengthFrom(given.for) };
}

const jidOf = ({ key }: Call, index: number) =>
  key === undefined ? undefined : jidFrom(key, index);

export const putting = [
  route({
    method: "POST",
    path: "/api/v1/jobs",
    role: "put",
    says: "Puts a job",
    body: strict(Putting.properties),
    gives: PutShape,
    run(call) {
      const { klass, data = null, queue = klass, ...rest } = call.body;
      const attempt = { jid: rest.jid, queue, count: 1 };
      const options = putOptions(rest, call, 0);
      return putPermitted(call, attempt, () => call.client.queue(queue).put(klass, data, options));
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/jobs/batch",
    role: "put",
    says: `Puts up to ${MAX_BATCH} jobs, all of them or none`,
    body: strict({
      jobs: Type.Array(Putting, {
        minItems: 1,
        maxItems: MAX_BATCH,
        description: `a list of 1 to ${MAX_BATCH} jobs`,
      }),
    }),
    gives: Type.Object({ jobs: Type.Array(PutShape) }),
    async run(call) {
      const jobs = call.body.jobs.map(({ klass, data = null, queue = klass, ...rest }, i) => ({
        klass,
        data,
        queue,
        ...putOptions(rest, call, i),
      }));
      const put = () => call.client.putMany(jobs);
      return { jobs: await putPermitted(call, { count: jobs.length }, put) };
    },
  }),
];
