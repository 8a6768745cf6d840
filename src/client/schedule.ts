import { momentOf } from "./times.ts";

export interface Schedule {
  jid: string;
  klass: string;
  queue: string;
  data: unknown;
  /** The data as it was given, byte for byte. */
  rawData: string;
  cron: string;
  zone: string;
  overlap: "allow" | "skip";
  missed: "skip" | "one" | "all";
  backlog: number;
  jitterMs: number;
  /** Of the children; undefined where nothing was said. */
  priority: number;
  tags: string[];
  retries: number | undefined;
  source: string | undefined;
  backoff: string | undefined;
  paused: boolean;
  /** Children so far, and ticks that were left out because the last child had not ended. */
  runs: number;
  skipped: number;
  next: Date | undefined;
  /** The tick that was fired last, and the child that was put last. */
  last: Date | undefined;
  lastJid: string | undefined;
}

type Told =
  | "data"
  | "rawData"
  | "jitterMs"
  | "next"
  | "last"
  | "lastJid"
  | "retries"
  | "source"
  | "backoff";

/** A schedule as the core returns it. */
export interface ScheduleJson extends Omit<Schedule, Told> {
  data: string;
  jitter: number;
  retries: number | null;
  source: string | null;
  backoff: string | null;
  next: number;
  last: number | null;
  last_jid: string | null;
}

export function scheduleFrom(json: ScheduleJson): Schedule {
  const { last_jid, data, jitter, next, last, retries, source, backoff, ...rest } = json;
  return {
    ...rest,
    retries: retries ?? undefined,
    source: source ?? undefined,
    backoff: backoff ?? undefined,
    data: JSON.parse(data),
    rawData: data,
    jitterMs: jitter * 1000,
    next: momentOf(next),
    last: momentOf(last),
    lastJid: last_jid ?? undefined,
  };
}
