import { explain, search } from "../../lib/calls.ts";
import { now } from "../../lib/clock.ts";
import type { Counts, Reason } from "../../lib/shapes.ts";

/** The job that is next in line, and why it has to wait. */
export interface Head {
  jid: string;
  reasons: Reason[];
  now: number;
}

/** Queues that are looked into at a time: those with most jobs. */
const MAX_HEADS = 12;

/** The heads of queues that have jobs waiting. */
export async function headsOf(
  queues: readonly Counts[],
  signal: AbortSignal,
): Promise<Map<string, Head>> {
  const waiting = queues.filter((one) => one.waiting > 0);
  const most = waiting.toSorted((a, b) => b.waiting - a.waiting).slice(0, MAX_HEADS);
  const found = await Promise.all(most.map(async ({ name }) => [name, await headOf(name, signal)]));
  return new Map(found.filter((one): one is [string, Head] => one[1] !== undefined));
}

async function headOf(queue: string, signal: AbortSignal): Promise<Head | undefined> {
  const { jobs } = await search({ queue, state: "waiting", order: "oldest" }, "", 1, signal);
  const [job] = jobs;
  if (job === undefined) return undefined;
  try {
    const { reasons } = await explain(job.jid, signal);
    return { jid: job.jid, reasons, now: now() };
  } catch {
    // It may be gone by now, which is as good as nothing in its way.
    return { jid: job.jid, reasons: [], now: now() };
  }
}
