import type { CallLimits, Calls } from "./calls.ts";
import type { State } from "./job-json.ts";
import { momentOf } from "./times.ts";

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
  | { reason: "not-asked"; since: Date | undefined };

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
  return { ...told, reasons: reasons.map(reasonFrom) };
}

function reasonFrom(json: ReasonJson): Reason {
  const moments: Record<string, Date | undefined> = {};
  if ("until" in json) moments.until = momentOf(json.until);
  if ("since" in json) moments.since = momentOf(json.since);
  return { ...json, ...moments } as Reason;
}
