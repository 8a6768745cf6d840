import { BACKOFF_RULE, readBackoff } from "./backoff.ts";
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
import { addEntry, nextEntry, putEntry, trimHistory } from "./history.ts";
import { type Fields, isTracked, numberIn, readJob, retriesOf, stateOf } from "./job.ts";
import { dependenciesKey, jobKey, trackedKey } from "./keys.ts";
import { type Landing, land, viewOf } from "./landing.ts";
import { leavePlace } from "./leaving.ts";
import { add } from "./pairs.ts";
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
  ["retries", "count"],
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
  delay?: number | undefined;
  priority?: number | undefined;
  tags?: string[] | undefined;
  retries?: number | undefined;
  depends?: string[] | undefined;
  source?: string | undefined;
  backoff?: string | undefined;
  cutoff?: number | undefined;
}

/** Refuses a put that cannot be, before anything is written. */
export function judgePut(store: Store, putting: Putting, planned: Planned): void {
  const { jid, depends, backoff } = putting;
  if (backoff !== undefined && readBackoff(store, backoff) === undefined) {
    refuse("BAD_ARGUMENT", `Arg "backoff" must be ${BACKOFF_RULE}`);
  }
  if (depends !== undefined) refuseIf(judgeCycle(store, jid, depends, planned));
}

/** Puts a job into a queue, creating it or moving it there from wherever it is. */
export function putJob(store: Store, landing: Landing, putting: Putting, planned: Planned): void {
  const { jid, queue } = putting;
  const isNew = store.field(jobKey(jid), "klass") === false;
  const pairs: Pairs = ["klass", putting.klass, "data", putting.data, "queue", queue];
  announcePut(store, jid, queue);
  const tracked = isNew
    ? describeNew(store, landing, putting, pairs)
    : describeAgain(store, landing, putting, pairs);
  const depends = settleDependencies(store, landing.now, putting, planned, isNew);
  const delay = putting.delay ?? 0;
  const arrival = {
    jid,
    queue,
    priority: tracked.priority,
    dueMs: delay > 0 ? landing.now + delay : 0,
    depends,
    since: landing.now,
    isNew,
  };
  land(store, landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  if (tracked.tracked) announceTracked(store, "put", jid);
}

interface Described {
  priority: number;
  tracked: boolean;
}

function describeNew(store: Store, landing: Landing, putting: Putting, pairs: Pairs): Described {
  const { jid, source } = putting;
  const { now } = landing;
  const priority = putting.priority ?? 0;
  if (priority !== 0) add(pairs, "priority", priority);
  describeStage(store, landing, putting, undefined, pairs);
  add(pairs, "1", now + "\t" + putEntry(putting.queue));
  if (putting.tags !== undefined && putting.tags.length > 0) {
    const tags = unique(putting.tags);
    add(pairs, "tags", tagsJson(store, tags));
    indexTags(store, now, jid, tags);
  }
  if (source !== undefined) {
    add(pairs, "source", source);
    indexSource(store, now, jid, source);
  }
  // A tracked job that was canceled stays on the list of tracked ones, and may come back.
  const tracked = store.score(trackedKey(), jid) !== false;
  if (tracked) add(pairs, "tracked", "1");
  return { priority, tracked };
}

/** What a queue may say about the jobs put there; the job's own word wins. */
function describeStage(
  store: Store,
  landing: Landing,
  putting: Putting,
  before: number | undefined,
  pairs: Pairs,
): void {
  let retries = putting.retries ?? before;
  if (retries === undefined && viewOf(store, landing, putting.queue).own !== false) {
    const own = putSettings(store, putting.queue).retries;
    if (own !== false) retries = store.text.number(own);
  }
  if (retries !== undefined && (before !== undefined || retries !== DEFAULT_RETRIES)) {
    add(pairs, "retries", retries);
  }
  if (putting.backoff !== undefined) add(pairs, "backoff", putting.backoff);
  if (putting.cutoff !== undefined) add(pairs, "cutoff", putting.cutoff);
}

function describeAgain(store: Store, landing: Landing, putting: Putting, pairs: Pairs): Described {
  const { jid } = putting;
  const old = readJob(store, jid)!;
  leavePlace(store, jid, old);
  if (stateOf(old) === "running" && old.worker !== putting.worker) {
    announceLockLost(store, jid, old.worker!);
  }
  const number = nextEntry(store, old.last ?? false);
  addEntry(pairs, number, landing.now, putEntry(putting.queue));
  trimHistory(store, jobKey(jid), number, historyLimit(store));
  const priority = putting.priority ?? numberIn(store, old.priority, 0);
  if (putting.priority !== undefined) add(pairs, "priority", priority);
  describeStage(store, landing, putting, retriesOf(store, old), pairs);
  retag(store, landing.now, putting, old, pairs);
  forgetRun(store, jid, old);
  return { priority, tracked: isTracked(old) };
}

function retag(store: Store, now: number, putting: Putting, old: Fields, pairs: Pairs): void {
  const { jid, tags, source } = putting;
  if (tags !== undefined) {
    const once = unique(tags);
    unindexTags(store, jid, without(tagsOf(store, old.tags), once));
    indexTags(store, now, jid, once);
    add(pairs, "tags", tagsJson(store, once));
  }
  if (source !== undefined && source !== old.source) {
    if (old.source !== undefined) unindexSource(store, jid, old.source);
    indexSource(store, now, jid, source);
    add(pairs, "source", source);
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
  putting: Putting,
  planned: Planned,
  isNew: boolean,
): boolean {
  const { jid, depends } = putting;
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
