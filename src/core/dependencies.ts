import { comeAt } from "./idling.ts";
import { type Fields, numberIn, readSoundJob, setRare, stateIn } from "./job.ts";
import { dependenciesKey, dependentsKey, dependsKey, jobKey, releasingKey } from "./keys.ts";
import {
  finishLanding,
  type Landing,
  land,
  newBatchLanding,
  newLanding,
  settleLanding,
} from "./landing.ts";
import { MAX_LIST, MAX_VISITS, RELEASE_SLICE } from "./limits.ts";
import { add } from "./pairs.ts";
import { wakeQueueAt } from "./queue.ts";
import type { Pairs, Store } from "./store.ts";
import { unique } from "./tags.ts";

/** Whether the job exists and is not complete, so that others can wait for it. */
export function canBeAwaited(store: Store, jid: string): boolean {
  const [klass, state] = store.fields(jobKey(jid), ["klass", "state"]);
  return klass !== false && stateIn(store, state!) !== "complete";
}

/** Makes the job wait for these, of which each can be awaited. */
export function addDependencies(store: Store, now: number, jid: string, on: string[]): void {
  const pairs: Pairs = [];
  for (const dependency of on) {
    add(pairs, now, dependency);
    store.rank(dependentsKey(dependency), [now, jid]);
    // So that a job for which nobody waits need not look for those who do.
    setRare(store, dependency, ["awaited", "1"]);
  }
  store.rank(dependenciesKey(jid), pairs);
}

/** Ends the job's waiting for these; others keep theirs. */
export function dropDependencies(store: Store, jid: string, on: string[]): void {
  for (const dependency of on) store.unrank(dependentsKey(dependency), [jid]);
  store.unrank(dependenciesKey(jid), on);
}

/** What the job waits for; no job may wait for more than this. */
export const dependenciesOf = (store: Store, jid: string) =>
  store.lowest(dependenciesKey(jid), 0, MAX_LIST);

/** Who waits for the job: all, unless there are more than any call could name. */
export const dependentsOf = (store: Store, jid: string) =>
  store.lowest(dependentsKey(jid), 0, MAX_LIST + 1);

/** The refusal when a job that waits for some would wait for too many. */
export function judgeNumber(store: Store, jid: string, on: readonly string[]): string | undefined {
  const key = dependenciesKey(jid);
  let count = store.size(key);
  if (count + on.length <= MAX_LIST) return undefined;
  for (const dependency of unique(on)) if (store.score(key, dependency) === false) count += 1;
  if (count <= MAX_LIST) return undefined;
  return `BAD_ARGUMENT Job ${jid} would depend on more than ${MAX_LIST} jobs`;
}

/**
 * What jobs of the same call are about to wait for, by the key of their record, which is no
 * prototype's.
 */
export type Planned = { [key: string]: readonly string[] };
export const NOTHING_PLANNED: Planned = {};

/** How far the searches for cycles of one call have come. */
export interface Search {
  /** Jobs and dependencies that were followed. */
  visits: number;
  /**
   * By the key of their record: 1 for jobs on the way to the one that is looked at, 2 for those
   * that lead into no cycle.
   */
  marks: { [key: string]: number };
}

export const newSearch = (): Search => ({ visits: 0, marks: {} });

/**
 * The refusal when one of `on` waits for the job, be it through others; else undefined. Goes as
 * deep as it can first; whoever leads back to a job on the way closes a cycle.
 */
