import { DEFAULT_RETRIES } from "./config.ts";
import { jobKey, locksKey } from "./keys.ts";
import { add } from "./pairs.ts";
import { placeTime } from "./queue.ts";
import type { Absent, Pairs, Store } from "./store.ts";

/**
 * A job's record. What has its default is left out, which keeps a waiting job small, and what
 * belongs to another state is not cleared away but no longer looked at.
 *
 * klass, data, queue   always
 * state                see `standing`; left out while a job waits whose place tells it all
 * place                its place among the waiting of its priority, or among the scheduled
 * priority             left out when 0
 * retries              left out when 5; with `lent` when it is the queue's word and not the job's
 * remaining            left out when equal to retries
 * tags, source, backoff, cutoff, spawned, tracked, awaited, context   left out when none
 * unique               the unique key that it holds and until when, see uniques.ts
 * grace                the lease that was warned
 * scheduled            when it is due, in the states scheduled and depends
 * group, message, failedAt, failedBy   of the last failure
 * firstFailure         the first failure since it had all its retries: when, worker and group, with
 *                      tabs between; its message is in `firstMessage`
 * more                 present when any of those that few jobs have is, or once was: priority,
 *                      retries, remaining, tags, source, backoff, cutoff, spawned, tracked, awaited,
 *                      grace, scheduled, group, firstFailure, unique, context; so that the others
 *                      need not be asked for them
 * 1, 2, ...            its history
 *
 * When a lock expires is known to the rankings of locks alone.
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

/**
 * The field `state` says in one text what changes together, which is `state`, `worker`,
 * `lease`, `last` and `time` with tabs between: who holds the job and under which lease, both empty unless it is
 * running; the number of its newest entry of history; and when its wait or run began, empty when
 * its place tells it. One field costs half of what five do, and a claim is judged by comparing the
 * beginning.
 *
 * A running job has its queue behind these if there is no more to know of it, that is, no `more`:
 * whoever ends it need not ask for anything else. Where the text would become too long to be kept
 * well, the queue is left out and the last tab alone says so.
 */
export const standing = (state: State, last: string, time: string) =>
  state + "\t\t\t" + last + "\t" + time;

/** How the state of a job begins that the worker runs, in front of the lease. */
export const heldBy = (worker: string) => "running\t" + worker + "\t";

/** How the state of a running job begins. */
export const heldUnder = (worker: string, lease: string) => heldBy(worker) + lease + "\t";

/** How many pieces the state of a running job may have. */
const PIECES = 6;

/** The pieces of a state: which, `worker`, `lease`, `last`, `time`, and the queue where it is told. */
export const piecesOf = (store: Store, state: string | Absent) =>
  store.text.split(state === false ? "waiting" : state, PIECES);

/**
 * Sets fields that few jobs have, and the mark that there are such; to be used for a job that may be
 * running, for those who end it ask only where its state does not say that there is no more.
 */
export function setRare(store: Store, jid: string, pairs: Pairs): void {
  const key = jobKey(jid);
  const state = store.field(key, "state");
  add(pairs, "more", "1");
  if (state !== false && store.text.startsWith(state, "running\t")) {
    const [, worker, lease, last, time] = piecesOf(store, state);
    add(pairs, "state", standingOf({ state: "running", worker, lease, last, time } as Fields));
  }
  store.set(key, pairs);
}

/** The state in front of a standing. */
export const stateIn = (store: Store, field: string | Absent) =>
  field === false ? "waiting" : store.text.divide(field, "\t")[0]!;

/** The same standing in another state. */
export function inState(store: Store, field: string | Absent, state: State): string {
  if (field === false) return standing(state, "1", "");
  const [, , , last, time] = piecesOf(store, field);
  return standing(state, last!, time!);
}

/** Everything there is of a job; undefined when there is no such job. */
export function readJob(store: Store, jid: string): Fields | undefined {
  const fields = readJobRecord(store, jid);
  return fields.klass === undefined ? undefined : fields;
}

/**
 * A job's record, and by name what its standing says: `state`, `worker`, `lease`, `last`, `time`. A
 * running job's `expires` comes with it.
 */
export const readJobRecord = (store: Store, jid: string) =>
  withStanding(store, jid, readRecord(store, jobKey(jid)));

/** As `readJob`; undefined also if the record is damaged. For lists, where the others go on. */
export function readSoundJob(store: Store, jid: string): Fields | undefined {
  const fields = withStanding(store, jid, fieldsFrom(store.allIfSound(jobKey(jid))));
  return fields.klass === undefined ? undefined : fields;
}

function withStanding(store: Store, jid: string, fields: Fields): Fields {
  if (fields.state === undefined) return fields;
  const [state, worker, lease, last, time] = piecesOf(store, fields.state);
  fields.state = state!;
  if (isSaid(worker)) fields.worker = worker;
  if (isSaid(lease)) fields.lease = lease;
  if (isSaid(last)) fields.last = last;
  if (isSaid(time)) fields.time = time;
  if (state !== "running" || fields.queue === undefined) return fields;
  const expires = store.score(locksKey(fields.queue), jid);
  if (expires !== false) fields.expires = store.text.integer(expires);
  return fields;
}

const isSaid = (text: string | undefined): text is string => text !== undefined && text !== "";

/** Whether it is the standing that says this of a job. */
export const isStanding = (name: string) =>
  name === "worker" || name === "lease" || name === "last" || name === "time";

/** The standing that these fields say, as the record holds it. */
export function standingOf(fields: Fields): string {
  const { worker, lease, last, time } = fields;
  const held = (worker ?? "") + "\t" + (lease ?? "");
  return stateOf(fields) + "\t" + held + "\t" + (last ?? "1") + "\t" + (time ?? "");
}

/** All fields of a record by name. The names are ours, so none is a trap. */
export const readRecord = (store: Store, key: string) => fieldsFrom(store.all(key));

export function fieldsFrom(flat: string[]): Fields {
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
