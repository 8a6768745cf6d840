import { invalid } from "../client/times.ts";

/**
 * From which of several queues the next jobs are taken: always in the order given, each in turn, or
 * by chance in proportion to weights.
 */
export type Order = "ordered" | "round-robin" | "weighted";

/** A weight is at most this. */
const MAX_WEIGHT = 100_000;

/** Says in which order to look into the queues, and how many jobs to take at once. */
export interface Choice {
  next(free: number): { queues: readonly string[]; count: number };
}

export function choiceOf(
  order: Order,
  queues: readonly string[],
  weights: Readonly<Record<string, number>> = {},
  random: () => number = Math.random,
): Choice {
  if (order === "ordered" || queues.length < 2) return { next: (count) => ({ queues, count }) };
  if (order === "round-robin") return roundRobin(queues);
  if (order === "weighted") return weighted(queues, weights, random);
  throw invalid(`order must be ordered, round-robin or weighted, not ${JSON.stringify(order)}`);
}

/** Each call begins one queue further on, and takes only its share, so that others have theirs. */
function roundRobin(queues: readonly string[]): Choice {
  let turn = 0;
  return {
    next(free) {
      const first = turn;
      turn = (turn + 1) % queues.length;
      const count = Math.ceil(free / queues.length);
      return { queues: [...queues.slice(first), ...queues.slice(0, first)], count };
    },
  };
}

/** Draws the queues one after the other, each by its weight among those that are left. */
function weighted(
  queues: readonly string[],
  weights: Readonly<Record<string, number>>,
  random: () => number,
): Choice {
  const each = queues.map((queue) => ({ queue, weight: checked(queue, weights[queue] ?? 1) }));
  return {
    next(count) {
      const left = [...each];
      const drawn: string[] = [];
      while (left.length > 0) drawn.push(draw(left, random));
      return { queues: drawn, count };
    },
  };
}

function draw(left: { queue: string; weight: number }[], random: () => number): string {
  let lot = random() * left.reduce((sum, { weight }) => sum + weight, 0);
  const found = left.findIndex(({ weight }) => {
    lot -= weight;
    return lot < 0;
  });
  return left.splice(found < 0 ? left.length - 1 : found, 1)[0]!.queue;
}

function checked(queue: string, weight: number): number {
  if (Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT) return weight;
  throw invalid(`The weight of ${queue} must be a whole number from 1 to ${MAX_WEIGHT}`);
}
