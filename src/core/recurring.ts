import { announceDamaged, announcePut } from "./events.ts";
import { putEntry } from "./history.ts";
import { type Fields, fieldsFrom, readRecord } from "./job.ts";
import { jobKey, queueKey, recurKey, recurringKey, workKey } from "./keys.ts";
import { MAX_TIME_MS } from "./limits.ts";
import { add, addRare } from "./pairs.ts";
import { placeAt } from "./queue.ts";
import { until } from "./ranges.ts";
import { refuse } from "./refuse.ts";
import type { Pairs, Store } from "./store.ts";
import { indexTags, tagsOf } from "./tags.ts";

/**
 * Recurring jobs: a template, and children put at every interval. The ranking of a queue's
 * recurring jobs holds the time of the next child in seconds, for existing clients read it there.
 *
 * paused  since when, in milliseconds; absent unless it is paused
 * resume  while it is paused: when the next child was to come, and its rhythm goes on from
 */

/**
 * When the next child of a paused recurring job comes, as far as its ranking says: so it is never
 * due, and yet among those of its queue.
 */
export const NEVER_MS = MAX_TIME_MS;

/** How often a taken jid is stepped over, each time twice as far. */
const PROBES = 40;

/** Bytes of the jid of what has children: they are called after it, with a number. */
const MAX_PARENT = 240;

/** Refuses a jid after which children cannot be called. */
export function judgeParent(store: Store, jid: string): void {
  if (store.text.bytes(jid) <= MAX_PARENT) return;
  const room = `must leave room for its children's numbers: ${MAX_PARENT} bytes`;
  refuse("BAD_ARGUMENT", `Arg "jid" ${room}`);
}

export function readRecurring(store: Store, jid: string): Fields | undefined {
  const fields = readRecord(store, recurringKey(jid));
  return fields.klass === undefined ? undefined : fields;
}

/** When the next child is planned, whether or not a pause keeps it from coming. */
export function plannedNext(store: Store, now: number, jid: string, fields: Fields): number {
  if (fields.paused !== undefined) {
    const resume = fields.resume === undefined ? undefined : store.text.number(fields.resume);
    return resume ?? now;
  }
  const score = store.score(recurKey(fields.queue!), jid);
  return score === false ? now : Math.floor(score * 1000 + 0.5);
}

/** Plans the next child for this time, or while there is a pause, notes it for its end. */
export function planNext(
  store: Store,
  { jid, queue, isPaused }: { jid: string; queue: string; isPaused: boolean },
  next: number,
): void {
  if (isPaused) store.set(recurringKey(jid), ["resume", store.text.integer(next)]);
  store.rank(recurKey(queue), [(isPaused ? NEVER_MS : next) / 1000, jid]);
}

/** Puts up to `count` children that are due in the queue; returns how many. */
export function spawnDue(store: Store, now: number, queue: string, count: number): number {
  const due = store.betweenScored(recurKey(queue), until(now / 1000), 0, count);
  let spawned = 0;
  for (let i = 0; i < due.length && spawned < count; i += 2) {
    const jid = due[i]!;
    const fields = fieldsFrom(store.allIfSound(recurringKey(jid)));
    if (fields.klass === undefined || fields.queue !== queue || !isWhole(store, fields)) {
      store.unrank(recurKey(queue), [jid]);
      announceDamaged(store, jid, queue);
    } else if (fields.paused !== undefined) {
      // Something that knows no pauses has planned it anew.
      store.rank(recurKey(queue), [NEVER_MS / 1000, jid]);
    } else {
      const next = Math.floor(store.text.value(due[i + 1]!) * 1000 + 0.5);
      spawned += spawnOf(store, { jid, fields, now, next, count: count - spawned });
    }
  }
  if (spawned > 0) store.set(queueKey(queue), ["spawned", now]);
  return spawned;
}

const NUMBERS = ["interval", "backlog", "count", "priority", "retries"];

/** Whether nothing is missing of which children are made. */
function isWhole(store: Store, fields: Fields): boolean {
  for (const name of NUMBERS) {
    const text = fields[name];
    if (text === undefined || store.text.number(text) === undefined) return false;
  }
  return fields.data !== undefined && store.text.value(fields.interval!) > 0;
}

interface Spawning {
  jid: string;
  fields: Fields;
  now: number;
  /** When the next child is due, in milliseconds. */
  next: number;
  count: number;
}

function spawnOf(store: Store, { jid, fields, now, next, count }: Spawning): number {
  const interval = store.text.value(fields.interval!);
  const backlog = store.text.value(fields.backlog!);
  const missed = Math.floor((now - next) / interval) + 1;
  let at = backlog > 0 && missed > backlog ? next + (missed - backlog) * interval : next;
  let number = store.text.value(fields.count!);
  let spawned = 0;
  while (at <= now && spawned < count) {
    number = freeNumber(store, jid, number + 1);
    spawn(store, now, { jid: jid + `-${number}`, parent: jid, fields, at });
    spawned += 1;
    at += interval;
  }
  store.set(recurringKey(jid), ["count", number]);
  store.rank(recurKey(fields.queue!), [at / 1000, jid]);
  return spawned;
}

/** The first number from here on whose child does not exist, found in ever longer steps. */
function freeNumber(store: Store, jid: string, from: number): number {
  let number = from;
  let step = 1;
  for (let i = 0; i < PROBES && store.exists(jobKey(jid + `-${number}`)); i++) {
    number += step;
    step *= 2;
  }
  return number;
}

interface Child {
  jid: string;
  parent: string;
  fields: Fields;
  /** The nominal time, in milliseconds. */
  at: number;
}

function spawn(store: Store, now: number, { jid, parent, fields, at }: Child): void {
  const { text } = store;
  const queue = fields.queue!;
  const place = text.order(placeAt(at));
  const pairs: Pairs = ["klass", fields.klass!, "data", fields.data!, "queue", queue];
  add(pairs, "place", place);
  addRare(pairs, "spawned", parent);
  add(pairs, "1", at + "\t" + putEntry(queue));
  const priority = text.value(fields.priority!);
  if (priority !== 0) add(pairs, "priority", text.decimal(priority));
  add(pairs, "retries", fields.retries!);
  const tags = tagsOf(store, fields.tags);
  if (tags.length > 0) add(pairs, "tags", fields.tags!);
  indexTags(store, now, jid, tags);
  store.set(jobKey(jid), pairs);
  store.rank(workKey(queue), [priority, place + jid]);
  announcePut(store, jid, queue);
}

export const noSuchRecurring = (jid: string) => "Recurring job " + jid + " does not exist";
