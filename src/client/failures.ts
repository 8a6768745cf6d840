import type { CallLimits, Calls } from "./calls.ts";
import { momentOf } from "./times.ts";

/** Failed jobs that have a group in common. */
export interface FailureGroup {
  group: string;
  count: number;
  /** When the longest failed of them did, and the last. */
  first: Date | undefined;
  last: Date | undefined;
  /** The last one, and the first line of its message unless that is very long. */
  jid: string | undefined;
  message: string | undefined;
  /** Queues of the last ten. */
  queues: string[];
}

interface GroupJson {
  group: string;
  count: number;
  first: number | null;
  last: number | null;
  jid: string | null;
  message: string | null;
  queues: string[];
}

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

  /** The groups with what is known of them, at most 100 at a time, the largest first. */
  async list(
    { offset = 0, count = 25 }: { offset?: number; count?: number } = {},
    limits?: CallLimits,
  ): Promise<FailureGroup[]> {
    const all = await this.#calls.json<GroupJson[]>("failures", [offset, count], limits);
    return all.map(({ first, last, jid, message, ...rest }) => ({
      ...rest,
      first: momentOf(first),
      last: momentOf(last),
      jid: jid ?? undefined,
      message: message ?? undefined,
    }));
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
