import type { Entry, Job } from "./shapes.ts";

const BY_STATE: Record<string, readonly string[]> = {
  waiting: ["put", "retried", "timed-out"],
  depends: ["put"],
  running: ["popped"],
  complete: ["done"],
  failed: ["failed"],
};

/** When the job came into its state, as its history tells it; for one that is scheduled, when it is due. */
export function sinceOf(job: Job): number | undefined {
  if (job.state === "scheduled" && job.scheduled !== null) return job.scheduled;
  if (job.state === "stalled") return job.expires > 0 ? job.expires : lastOf(job, ["timed-out"]);
  return lastOf(job, BY_STATE[job.state] ?? []) ?? job.history.at(-1)?.when;
}

function lastOf({ history }: Job, whats: readonly string[]): number | undefined {
  return history.findLast(({ what }) => whats.includes(what))?.when;
}

/** The last thing that the job itself said, and how far it said to be. */
export function lastSaid(job: Job): (Entry & { progress?: number }) | undefined {
  if (job.state !== "running") return undefined;
  const own = new Set(["put", "popped", "done", "failed", "timed-out", "retried", "operator"]);
  const began = job.history.findLastIndex(({ what }) => what === "popped");
  const said = job.history.findLast(({ what }, i) => i > began && !own.has(what));
  if (said === undefined) return undefined;
  return typeof said.progress === "number" ? (said as Entry & { progress: number }) : said;
}
