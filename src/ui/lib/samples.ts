import { now } from "./clock.ts";
import type { Counts, Statistics } from "./shapes.ts";
import type { History, Steps } from "./steps.ts";

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
/** What rates are measured over, in seconds. */
const WINDOW_S = 60;

const samples = new Map<string, Sample[]>();

/**
 * Begins with what the server has seen, so that curves and rates are there at once. It tells what ended
 * in each step, and samples count what ended by then: so it is counted back from now.
 */
export function seed(
  { step, begin }: Steps,
  past: History,
  current: Counts,
  told: Statistics,
): void {
  if (samples.has(past.name)) return;
  let [done, failed] = [told.run.count, told.failures];
  const list: Sample[] = [];
  for (let i = past.waiting.length - 1; i >= 0; i--) {
    const [waiting, open] = [past.waiting[i], past.open[i]];
    if (typeof waiting === "number" && typeof open === "number") {
      list.push({ at: begin + i * step, waiting, open, done, failed });
    }
    done -= past.completed[i] ?? 0;
    failed -= past.failed[i] ?? 0;
    // Yesterday's are not among today's.
    if (done < 0 || failed < 0) break;
  }
  samples.set(past.name, list.toReversed());
  sample([current], new Map([[past.name, told]]));
}

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
