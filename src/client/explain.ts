import type { CallLimits, Calls } from "./calls.ts";
import type { JobJson, State } from "./job-json.ts";
import { momentOf } from "./times.ts";
import { Workers } from "./workers.ts";

/** One reason why a job is not running, with its facts. */
export type Reason =
  | { reason: "complete" }
  | { reason: "failed"; group: string; message: string }
  | { reason: "locked" | "lock-expired"; worker: string; until: Date }
  | { reason: "depends"; count: number; on: string[] }
  | { reason: "scheduled"; until: Date }
  | { reason: "paused"; since: Date | undefined; until?: Date | undefined; why?: string }
  | { reason: "concurrency"; limit: number; running: string[] }
  | { reason: "behind"; count: number }
  | { reason: "not-asked"; since: Date | undefined }
  /** So many workers take from the queue, and none of them has a handler for the klass. */
  | { reason: "no-handler"; klass: string; workers: number };

/** Why a job is not running, in the order in which the reasons would have to go away. */
export interface Explanation {
  jid: string;
  state: State;
  queue: string;
  /** None when the job is the next to be handed out. */
  reasons: Reason[];
}

interface ReasonJson {
  reason: string;
  until?: number | null;
  since?: number | null;
  [fact: string]: unknown;
}

/** @internal */
export async function explain(
  calls: Calls,
  jid: string,
  limits?: CallLimits,
): Promise<Explanation> {
  type Shape = Omit<Explanation, "reasons"> & { reasons: ReasonJson[] };
  const { reasons, ...told } = await calls.json<Shape>("explain", [jid], limits);
  const unhandled = STARTABLE.has(told.state) ? await handlersFor(calls, jid, limits) : [];
  return { ...told, reasons: [...reasons.map(reasonFrom), ...unhandled] };
}

const STARTABLE = new Set<State>(["waiting", "scheduled", "depends", "stalled"]);

/** Whether those who take from the job's queue could run it; of workers that say what they are. */
async function handlersFor(calls: Calls, jid: string, limits?: CallLimits): Promise<Reason[]> {
  const job = await calls.json<JobJson | undefined>("get", [jid], limits);
  if (job === undefined) return [];
  const { klass, queue } = job;
  const all = await new Workers(calls).list(limits);
  const there = all.filter(({ present }) => present?.queues.includes(queue));
  if (there.length === 0 || there.some(({ present }) => present?.klasses.includes(klass)))
    return [];
  return [{ reason: "no-handler", klass, workers: there.length }];
}

function reasonFrom(json: ReasonJson): Reason {
  const moments: Record<string, Date | undefined> = {};
  if ("until" in json) moments.until = momentOf(json.until);
  if ("since" in json) moments.since = momentOf(json.since);
  return { ...json, ...moments } as Reason;
}
