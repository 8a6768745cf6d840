import type { Duration } from "./times.ts";

/** How many jobs of a queue are in which state. */
export interface QueueCounts {
  name: string;
  waiting: number;
  running: number;
  stalled: number;
  scheduled: number;
  depends: number;
  recurring: number;
  paused: boolean;
  /** Since when the next in line waits, where one does; others behind it may have waited longer. */
  nextSince?: Date;
  /** Why the queue is paused, and until when, where that was said. */
  pausedReason?: string;
  pausedUntil?: Date;
}

export interface CountsJson
  extends Omit<QueueCounts, "nextSince" | "pausedReason" | "pausedUntil"> {
  next_since?: number | null;
  paused_reason?: string | null;
  paused_until?: number | null;
}

/** The times of one day: how long jobs waited, or ran; lengths in milliseconds. */
export interface Times {
  count: number;
  meanMs: number;
  stdMs: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** Jobs by length: of each second of the first minute, minute of the first hour, hour, day. */
  histogram: number[];
}

export interface TimesJson {
  count: number;
  mean: number;
  std: number;
  p50: number;
  p95: number;
  p99: number;
  histogram: number[];
}

/** What happened in a queue on one day. */
export interface QueueStatistics {
  wait: Times;
  run: Times;
  /** Jobs that failed that day, and how many of these still are. */
  failures: number;
  failed: number;
  retries: number;
}

export interface StatisticsJson extends Omit<QueueStatistics, "wait" | "run"> {
  wait: TimesJson;
  run: TimesJson;
}

export interface PauseOptions {
  /** Why, for those who wonder. */
  reason?: string;
  /** How long, or until when. */
  for?: Duration;
  until?: Date | number | string;
}

/** A part of a longer list. */
export interface Page {
  offset?: number;
  /** At most 10,000; default 25. */
  count?: number;
}

export const timesFrom = (json: TimesJson): Times => ({
  count: json.count,
  meanMs: json.mean * 1000,
  stdMs: json.std * 1000,
  p50Ms: json.p50 * 1000,
  p95Ms: json.p95 * 1000,
  p99Ms: json.p99 * 1000,
  histogram: json.histogram,
});
