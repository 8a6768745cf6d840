import type { Options } from "./command.ts";
import { usualRetries } from "./config.ts";
import type { Fields } from "./job.ts";
import { jobKey } from "./keys.ts";
import type { QueueView } from "./landing.ts";
import { add, addRare } from "./pairs.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import {
  indexSource,
  indexTags,
  tagsJson,
  tagsOf,
  unindexSource,
  unindexTags,
  unique,
  without,
} from "./tags.ts";
import { claimIn, claimOf, letGo, takeKey } from "./uniques.ts";

/** The options that describe a job, for every command that puts one. */
export const JOB_OPTIONS = [
  ["priority", "priority"],
  ["tags", "list"],
  ["retries", "whole"],
  ["depends", "list"],
  ["source", "name"],
  ["backoff", "text"],
  ["cutoff", "seconds"],
  ["unique", "name"],
  ["until", "text"],
  ["for", "seconds"],
  ["conflict", "text"],
  ["context", "json"],
  ["at", "time"],
] as const;

/** The options of put and of each job in put.many. */
export const PUT_OPTIONS = [["exists", "text"], ["protect", "flag"], ...JOB_OPTIONS] as const;

export type PutOptions = Options<typeof PUT_OPTIONS>;

/** Says what is particular about a new job. */
export function describe(
  store: Store,
  now: number,
  { jid, view, options }: { jid: string; view: QueueView; options: PutOptions },
  pairs: Pairs,
): void {
  const { tags, source, priority } = options;
  describeStage(store, view, options, pairs);
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
  if (options.context !== undefined) addRare(pairs, "context", options.context);
  claim(store, now, jid, options, pairs);
}

/** Gives the job the unique key of the call, if it names one: it is free, or the job's own. */
function claim(store: Store, now: number, jid: string, options: PutOptions, pairs: Pairs): void {
  const key = options.unique;
  if (key === undefined) return;
  const time = options.for;
  const ends = time === undefined ? (options.until ?? "complete") : store.text.integer(now + time);
  takeKey(store, { jid, key, ends });
  addRare(pairs, "unique", claimOf(ends, key));
}

/** What a queue may say about the jobs put there; the job's own word wins. */
function describeStage(
  store: Store,
  view: QueueView,
  { retries, backoff, cutoff }: PutOptions,
  pairs: Pairs,
): void {
  if (retries === undefined) addStage(store, view, pairs);
  else addRare(pairs, "retries", store.text.integer(retries));
  if (backoff !== undefined) addRare(pairs, "backoff", backoff);
  if (cutoff !== undefined) addRare(pairs, "cutoff", cutoff);
}

/** Gives a job the retries that are usual in the queue, marked as such; says whether any are. */
function addStage(store: Store, view: QueueView, pairs: Pairs): boolean {
  const usual = view.more ? usualRetries(store, view.queue) : undefined;
  if (usual === undefined) return false;
  addRare(pairs, "retries", store.text.integer(usual));
  add(pairs, "lent", "1");
  return true;
}

/**
 * As it comes into another queue, a job with no word of its own on retries has those of the queue.
 */
export function restage(
  store: Store,
  view: QueueView,
  { key, retries, lent }: { key: string; retries: string | Absent; lent: string | Absent },
  pairs: Pairs,
): void {
  if (retries !== false && lent === false) return;
  if (!addStage(store, view, pairs) && lent !== false) store.unset(key, ["retries", "lent"]);
}

/** As `restage`, for a job that was read whole. */
export function restageOld(
  store: Store,
  view: QueueView,
  jid: string,
  { retries, lent }: Fields,
  pairs: Pairs,
): void {
  const said = { key: jobKey(jid), retries: retries ?? false, lent: lent ?? false } as const;
  restage(store, view, said, pairs);
}

/** Says what is new about a job, and forgets what belonged to its last stay in a queue. */
export function describeAgain(
  store: Store,
  now: number,
  { jid, old, options }: { jid: string; old: Fields; options: PutOptions },
  pairs: Pairs,
): void {
  const { priority, retries, backoff, cutoff } = options;
  if (priority !== undefined) addRare(pairs, "priority", store.text.decimal(priority));
  if (retries !== undefined) addRare(pairs, "retries", store.text.integer(retries));
  if (retries !== undefined && old.lent !== undefined) store.unset(jobKey(jid), ["lent"]);
  if (backoff !== undefined) addRare(pairs, "backoff", backoff);
  if (cutoff !== undefined) addRare(pairs, "cutoff", cutoff);
  retag(store, now, { jid, old, options }, pairs);
  rekey(store, now, { jid, old, options }, pairs);
  forgetRun(store, jid, old);
}

/** A job keeps its key unless it is given another; its context is that of the newest put. */
function rekey(
  store: Store,
  now: number,
  { jid, old, options }: { jid: string; old: Fields; options: PutOptions },
  pairs: Pairs,
): void {
  const { unique: key, context } = options;
  if (key !== undefined && old.unique !== undefined && claimIn(store, old.unique)[1] !== key) {
    letGo(store, jid, old.unique);
  }
  claim(store, now, jid, options, pairs);
  if (context !== undefined) addRare(pairs, "context", context);
  else if (old.context !== undefined) store.unset(jobKey(jid), ["context"]);
}

function retag(
  store: Store,
  now: number,
  { jid, old, options }: { jid: string; old: Fields; options: PutOptions },
  pairs: Pairs,
): void {
  const { tags, source } = options;
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

const OF_A_RUN = ["grace", "remaining", "scheduled", "firstFailure", "firstMessage"];

/** Clears what belonged to the job's last stay in a queue. */
export function forgetRun(store: Store, jid: string, old: Fields): void {
  const names: string[] = [];
  for (const name of OF_A_RUN) if (old[name] !== undefined) names.push(name);
  store.unset(jobKey(jid), names);
}
