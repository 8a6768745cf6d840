import type { CallLimits, Calls } from "./calls.ts";

/** Failed jobs, which stay until somebody lets them run again, cancels them, or puts them anew. */
export class Failures {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** How many jobs failed in each group. */
  async groups(limits?: CallLimits): Promise<Map<string, number>> {
    const counts = await this.#calls.json<Record<string, number>>("failed", [], limits);
    return new Map(Object.entries(counts));
  }

  /** Jids of the jobs that failed in a group, the last one first. */
  async jobs(
    group: string,
    { offset = 0, count = 25 }: { offset?: number; count?: number } = {},
    limits?: CallLimits,
  ): Promise<{ total: number; jids: string[] }> {
    const words = [group, offset, count];
    type Shape = { total: number; jobs: string[] };
    const { total, jobs } = await this.#calls.json<Shape>("failed", words, limits);
    return { total, jids: jobs };
  }

  /** Puts jobs that failed in a group into a queue again, the longest failed first. */
  async unfail(
    group: string,
    queue: string,
    { count = 25, ...limits }: { count?: number } & CallLimits = {},
  ): Promise<number> {
    return (await this.#calls.write("unfail", [queue, group, count], limits)) as number;
  }
}
