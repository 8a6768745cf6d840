/**
 * What the reference model knows of the queues. It is written from the specification and shares
 * nothing with src/: no code, no types, no layout. Times are in milliseconds.
 */

export type State =
  | "waiting"
  | "running"
  | "scheduled"
  | "depends"
  | "stalled"
  | "failed"
  | "complete";

/** A line of a job's history, as it is shown. */
export type Entry = { what: string; when: number; [detail: string]: unknown };

export interface Failure {
  group: string;
  message: string;
  /** In milliseconds; shown in whole seconds. */
  at: number;
  worker: string;
  /** Grows with every failure: of those of one moment, the later one is newer. */
  sequence: number;
}

/** Where a job stands in its queue; see order.ts. */
export interface Turn {
  /** When it lost its lock, if that is why it is here. */
  lost: number | undefined;
  at: number;
  by: "put" | "due" | "birth";
  sequence: number;
}

export interface Run {
  worker: string;
  lease: number;
  expires: number;
  began: number;
  warned: boolean;
}

export interface Job {
  jid: string;
  klass: string;
  data: string;
  queue: string;
  state: State;
  priority: number;
  retries: number;
  /** Whether somebody has said so of this very job. */
  ownRetries: boolean;
  remaining: number;
  tags: string[];
  source: string | null;
  backoff: string | null;
  /** Milliseconds. */
  cutoff: number | null;
  context: string | null;
  spawnedFrom: string | null;
  run: Run | undefined;
  /** When it is due, in the states scheduled and depends. */
  due: number | undefined;
  waitsFor: Set<string>;
  history: Entry[];
  failure: Failure | undefined;
  /** Since it last had all its retries. */
  firstFailure: Failure | undefined;
  turn: Turn;
  /** When its current wait began. */
  since: number;
  completedAt: number;
}

export interface Recurring {
  jid: string;
  klass: string;
  data: string;
  queue: string;
  priority: number;
  interval: number;
  retries: number;
  backlog: number;
  tags: string[];
  count: number;
  /** When the next child comes, or was to come before a pause. */
  next: number;
  /** Since when it is paused. */
  paused: number | undefined;
}

/** Who holds a unique key. */
export interface Hold {
  jid: string;
  /** The very job: another one may come to have its jid. */
  job: Job;
  /** What it is held until, or the end of the time that it is held for. */
  until: string | number;
}

export interface Cron {
  jid: string;
  /** The definition, with its defaults, as it is shown. */
  said: {
    queue: string;
    klass: string;
    data: string;
    cron: string;
    zone: string;
    priority: number;
    tags: string[];
    retries: number | null;
    source: string | null;
    backoff: string | null;
    overlap: string;
    missed: string;
    backlog: number;
    jitter: number;
  };
  /** When it was first put. */
  since: number;
  paused: boolean;
  next: number;
  last: number | null;
  child: string | null;
  runs: number;
  skipped: number;
}

/** Why a queue is paused, and until when. */
export interface Pause {
  reason: string;
  until: number;
}

/** Statistics of a queue on a day. */
export interface Figures {
  retries: number;
  failed: number;
  failures: number;
  waits: number[];
  runs: number[];
}

const DAY = 86_400_000;

export class World {
  readonly jobs = new Map<string, Job>();
  readonly recurring = new Map<string, Recurring>();
  readonly crons = new Map<string, Cron>();
  readonly config = new Map<string, string>();
  readonly holds = new Map<string, Hold>();
  readonly pauses = new Map<string, Pause>();
  /** What workers said of themselves, and until when that counts. */
  readonly presences = new Map<string, { until: number; shown: object }>();
  readonly tracked = new Map<string, number>();
  /** By tag, when each job got it. */
  readonly tags = new Map<string, Map<string, number>>();
  /** Queues that are listed; `false` for those of which the specification does not say. */
  readonly known = new Map<string, boolean>();
  readonly figures = new Map<string, Figures>();
  /** Whether all statistics are still kept. */
  figuresKept = true;
  /** The highest lease that was given out. */
  lease = 0;
  #sequence = 0;

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  jobsIn(queue: string, ...states: State[]): Job[] {
    const within = (job: Job) => job.queue === queue && states.includes(job.state);
    return [...this.jobs.values()].filter(within);
  }

  jobsOf(state: State): Job[] {
    return [...this.jobs.values()].filter((job) => job.state === state);
  }

  dependentsOf(jid: string): Job[] {
    return [...this.jobs.values()].filter(({ waitsFor }) => waitsFor.has(jid));
  }

  /** Whether others can wait for it. */
  isOpen(jid: string): boolean {
    const job = this.jobs.get(jid);
    return job !== undefined && job.state !== "complete";
  }

  /** The queue's pause, unless it is over. */
  pauseOf(queue: string, now: number): Pause | undefined {
    const pause = this.pauses.get(queue);
    return pause !== undefined && pause.until > now ? pause : undefined;
  }

  /** A setting that is a number: the first of these names that is set. */
  number(fallback: number, ...names: string[]): number {
    for (const name of names) {
      const value = this.config.get(name);
      if (value !== undefined) return Number(value);
    }
    return fallback;
  }

  heartbeatMs(queue: string): number {
    return this.number(60, `${queue}-heartbeat`, `heartbeat-${queue}`, "heartbeat") * 1000;
  }

  /** The job's own cutoff or its queue's; undefined when there is none. */
  cutoffMs(job: Job): number | undefined {
    const cutoff = job.cutoff ?? this.number(0, `${job.queue}-cutoff`) * 1000;
    return cutoff > 0 ? cutoff : undefined;
  }

  /** Adds to a job's history: the first entry stays, and so do the newest but one of the limit. */
  note(job: Job, now: number, what: string, details: object = {}): void {
    job.history.push({ ...details, what, when: now / 1000 });
    const limit = this.number(100, "max-job-history");
    if (limit > 0 && job.history.length > limit) {
      job.history.splice(1, job.history.length - limit);
    }
  }

  makeKnown(queue: string, certain = true): void {
    if (this.known.get(queue) === undefined || certain) this.known.set(queue, certain);
  }

  figuresOf(queue: string, at: number): Figures {
    const key = `${Math.floor(at / DAY)} ${queue}`;
    const none = { retries: 0, failed: 0, failures: 0, waits: [], runs: [] };
    const figures = this.figures.get(key) ?? none;
    this.figures.set(key, figures);
    return figures;
  }

  tag(now: number, jid: string, tags: string[]): void {
    for (const tag of tags) {
      const jids = this.tags.get(tag) ?? new Map<string, number>();
      if (!jids.has(jid)) jids.set(jid, now);
      this.tags.set(tag, jids);
    }
  }

  untag(jid: string, tags: string[]): void {
    for (const tag of tags) this.tags.get(tag)?.delete(jid);
  }

  /** Removes the job and all trace of it but that it is tracked. */
  forget(job: Job): void {
    this.untag(job.jid, job.tags);
    this.jobs.delete(job.jid);
  }
}

/** The state as it is shown, whatever housekeeping has not come to yet. */
export function seenState(job: Job, now: number): State {
  if (job.state === "scheduled" && job.due! <= now) return "waiting";
  if (job.state === "running" && job.run!.expires <= now) return "stalled";
  return job.state;
}
