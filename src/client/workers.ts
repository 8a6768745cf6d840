import type { CallLimits, Calls } from "./calls.ts";

export interface WorkerCounts {
  name: string;
  /** Jobs that it holds, and of these, those whose lock has expired. */
  jobs: number;
  stalled: number;
}

/** Who has asked for work, and what each holds. */
export class Workers {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The workers, at most 1,000, the last seen first. */
  list(limits?: CallLimits): Promise<WorkerCounts[]> {
    return this.#calls.json<WorkerCounts[]>("workers", [], limits);
  }

  /** Jids of the jobs that a worker holds, with a lock that lasts or one that has expired. */
  get(name: string, limits?: CallLimits): Promise<{ jobs: string[]; stalled: string[] }> {
    return this.#calls.json("workers", [name], limits);
  }

  /** Takes workers off the list; their locks stay. */
  async deregister(...names: string[]): Promise<void> {
    await this.#calls.write("worker.deregister", names);
  }
}
