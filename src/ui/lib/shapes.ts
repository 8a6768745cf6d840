import type { RawJson } from "../../json/raw-json.ts";

/** What the HTTP interface answers, as its OpenAPI document describes it. Moments are seconds since 1970. */

export type State =
  | "waiting"
  | "running"
  | "stalled"
  | "scheduled"
  | "depends"
  | "complete"
  | "failed";

export const STATES: readonly State[] = [
  "waiting",
  "running",
  "stalled",
  "scheduled",
  "depends",
  "failed",
  "complete",
];

export interface Entry {
  what: string;
  when: number;
  [fact: string]: unknown;
}

export interface Job {
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
  data: RawJson;
  tags: string[];
  history: Entry[];
  failure: { group?: string; message?: string; when?: number; worker?: string };
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
}

export interface Counts {
  name: string;
  waiting: number;
  running: number;
  stalled: number;
  scheduled: number;
  depends: number;
  recurring: number;
  /** Since when the next in line waits; null where none does. */
  next_since: number | null;
  paused: boolean;
  paused_reason: string | null;
  paused_until: number | null;
}

export interface Times {
  count: number;
  mean: number;
  std: number;
  p50: number;
  p95: number;
  p99: number;
  histogram: number[];
}

export interface Statistics {
  wait: Times;
  run: Times;
  failures: number;
  failed: number;
  retries: number;
}

export interface Group {
  group: string;
  count: number;
  first: number | null;
  last: number | null;
  jid: string | null;
  message: string | null;
  queues: string[];
}

/** The largest groups, and how many groups and failed jobs there are in all. */
export interface Groups {
  groups: Group[];
  total: number;
  jobs: number;
}

export interface Run {
  jid: string;
  klass: string;
  queue: string;
  since: string;
  said?: string;
  progress?: number;
}

export interface Facts {
  host: string;
  pid: number;
  version: string;
  concurrency: number;
  since: string;
  memory: number;
  lag: number;
  paused: boolean;
  unhandled: string[];
  running: number;
  runs: Run[];
}

export interface Worker {
  name: string;
  jobs: number;
  stalled: number;
  /** A worker of another make may leave any fact out. */
  present: {
    until: number | null;
    queues: string[];
    klasses: string[];
    facts: Partial<Facts>;
  } | null;
}

export interface Schedule {
  jid: string;
  klass: string;
  queue: string;
  data: RawJson;
  cron: string;
  zone: string;
  overlap: string;
  missed: string;
  backlog: number;
  jitter: number;
  priority: number;
  tags: string[];
  retries: number | null;
  source: string | null;
  backoff: string | null;
  paused: boolean;
  runs: number;
  skipped: number;
  next: number | null;
  last: number | null;
  last_jid: string | null;
}

export interface Recurring {
  jid: string;
  klass: string;
  queue: string;
  data: RawJson;
  interval: number;
  priority: number;
  retries: number;
  tags: string[];
  backlog: number;
  count: number;
  paused: boolean;
  next: number | null;
}

export interface Reason {
  reason: string;
  [fact: string]: unknown;
}

export interface Explanation {
  jid: string;
  state: State;
  queue: string;
  reasons: Reason[];
}

export interface Operation {
  id: string;
  action: string;
  by: string;
  state: "running" | "done" | "failed" | "stopped";
  begun: number;
  ended: number | null;
  found: number;
  done: number;
  refused: number;
  errors: { jid: string; code: string; message: string }[];
  findings: { about: string; problem: string }[];
  error: { code: string; message: string } | null;
}

export interface ServerInfo {
  version: string;
  namespace: string;
  now: number;
  caller: { name: string; roles: string[] };
}

/** What a search or a change of many goes by. */
export interface Criteria {
  state?: State;
  queue?: string;
  klass?: string;
  tag?: string;
  source?: string;
  group?: string;
  jid?: string;
  from?: number;
  to?: number;
  order?: "newest" | "oldest";
}

/** Anything that happened, as the stream of events tells it. */
export interface LiveEvent {
  channel: string;
  event: string;
  jid?: string;
  queue?: string;
  worker?: string;
  to?: string;
  group?: string;
  message?: string;
  [fact: string]: unknown;
}
