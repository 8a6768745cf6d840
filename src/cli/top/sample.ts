import type { Calls } from "../../client/calls.ts";
import type { Client } from "../../client/client.ts";
import { engineTime } from "../../client/engine-time.ts";
import type { JobJson } from "../../client/job-json.ts";
import type { CountsJson, StatisticsJson } from "../../client/queue-types.ts";
import type { WorkerCounts } from "../../client/workers.ts";

/** A queue, and how many jobs a second have begun and ended since the last look. */
export interface QueueSample extends CountsJson {
  begun: number;
  ended: number;
}

/** What there is at a moment. */
export interface Sample {
  at: Date;
  queues: QueueSample[];
  /** Whether there are queues besides these. */
  hasMore: boolean;
  failures: [group: string, jobs: number][];
  workers: WorkerCounts[];
}

/** Queues that are looked at, and jobs that are listed. */
const QUEUES = 50;
const JOBS = 100;

/** Looks again and again, and knows what has changed. */
export class Sampler {
  readonly #client: Client;
  readonly #calls: Calls;
  readonly #last = new Map<string, { begun: number; ended: number }>();
  #at = 0;

  constructor(client: Client) {
    this.#client = client;
    this.#calls = client.parts.calls;
  }

  /** What time it is for the engine. */
  time(): Promise<Date> {
    return engineTime(this.#calls);
  }

  async look(): Promise<Sample> {
    const at = await this.time();
    const [counts, failures, workers] = await Promise.all([
      this.#calls.json<CountsJson[]>("queues", ["", 0, QUEUES + 1]),
      this.#client.failures.groups(),
      this.#client.workers.list(),
    ]);
    const seconds = (at.getTime() - this.#at) / 1000;
    const shown = counts.slice(0, QUEUES);
    const queues = await Promise.all(shown.map((one) => this.#rated(one, at, seconds)));
    this.#at = at.getTime();
    const sorted = [...failures].toSorted(([, a], [, b]) => b - a);
    return { at, queues, hasMore: counts.length > QUEUES, failures: sorted, workers };
  }

  async #rated(counts: CountsJson, at: Date, seconds: number): Promise<QueueSample> {
    const words = [counts.name, at.getTime() / 1000];
    const { wait, run } = await this.#calls.json<StatisticsJson>("stats", words);
    const now = { begun: wait.count, ended: run.count };
    const last = this.#last.get(counts.name) ?? now;
    this.#last.set(counts.name, now);
    // At midnight counting begins anew.
    const rate = (of: "begun" | "ended") => Math.max(0, (now[of] - last[of]) / (seconds || 1));
    return { ...counts, begun: rate("begun"), ended: rate("ended") };
  }

  /** Jobs of a queue that run and that come next, or those of a group of failures or a worker. */
  async jobs(of: { queue?: string; group?: string; worker?: string }): Promise<JobJson[]> {
    const jids = await this.#jids(of);
    const next =
      of.queue === undefined ? [] : await this.#calls.json<JobJson[]>("peek", [of.queue, JOBS]);
    const held = jids.length === 0 ? [] : await this.#calls.json<JobJson[]>("multiget", jids);
    return [...held, ...next];
  }

  async #jids({ queue, group, worker }: { queue?: string; group?: string; worker?: string }) {
    if (group !== undefined) return (await this.#client.failures.jobs(group, { count: JOBS })).jids;
    if (worker !== undefined) {
      const { jobs, stalled } = await this.#client.workers.get(worker);
      return [...stalled, ...jobs].slice(0, JOBS);
    }
    const listed = await Promise.all(
      (["stalled", "running"] as const).map((state) =>
        this.#calls.read("jobs", [state, queue!, 0, JOBS]),
      ),
    );
    return (listed as string[][]).flat();
  }

  job(jid: string): Promise<JobJson | undefined> {
    return this.#calls.json<JobJson | undefined>("get", [jid]);
  }
}