export function judgeCycle(
  store: Store,
  jid: string,
  on: readonly string[],
  planned: Planned,
  search: Search,
): string | undefined {
  const { marks } = search;
  const open = [jid];
  while (open.length > 0) {
    const visited = open[open.length - 1]!;
    const key = jobKey(visited);
    if (marks[key] !== undefined) {
      marks[key] = 2;
      open.pop();
    } else {
      marks[key] = 1;
      // Who names none keeps what it waits for already.
      const isTold = visited === jid && on.length > 0;
      const further = isTold ? on : willDependOn(store, visited, planned);
      search.visits += 1 + further.length;
      if (search.visits > MAX_VISITS) {
        return `CYCLE Job ${jid} depends through others on more than can be followed: ${MAX_VISITS}`;
      }
      for (const next of further) {
        const mark = marks[jobKey(next)];
        if (mark === 1) return "CYCLE Job " + next + " would depend on itself";
        if (mark === undefined) open.push(next);
      }
    }
  }
  return undefined;
}

/**
 * What a job waits for, or will when the batch is done: what is planned takes the place of the
 * rest.
 */
function willDependOn(store: Store, jid: string, planned: Planned): readonly string[] {
  const plan = planned[jobKey(jid)];
  return plan === undefined || plan.length === 0 ? dependenciesOf(store, jid) : plan;
}

/**
 * Releases the dependents of this completed job, a slice at a time. Pops of the queues concerned
 * and tick go on with the rest.
 */
export function releaseDependents(store: Store, landing: Landing, jid: string): number {
  const key = dependentsKey(jid);
  const dependents = store.lowest(key, 0, RELEASE_SLICE);
  if (dependents.length === 0) return 0;
  settleLanding(store, landing);
  for (const dependent of dependents) releaseFrom(store, landing, dependent, jid);
  store.unrank(key, dependents);
  if (store.size(key) > 0) leaveRest(store, landing, jid);
  else store.unrank(releasingKey(), [jid]);
  return dependents.length;
}

/**
 * Notes that dependents are left over. The queues that this slice went to, that of the completed job
 * and that of the next dependent become due at once, so that a pop of any of them goes on: a legacy
 * client never calls tick.
 */
function leaveRest(store: Store, landing: Landing, jid: string): void {
  const { now } = landing;
  store.rank(releasingKey(), [now, jid]);
  for (const one of [jid, store.lowest(dependentsKey(jid), 0, 1)[0]!]) {
    const queue = store.field(jobKey(one), "queue");
    if (queue !== false) comeAt(store, now, queue, now);
  }
  let view = landing.view;
  while (view !== undefined) {
    wakeQueueAt(store, view.queue, now);
    view = view.next;
  }
}

/** Goes on with the dependents that completions have left over, a slice at a time. */
export function releaseRest(store: Store, now: number): number {
  const jid = store.lowest(releasingKey(), 0, 1)[0];
  if (jid === undefined) return 0;
  const landing = newBatchLanding(now);
  const released = releaseDependents(store, landing, jid);
  finishLanding(store, landing);
  if (released === 0) store.unrank(releasingKey(), [jid]);
  return released;
}

function releaseFrom(store: Store, landing: Landing, dependent: string, dependency: string): void {
  store.unrank(dependenciesKey(dependent), [dependency]);
  if (store.size(dependenciesKey(dependent)) > 0) return;
  const fields = readSoundJob(store, dependent);
  if (fields !== undefined && fields.state === "depends")
    landFree(store, landing, dependent, fields);
}

/** Moves a job that waits for nothing any more to where it would have gone without waiting. */
function landFree(store: Store, landing: Landing, jid: string, fields: Fields): void {
  const queue = fields.queue!;
  const pairs: Pairs = [];
  store.unrank(dependsKey(queue), [jid]);
  const dueMs = numberIn(store, fields.scheduled, 0);
  const priority = numberIn(store, fields.priority, 0);
  const last = fields.last ?? "1";
  const since = fields.time ?? store.text.integer(landing.now);
  land(store, landing, { jid, queue, priority, dueMs, depends: false, last, since }, pairs);
  store.set(jobKey(jid), pairs);
}

/** As a release, for a job whose last dependency was taken off by hand. */
export function landReleased(store: Store, now: number, jid: string, fields: Fields): void {
  const landing = newLanding(now);
  landFree(store, landing, jid, fields);
  finishLanding(store, landing);
}
