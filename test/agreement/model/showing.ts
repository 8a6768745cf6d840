import { keyOf } from "./uniques.ts";
import { type Job, seenState, type World } from "./world.ts";

/** Jobs as they are shown. */

/** The job object of get and its like; the two lists of jids in it may come in any order. */
export function jobShown(world: World, now: number, job: Job) {
  const { run, failure, firstFailure } = job;
  return {
    jid: job.jid,
    klass: job.klass,
    state: seenState(job, now),
    queue: job.state === "complete" ? "" : job.queue,
    worker: run?.worker ?? "",
    tracked: world.tracked.has(job.jid),
    priority: job.priority,
    expires: (run?.expires ?? 0) / 1000,
    retries: job.retries,
    remaining: job.remaining,
    data: job.data,
    tags: job.tags,
    history: job.history,
    failure: told(failure),
    spawned_from_jid: job.spawnedFrom,
    dependents: world
      .dependentsOf(job.jid)
      .map(({ jid }) => jid)
      .toSorted(),
    dependencies: [...job.waitsFor].toSorted(),
    lease: run?.lease ?? null,
    scheduled: job.due === undefined ? null : job.due / 1000,
    source: job.source,
    backoff: job.backoff,
    cutoff: job.cutoff === null ? null : job.cutoff / 1000,
    unique: keyOf(world, now, job),
    context: job.context,
    first_failure: told(firstFailure),
  };
}

function told(failure: Job["failure"]) {
  if (failure === undefined) return {};
  const { group, message, at, worker } = failure;
  return { group, message, when: Math.floor(at / 1000), worker };
}

type Shown = ReturnType<typeof jobShown>;

/** A job object out of a reply, as `jobShown` writes them. */
export function sorted(job: unknown): Shown {
  const { dependents, dependencies, ...rest } = job as Shown;
  return {
    ...rest,
    dependents: dependents.toSorted(),
    dependencies: dependencies.toSorted(),
  };
}
