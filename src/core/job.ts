import { DEFAULT_RETRIES } from "./config.ts";
import { jobKey } from "./keys.ts";
import { placeTime } from "./queue.ts";
import type { Absent, Store } from "./store.ts";

/**
 * A job's record. What has its default is left out, which keeps a waiting job small, and what
 * belongs to another state is not cleared away but no longer looked at: a completed job still
 * names its last worker.
 *
 * klass, data, queue   always
 * state                left out while waiting
 * place                its place among the waiting of its priority, or among the scheduled
 * time                 start of the current wait or run; left out when its place tells it
 * priority             left out when 0
 * retries              left out when 5
 * remaining            left out when equal to retries
 * tags, source, backoff, cutoff, spawned, tracked, awaited   left out when none
 * worker, expires, lease, grace   of the last run; grace is the lease that was warned
 * scheduled            when it is due, in the states scheduled and depends
 * group, message, failedAt, failedBy   of the last failure
 * more                 present when any of those that few jobs have is, or once was: priority,
 *                      retries, remaining, tags, source, backoff, cutoff, spawned, tracked, awaited,
 *                      grace, scheduled, group; so that the others need not be asked for them
 * last, 1, 2, ...      its history
 */
export type Fields = { [name: string]: string };

export type State =
  | "waiting"
  | "running"
  | "scheduled"
  | "depends"
  | "stalled"
  | "failed"
  | "complete";

/** Everything there is of a job; undefined when there is no such job. */
export function readJob(store: Store, jid: string): Fields | undefined {
  const fields = readRecord(store, jobKey(jid));
  return fields.klass === undefined ? undefined : fields;
}

/** All fields of a record by name. The names are ours, so none is a trap. */
export function readRecord(store: Store, key: string): Fields {
  const flat = store.all(key);
  const fields: Fields = {};
  for (let i = 0; i < flat.length; i += 2) fields[flat[i]!] = flat[i + 1]!;
  return fields;
}

export const stateOf = (fields: Fields) => (fields.state ?? "waiting") as State;

export function numberIn(store: Store, text: string | undefined, fallback: number): number {
  return text === undefined ? fallback : store.text.value(text);
}

/** A number out of a field that is left out when it has its default. */
export function numberOr(store: Store, field: string | Absent, fallback: number): number {
  return field === false ? fallback : store.text.value(field);
}

export function retriesOf(store: Store, fields: Fields): number {
  return numberIn(store, fields.retries, DEFAULT_RETRIES);
}

export function remainingOf(store: Store, fields: Fields): number {
  return numberIn(store, fields.remaining, retriesOf(store, fields));
}

/** When the current wait or run began, in milliseconds. */
export function timeOf(store: Store, fields: Fields): number {
  if (fields.time !== undefined) return store.text.value(fields.time);
  return fields.place === undefined ? 0 : placeTime(store, fields.place);
}

export function isTracked(fields: Fields): boolean {
  return fields.tracked !== undefined;
}

export const noSuchJob = (jid: string) => "Job " + jid + " does not exist";
