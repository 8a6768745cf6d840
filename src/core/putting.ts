import { BACKOFF_RULE, readBackoff } from "./backoff.ts";
import type { Options } from "./command.ts";
import { DEFAULT_RETRIES, historyLimit, putSettings } from "./config.ts";
import {
  addDependencies,
  canBeAwaited,
  dependenciesOf,
  dropDependencies,
  judgeCycle,
  type Planned,
} from "./dependencies.ts";
import { announceLockLost, announcePut, announceTracked } from "./events.ts";
import { addEntry, nextEntry, putEntry, stamped, trimHistory } from "./history.ts";
import { type Fields, numberIn, readJob, stateOf } from "./job.ts";
import { dependenciesKey, jobKey } from "./keys.ts";
import { type Landing, land, type QueueView, viewOf } from "./landing.ts";
import { leavePlace } from "./leaving.ts";
import { add, addRare } from "./pairs.ts";
import { refuse, refuseIf } from "./refuse.ts";
import type { Pairs, Store } from "./store.ts";
import {
  indexSource,
  indexTags,
  tagsJson,
  tagsOf,
  unindexSource,
  unindexTags,
  unique,
} from "./tags.ts";

/** What may be said of a job behind its positional arguments, by put and in a batch. */
export const PUT_OPTIONS = [
  ["priority", "priority"],
  ["tags", "list"],
  ["retries", "whole"],
  ["depends", "list"],
  ["source", "name"],
  ["backoff", "text"],
  ["cutoff", "seconds"],
] as const;

export interface Putting {
  /** Who puts; it may be the worker that holds the job. */
  worker: string;
  queue: string;
  jid: string;
  klass: string;
  data: string;
  /** Milliseconds. */
  delay: number;
  options: Options<typeof PUT_OPTIONS>;
}

/** Refuses a put that cannot be, before anything is written. */
export function judgePut(store: Store, putting: Putting, planned: Planned): void {
  const { depends, backoff } = putting.options;
  if (backoff !== undefined && readBackoff(store, backoff) === undefined) {
    refuse("BAD_ARGUMENT", `Arg "backoff" must be ${BACKOFF_RULE}`);
  }
  if (depends !== undefined) refuseIf(judgeCycle(store, putting.jid, depends, planned));
}

const EXISTING = ["klass", "tracked"];

/** Brings a job into a queue, a new one or one that is elsewhere. */
export function putJob(store: Store, landing: Landing, putting: Putting, planned: Planned): void {
  const { jid, queue, delay, options } = putting;
  const now = landing.now;
  const [klass, tracked] = store.fields(jobKey(jid), EXISTING);
  const isNew = klass === false;
  announcePut(store, jid, queue);
  const pairs: Pairs = ["klass", putting.klass, "data", putting.data, "queue", queue];
  const priority = isNew
    ? describeNew(store, landing, putting, pairs)
    : describeAgain(store, landing, putting, pairs);
  const depends =
    (!isNew || options.depends !== undefined) &&
    settleDependencies(store, now, putting, { planned, isNew });
  const dueMs = delay > 0 ? now + delay : 0;
  land(store, landing, { jid, queue, priority, dueMs, depends, since: now, isNew }, pairs);
  if (tracked !== false) add(pairs, "more", "1");
  store.set(jobKey(jid), pairs);
  if (!isNew) {
    const last = store.text.value(store.field(jobKey(jid), "last") as string);
    trimHistory(store, jobKey(jid), last, historyLimit(store));
  }
  if (tracked !== false) announceTracked(store, "put", jid);
}

/** Says what is particular about a new job, and returns its priority. */
function describeNew(store: Store, landing: Landing, putting: Putting, pairs: Pairs): number {
  const { jid, queue, options } = putting;
  const { tags, source, priority } = options;
  const now = landing.now;
  add(pairs, "1", stamped(store, now, putEntry(queue)));
  describeStage(store, viewOf(store, landing, queue), options, pairs);
  if (priority !== undefined && priority !== 0) {
    addRare(pairs, "priority", store.text.decimal(priority));
  }
  if (tags !== undefined && tags.length > 0) {
    const once = unique(tags);
    addRare(pairs, "tags", tagsJson(store, once));
    indexTags(store, now, jid, once);
  }
  if (source !== undefined) {
    addRare(pairs, "source", source);
    indexSource(store, now, jid, source);
  }
  return priority ?? 0;
}

