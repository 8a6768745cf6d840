import { now } from "./clock.ts";
import type { Counts, Statistics } from "./shapes.ts";

/** How a queue was at some moment. */
export interface Sample {
  at: number;
  waiting: number;
  /** All jobs that have yet to end. */
  open: number;
  /** Runs that ended well today, and jobs that failed. */
  done: number;
  failed: number;
}

/** Samples kept of each queue, and the least time between two, in seconds. */
const MAX_SAMPLES = 120;
const STEP_S = 4;
const KEY = "qless-samples";
/** What rates are measured over, in seconds. */
const WINDOW_S = 60;

const samples = new Map<string, Sample[]>(restored());

function restored(): [string, Sample[]][] {
  try {
    const text = sessionStorage.getItem(KEY);
    const all = text === null ? [] : (JSON.parse(text) as [string, Sample[]][]);
    const since = now() - MAX_SAMPLES * STEP_S * 2;
    return all.map(([name, list]) => [name, list.filter(({ at }) => at > since)]);
  } catch {
    return [];
  }
}

window.addEventListener("pagehide", () => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...samples].slice(0, 100)));
  } catch {
    // Without storage the curves begin anew.
  }
});

/** Notes how queues are now. */
export function sample(
  counts: readonly Counts[],
  statistics: ReadonlyMap<string, Statistics>,
): void {
  const at = now();
  for (const one of counts) {
    const told = statistics.get(one.name);
    if (told === undefined) continue;
    const list = samples.get(one.name) ?? [];
    const last = list.at(-1);
    if (last !== undefined && at - last.at < STEP_S) continue;
    const open = one.waiting + one.running + one.stalled + one.scheduled + one.depends;
    const { count: done } = told.run;
    // At midnight the day's figures begin anew, and a difference would make no sense.
    if (last !== undefined && done < last.done) list.length = 0;
    list.push({ at, waiting: one.waiting, open, done, failed: told.failures });
    if (list.length > MAX_SAMPLES) list.shift();
    samples.set(one.name, list);
  }
}

export const samplesOf = (queue: string): readonly Sample[] => samples.get(queue) ?? [];

export interface Flow {
  /** Jobs a second that came and that ended; undefined until there is something to compare. */
  in: number | undefined;
  out: number | undefined;
  /** Seconds until nothing waits, if it goes on like this; Infinity if it never will. */
  drain: number | undefined;
}

/** How fast jobs come and go, over the last minute. */
export function flowOf(queue: string): Flow {
  const list = samplesOf(queue);
  const last = list.at(-1);
  const first = list.find(({ at }) => last !== undefined && at >= last.at - WINDOW_S);
  if (last === undefined || first === undefined || last.at - first.at < STEP_S) {
    return { in: undefined, out: undefined, drain: undefined };
  }
  const seconds = last.at - first.at;
  const ended = last.done - first.done + Math.max(0, last.failed - first.failed);
  const came = Math.max(0, last.open - first.open + ended);
  const net = (first.waiting - last.waiting) / seconds;
  return { in: came / seconds, out: ended / seconds, drain: drainOf(last.waiting, net) };
}

function drainOf(waiting: number, net: number): number | undefined {
  if (waiting === 0) return 0;
  if (net > 0) return waiting / net;
  return net < 0 ? Number.POSITIVE_INFINITY : undefined;
}

/** Jobs that ended in each step, a second. */
export function throughput(list: readonly Sample[]): { at: number; rate: number }[] {
  return list.slice(1).map((one, i) => {
    const before = list[i]!;
    return { at: one.at, rate: Math.max(0, one.done - before.done) / (one.at - before.at) };
  });
}
