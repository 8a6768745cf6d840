/** A job as the commands `get`, `multiget` and `peek` show it; times in seconds. */
export interface JobJson {
  jid: string;
  klass: string;
  state: State;
  queue: string;
  worker: string;
  tracked: boolean;
  priority: number;
  expires: number;
  retries: number;
  remaining: number;
  data: string;
  tags: string[];
  history: HistoryJson[];
  failure: FailureJson;
  spawned_from_jid: string | null;
  dependents: string[];
  dependencies: string[];
  lease: number | null;
  scheduled: number | null;
  source: string | null;
  backoff: string | null;
  cutoff: number | null;
  unique?: string | null;
  context?: string | null;
  first_failure?: FailureJson;
}

/** Empty when there was none. */
export interface FailureJson {
  group?: string;
  message?: string;
  when?: number;
  worker?: string;
}

export interface HistoryJson {
  what: string;
  when: number;
  [member: string]: unknown;
}

/** What a job can be: docs/states.md shows how one leads to another. */
export type State =
  | "waiting"
  | "scheduled"
  | "depends"
  | "running"
  | "stalled"
  | "complete"
  | "failed";
