import { presenceKey, presencesKey, workerJobsKey, workersKey } from "./keys.ts";
import { MAX_FACTS } from "./limits.ts";
import { until } from "./ranges.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";

/**
 * What a worker says of itself, for people to see, and until when it counts: where it takes jobs
 * from, which klasses it runs, and facts that the core does not look into.
 */
export interface Presence {
  until: number;
  facts: string;
  /** Names, divided by tabs, which no name has. */
  queues: string;
  klasses: string;
}

/** Notes what a worker says of itself. */
export function notePresence(store: Store, worker: string, presence: Presence): void {
  const { facts, queues, klasses } = presence;
  const at = store.text.integer(presence.until);
  store.set(presenceKey(worker), [
    "until",
    at,
    "facts",
    facts,
    "queues",
    queues,
    "klasses",
    klasses,
  ]);
  store.rank(presencesKey(), [at, worker]);
}

export function forgetPresence(store: Store, workers: string[]): void {
  for (const worker of workers) store.remove([presenceKey(worker)]);
  store.unrank(presencesKey(), workers);
}

/** Forgets what workers said of themselves whose time is over, and those who hold nothing whole. */
export function forgetAbsent(store: Store, now: number, count: number): number {
  const absent = store.between(presencesKey(), until(now), 0, count);
  const gone: string[] = [];
  for (const worker of absent) if (!store.exists(workerJobsKey(worker))) gone.push(worker);
  forgetPresence(store, absent);
  store.unrank(workersKey(), gone);
  return absent.length;
}

const FIELDS = ["until", "facts", "queues", "klasses"];

/** What a worker says of itself as a member of a JSON object, with a comma; empty if it is absent. */
export function presenceJson(store: Store, now: number, worker: string): string {
  const { text } = store;
  const [at, facts, queues, klasses] = store.fields(presenceKey(worker), FIELDS);
  if (at === false || facts === false) return "";
  const ends = text.number(at!);
  if (ends === undefined || ends <= now) return "";
  return (
    ',"present":{"until":' +
    inSeconds(ends) +
    ',"queues":' +
    namesJson(store, queues === false ? "" : queues!) +
    ',"klasses":' +
    namesJson(store, klasses === false ? "" : klasses!) +
    ',"facts":' +
    text.quote(facts!) +
    "}"
  );
}

function namesJson(store: Store, joined: string): string {
  if (joined === "") return "[]";
  const quoted: string[] = [];
  for (const name of store.text.split(joined, MAX_FACTS)) quoted.push(store.text.quote(name));
  return "[" + quoted.join(",") + "]";
}
