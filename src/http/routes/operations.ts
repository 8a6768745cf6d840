import { type Static, Type } from "@sinclair/typebox";
import type { Client } from "../../client/client.ts";
import type { AnyJobs } from "../../client/registry.ts";
import type { BulkOptions, BulkReport, Search } from "../../client/search.ts";
import { HttpError } from "../errors.ts";
import { clientFor } from "../idempotency.ts";
import { OperationShape, type Progress } from "../operations.ts";
import { type Call, route } from "../route.ts";
import { Flag, Name, Priority, SomeNames, secondsOf, strict, Wait, words } from "../schemas.ts";
import { reasonOf } from "../shapes.ts";
import { criteria, criteriaFrom } from "./jobs.ts";

const ACTIONS = ["retry", "cancel", "move", "tag", "untag", "priority"] as const;

const Bulk = strict({
  action: words(ACTIONS),
  filter: Type.Object(criteria, {
    additionalProperties: false,
    minProperties: 1,
    description: "an object with at least one criterion, such as queue or state",
  }),
  dry_run: Type.Optional(Flag),
  queue: Type.Optional(Name),
  tags: Type.Optional(SomeNames),
  priority: Type.Optional(Priority),
  wait: Type.Optional(Wait),
});
type BulkBody = Static<typeof Bulk>;

const params = strict({ id: Name });
/** Findings of a check that are shown. */
const MAX_FINDINGS = 1000;

/** Refuses what says too little: of the action, or of the jobs, so that nobody means all by mistake. */
function checkBulk({ action, filter, queue, tags, priority }: BulkBody): void {
  if (Object.keys(filter).every((name) => name === "order")) {
    const message = "filter must have a criterion besides order; all jobs are never meant";
    throw new HttpError(400, "BAD_REQUEST", message);
  }
  const needed = { move: { queue }, tag: { tags }, untag: { tags }, priority: { priority } }[
    action as "move"
  ];
  for (const [name, value] of Object.entries(needed ?? {})) {
    if (value === undefined) throw new HttpError(400, "BAD_REQUEST", `${action} needs ${name}`);
  }
}

function change(
  search: Search<AnyJobs>,
  body: BulkBody,
  options: BulkOptions,
): Promise<BulkReport> {
  const { queue = "", tags = [], priority = 0 } = body;
  const acts = {
    retry: () => search.retry(options),
    cancel: () => search.cancel(options),
    move: () => search.move(queue, options),
    tag: () => search.tag(tags, options),
    untag: () => search.untag(tags, options),
    priority: () => search.setPriority(priority, options),
  };
  return acts[body.action]();
}

const shown = ({ found, done, refused, errors }: BulkReport) => ({
  ...{ found, done, refused },
  errors: errors.map(({ jid, error }) => ({ jid, ...reasonOf(error) })),
});

/**
 * What an operation calls with: its server forgets it some day, or another gets the same request, and
 * then it may find other jobs than the first time.
 */
const clientOf = ({ site, key }: Pick<Call, "site" | "key">): Client =>
  key === undefined ? site.client : clientFor(site.client, key, "content");

/** Changes all jobs that are found, slice by slice, and notes it in the history of each. */
async function bulk(call: Call, body: BulkBody, signal: AbortSignal, progress: Progress) {
  const { site, caller } = call;
  const client = clientOf(call);
  const search = client.search(criteriaFrom(body.filter));
  if (body.dry_run === true) {
    await search.count({ signal, onProgress: ({ found }) => progress({ found }) });
    return;
  }
  const report = await change(search, body, {
    signal,
    onProgress: (now) => progress(shown(now)),
    onChanged: (jids) =>
      body.action === "cancel" ? undefined : site.audit.write(client, caller, body.action, jids),
  });
  progress(shown(report));
  const { filter, queue, tags, priority } = body;
  const deed = { action: `bulk ${body.action}`, count: report.done, filter, queue, tags, priority };
  await site.audit.note(client, caller, deed);
}

export const operations = [
  route({
    method: "POST",
    path: "/api/v1/bulk",
    role: "admin",
    status: 202,
    says: "Changes all jobs that meet some criteria, or tells how many that would be",
    body: Bulk,
    gives: OperationShape,
    run(call) {
      const { body, site, caller, key, signal } = call;
      checkBulk(body);
      const { action, wait = 0 } = body;
      const name = body.dry_run === true ? `${action} (dry run)` : action;
      const { id } = site.operations.begin(
        { id: key, action: name, by: caller.name },
        (stop, told) => bulk(call, body, stop, told),
      );
      return site.operations.settled(id, wait * 1000, signal);
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/check",
    role: "admin",
    status: 202,
    says: "Compares jobs and indexes, and mends what disagrees if it is asked to",
    body: strict({ repair: Type.Optional(Flag), wait: Type.Optional(Wait) }),
    gives: OperationShape,
    run(call) {
      const { site, caller, key, signal } = call;
      const client = clientOf(call);
      const { repair = false, wait = 0 } = call.body;
      const action = repair ? "repair" : "check";
      const begun = { id: key, action, by: caller.name };
      const { id } = site.operations.begin(begun, async (stop, progress) => {
        const findings = await client.maintenance.check({
          repair,
          signal: stop,
          onProgress: ({ looked, found }) => progress({ found: looked, done: found }),
        });
        progress({ done: findings.length, findings: findings.slice(0, MAX_FINDINGS) });
        await site.audit.note(client, caller, { action, count: findings.length });
      });
      return site.operations.settled(id, wait * 1000, signal);
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/operations",
    role: "read",
    says: "Lists the operations of this server, the last one first",
    gives: Type.Object({ operations: Type.Array(OperationShape) }),
    run: ({ site }) => ({ operations: site.operations.list() }),
  }),
  route({
    method: "GET",
    path: "/api/v1/operations/:id",
    role: "read",
    says: "Tells how far an operation has come, and may wait for its end",
    params,
    query: strict({ wait: Type.Optional(Wait) }),
    gives: OperationShape,
    run: ({ site, params: { id }, query: { wait = 0 }, signal }) =>
      site.operations.settled(id, wait * 1000, signal),
  }),
  route({
    method: "DELETE",
    path: "/api/v1/operations/:id",
    role: "admin",
    says: "Stops an operation; what is done stays done",
    params,
    gives: OperationShape,
    run: ({ site, params: { id } }) => site.operations.stop(id),
  }),
  route({
    method: "POST",
    path: "/api/v1/tick",
    role: "admin",
    says: "Does what time demands of all queues, a slice of it",
    gives: Type.Object({
      more: Type.Boolean(),
      next: Type.Union([Type.Number(), Type.Null()]),
    }),
    async run({ client }) {
      const { more, next } = await client.maintenance.tick();
      return { more, next: secondsOf(next) };
    },
  }),
];
