import type { Calls } from "./calls.ts";
import { report } from "./faults.ts";
import type { Registry } from "./registry.ts";
import type { AnyRunningJob } from "./registry-jobs.ts";
import { DAMAGED, RunningJob } from "./running-job.ts";

/**
 * @internal The jobs that a reply of pop or finish brings. One whose record is damaged is failed and
 * left out, so that it keeps nobody from the others.
 */
export async function takenFrom<Jobs extends Registry>(
  calls: Calls,
  worker: string,
  popped: readonly string[],
): Promise<AnyRunningJob<Jobs>[]> {
  const jobs = popped.map((one) => new RunningJob(calls, worker, one) as AnyRunningJob<Jobs>);
  const damaged = jobs.filter(({ damage }) => damage !== undefined);
  if (damaged.length === 0) return jobs;
  await Promise.all(damaged.map((job) => failed(calls, job)));
  return jobs.filter(({ damage }) => damage === undefined);
}

async function failed(calls: Calls, job: AnyRunningJob<Registry>): Promise<void> {
  const sentence = job.damage!;
  report(calls.logger, new Error(sentence), sentence);
  try {
    await job.fail(DAMAGED, sentence);
  } catch (error) {
    report(calls.logger, error, `Job ${job.jid} could not be failed`);
  }
}