/** What a queue may say about the jobs put there; the job's own word wins. */
function describeStage(
  store: Store,
  { queue, own }: QueueView,
  { retries, backoff, cutoff }: Putting["options"],
  pairs: Pairs,
): void {
  let allowed = retries;
  if (allowed === undefined && own !== false) {
    const usual = putSettings(store, queue).retries;
    if (usual !== false) allowed = store.text.value(usual);
  }
  if (allowed !== undefined && allowed !== DEFAULT_RETRIES)
    addRare(pairs, "retries", store.text.integer(allowed));
  if (backoff !== undefined) addRare(pairs, "backoff", backoff);
  if (cutoff !== undefined) addRare(pairs, "cutoff", cutoff);
}

/** Takes the job out of where it was, says what is new about it, and returns its priority. */
function describeAgain(store: Store, landing: Landing, putting: Putting, pairs: Pairs): number {
  const { jid, options } = putting;
  const old = readJob(store, jid)!;
  leavePlace(store, jid, old);
  if (stateOf(old) === "running" && old.worker !== putting.worker) {
    announceLockLost(store, jid, old.worker!);
  }
  const number = nextEntry(store, old.last ?? false);
  const entry = stamped(store, landing.now, putEntry(putting.queue));
  addEntry(pairs, store.text.integer(number), entry);
  const { priority, retries, backoff, cutoff } = options;
  if (priority !== undefined) addRare(pairs, "priority", store.text.decimal(priority));
  if (retries !== undefined) addRare(pairs, "retries", store.text.integer(retries));
  if (backoff !== undefined) addRare(pairs, "backoff", backoff);
  if (cutoff !== undefined) addRare(pairs, "cutoff", cutoff);
  retag(store, landing.now, putting, old, pairs);
  forgetRun(store, jid, old);
  return priority ?? numberIn(store, old.priority, 0);
}

function retag(store: Store, now: number, putting: Putting, old: Fields, pairs: Pairs): void {
  const { jid } = putting;
  const { tags, source } = putting.options;
  if (tags !== undefined) {
    const once = unique(tags);
    unindexTags(store, jid, without(tagsOf(store, old.tags), once));
    indexTags(store, now, jid, once);
    addRare(pairs, "tags", tagsJson(store, once));
  }
  if (source !== undefined && source !== old.source) {
    if (old.source !== undefined) unindexSource(store, jid, old.source);
    indexSource(store, now, jid, source);
    addRare(pairs, "source", source);
  }
}

/** The members of the first list that are not in the second. */
export function without(list: string[], others: string[]): string[] {
  const seen: { [blankAndMember: string]: boolean } = {};
  for (const member of others) seen[" " + member] = true;
  const left: string[] = [];
  for (const member of list) if (seen[" " + member] === undefined) left.push(member);
  return left;
}

const OF_A_RUN = ["worker", "expires", "lease", "grace", "remaining", "scheduled"];

/** Clears what belonged to the job's last stay in a queue. */
export function forgetRun(store: Store, jid: string, old: Fields): void {
  const names: string[] = [];
  for (const name of OF_A_RUN) if (old[name] !== undefined) names.push(name);
  store.unset(jobKey(jid), names);
}

/** Brings the job's dependencies up to date, and says whether there are any. */
function settleDependencies(
  store: Store,
  now: number,
  { jid, options }: Putting,
  { planned, isNew }: { planned: Planned; isNew: boolean },
): boolean {
  const depends = options.depends;
  if (depends === undefined || depends.length === 0) {
    return !isNew && store.exists(dependenciesKey(jid));
  }
  if (!isNew) dropDependencies(store, jid, without(dependenciesOf(store, jid), depends));
  const on: string[] = [];
  for (const dependency of depends) {
    if (planned[" " + dependency] !== undefined || canBeAwaited(store, dependency)) {
      on.push(dependency);
    }
  }
  addDependencies(store, now, jid, on);
  return on.length > 0 || (!isNew && store.exists(dependenciesKey(jid)));
}
