import {
  completedKey,
  dependsKey,
  failuresKey,
  groupKey,
  locksKey,
  queuesKey,
  scheduledKey,
  sourceKey,
  tagKey,
  workKey,
} from "./keys.ts";
import { SEARCH_GROUPS } from "./limits.ts";
import type { Criteria } from "./search-criteria.ts";
import { placedBehind } from "./search-rank.ts";
import type { Store } from "./store.ts";

/**
 * A search walks through one ranking after the other: a leg for each. Those of a queue come in the
 * order in which jobs go through them, and failed and completed jobs at the end, so that a job that
 * goes on its way while the walk lasts is met twice rather than never.
 */
export type LegKind =
  | "depends"
  | "scheduled"
  | "work"
  | "locks"
  | "group"
  | "completed"
  | "tag"
  | "source";

const OF_A_QUEUE: LegKind[] = ["depends", "scheduled", "work", "locks"];

/** The ranking that is walked, and what it takes to find the one behind it. */
export interface Leg {
  kind: LegKind;
  /** Of a queue, a group, a tag or a source; empty for completed jobs. */
  name: string;
  /** The score of the queue among the queues, by which the next one is found. */
  since: number;
  /** Groups that are walked through. They are ranked by their size, which tells nothing. */
  done: string[];
}

/** The leg that a search begins with; undefined when nothing can be found. */
export function firstLeg(store: Store, criteria: Criteria): Leg | undefined {
  const { tag, source, group, queue, state } = criteria;
  if (tag !== undefined) return legOf("tag", tag);
  if (source !== undefined) return legOf("source", source);
  if (group !== undefined) return wants(state, "group") ? legOf("group", group) : undefined;
  const kind = kindBehind(state, undefined);
  if (kind === undefined) return nextGroup(store, state, []);
  return queue === undefined ? nextQueue(store, state, undefined) : legOf(kind, queue);
}

/** The leg behind one that is walked through; undefined when it was the last. */
export function nextLeg(store: Store, criteria: Criteria, leg: Leg): Leg | undefined {
  const { kind } = leg;
  const { state } = criteria;
  if (kind === "tag" || kind === "source" || kind === "completed") return undefined;
  if (kind === "group") {
    if (criteria.group !== undefined) return undefined;
    const done: string[] = [];
    for (const name of leg.done) done.push(name);
    done.push(leg.name);
    return nextGroup(store, state, done);
  }
  const further = kindBehind(state, kind);
  if (further !== undefined) return { kind: further, name: leg.name, since: leg.since, done: [] };
  return criteria.queue === undefined ? nextQueue(store, state, leg) : nextGroup(store, state, []);
}

const legOf = (kind: LegKind, name: string): Leg => ({ kind, name, since: 0, done: [] });

/** Whether a search can lead through rankings of this kind. */
export function mayWalk(criteria: Criteria, kind: string): boolean {
  const { tag, source, group, state } = criteria;
  if (tag !== undefined) return kind === "tag";
  if (source !== undefined) return kind === "source";
  if (group !== undefined) return kind === "group";
  if (kind === "group" || kind === "completed") return wants(state, kind);
  for (const one of OF_A_QUEUE) if (one === kind) return wants(state, one);
  return false;
}

/** Whether jobs of the state are found in rankings of this kind. */
function wants(state: string | undefined, kind: LegKind): boolean {
  if (state === undefined) return true;
  if (kind === "scheduled") return state === "scheduled" || state === "waiting";
  if (kind === "work") return state === "waiting";
  if (kind === "locks") return state === "running" || state === "stalled";
  if (kind === "group") return state === "failed";
  return kind === "completed" ? state === "complete" : state === kind;
}

/** The next kind of ranking of a queue, or the first, that jobs of the state are found in. */
function kindBehind(state: string | undefined, kind: LegKind | undefined): LegKind | undefined {
  let isBehind = kind === undefined;
  for (const one of OF_A_QUEUE) {
    if (isBehind && wants(state, one)) return one;
    if (one === kind) isBehind = true;
  }
  return undefined;
}

/** The first leg of the next queue, by the time at which queues were first seen. */
function nextQueue(store: Store, state: string | undefined, leg: Leg | undefined): Leg | undefined {
  const key = queuesKey();
  const spot = leg === undefined ? undefined : { score: leg.since, member: leg.name };
  const rank = spot === undefined ? 0 : placedBehind(store, key, spot, true);
  const [name, since] = store.lowestScored(key, rank, 1);
  if (name === undefined) return nextGroup(store, state, []);
  return { kind: kindBehind(state, undefined)!, name, since: store.text.value(since!), done: [] };
}

/** The next group of failures that is not done yet, then the completed jobs. */
function nextGroup(store: Store, state: string | undefined, done: string[]): Leg | undefined {
  if (wants(state, "group") && done.length < SEARCH_GROUPS) {
    const seen: { [blankAndName: string]: boolean } = {};
    for (const name of done) seen[" " + name] = true;
    for (const name of store.highest(failuresKey(), 0, done.length + 1)) {
      if (seen[" " + name] === undefined) return { kind: "group", name, since: 0, done };
    }
  }
  return wants(state, "completed") ? legOf("completed", "") : undefined;
}

export function keyOf({ kind, name }: Leg): string {
  if (kind === "depends") return dependsKey(name);
  if (kind === "scheduled") return scheduledKey(name);
  if (kind === "work") return workKey(name);
  if (kind === "locks") return locksKey(name);
  if (kind === "group") return groupKey(name);
  if (kind === "tag") return tagKey(name);
  return kind === "source" ? sourceKey(name) : completedKey();
}

/** Whether the members of the ranking begin with a place. */
export const hasPlaces = (kind: LegKind) => kind === "work" || kind === "scheduled";
