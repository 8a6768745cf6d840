import type { Facts, Run, Worker } from "./shapes.ts";

/** What workers say of themselves is whatever they wrote: what is not of the kind that it should be is left out. */

const TEXTS = ["host", "version", "since"] as const;
const NUMBERS = ["pid", "concurrency", "memory", "lag", "running"] as const;

function factsFrom(given: Readonly<Record<string, unknown>>): Partial<Facts> {
  const facts: Partial<Facts> = {};
  for (const name of TEXTS) if (typeof given[name] === "string") facts[name] = given[name];
  for (const name of NUMBERS) if (Number.isFinite(given[name])) facts[name] = given[name] as number;
  if (given.paused === true) facts.paused = true;
  if (Array.isArray(given.unhandled)) facts.unhandled = given.unhandled.filter(isText);
  if (Array.isArray(given.runs)) facts.runs = given.runs.flatMap(runFrom);
  return facts;
}

const isText = (one: unknown): one is string => typeof one === "string";

function runFrom(given: unknown): Run[] {
  const { jid, klass, queue, since, said, progress } = (given ?? {}) as Record<string, unknown>;
  if (!isText(jid)) return [];
  return [
    {
      jid,
      klass: isText(klass) ? klass : "",
      queue: isText(queue) ? queue : "",
      since: isText(since) ? since : "",
      ...(isText(said) && { said }),
      ...(typeof progress === "number" && { progress }),
    },
  ];
}

export function workerFrom({ present, ...counts }: Worker): Worker {
  if (present === null) return { ...counts, present };
  return { ...counts, present: { ...present, facts: factsFrom(present.facts) } };
}
