import type { CallLimits, Calls } from "./calls.ts";
import { momentOf } from "./times.ts";

/** What a worker says of itself, for people to see. */
export interface WorkerFacts {
  host: string;
  pid: number;
  version: string;
  /** Where handlers run: coroutines, processes, process-per-job or threads. */
  model: string;
  concurrency: number;
  /** When it was started. */
  since: string;
  /** Megabytes that its process holds, and how late its event loop was at most, in milliseconds. */
  memory: number;
  lag: number;
  paused: boolean;
  /** Klasses that came and that it has no handler for. */
  unhandled: string[];
  /** What it does: the jobs it has had for the longest, and how many there are in all. */
  running: number;
  runs: {
    jid: string;
    klass: string;
    queue: string;
    since: string;
    said?: string;
    progress?: number;
  }[];
  /** The processes or threads that run them, where there are some. */
  children?: { pid: number; since: string; memory: number; running: number; done: number }[];
}

/** A worker that says what it is, as those of this package do. */
export interface PresentWorker {
  /** Until when it counts, unless it says so again. */
  until: Date;
  queues: string[];
  klasses: string[];
  /** What else it says; one of another make may leave things out. */
  facts: Partial<WorkerFacts>;
}

export interface WorkerCounts {
  name: string;
  /** Jobs that it holds, and of these, those whose lock has expired. */
  jobs: number;
  stalled: number;
  present?: PresentWorker;
}

interface WorkerJson extends Omit<WorkerCounts, "present"> {
  present?: { until: number; queues: string[]; klasses: string[]; facts: string };
}

function workerFrom({ present, ...counts }: WorkerJson): WorkerCounts {
  if (present === undefined) return counts;
  const { until, facts, ...lists } = present;
  return { ...counts, present: { ...lists, until: momentOf(until)!, facts: factsFrom(facts) } };
}

/** Facts are whatever a worker wrote: what is no object says nothing. */
function factsFrom(text: string): Partial<WorkerFacts> {
  try {
    const facts: unknown = JSON.parse(text);
    return typeof facts === "object" && facts !== null ? facts : {};
  } catch {
    return {};
  }
}

/** Who has asked for work, and what each holds. */
export class Workers {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The workers, at most 1,000, the last seen first. */
  async list(limits?: CallLimits): Promise<WorkerCounts[]> {
    const workers = await this.#calls.json<WorkerJson[]>("workers", [], limits);
    return workers.map(workerFrom);
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
