import type { PutOptions } from "./describing.ts";
import { type Found, find, keepsExisting } from "./existing.ts";
import { type Fields, numberIn, readJob, stateOf, timeOf } from "./job.ts";
import { jobKey, uniqueKey } from "./keys.ts";
import { type Landing, land } from "./landing.ts";
import { leavePlace } from "./leaving.ts";
import { dueBy, type Putting } from "./putting.ts";
import { refuse } from "./refuse.ts";
import type { Pairs, Store } from "./store.ts";
import { claimIn, holderOf } from "./uniques.ts";

/** A put, the job of its jid and the holder of its unique key: which job is put, kept or changed. */

/**
 * How the jobs of one call, as far as they are judged, will have changed who holds which key. By
 * the keys of records, which are no prototype's.
 */
export interface Claims {
  /** By the key of a unique key: the jid of its holder, empty when it will be free. */
  holders: { [key: string]: string };
  /** By the key of a job: the unique key that it will hold. */
  held: { [key: string]: string };
  /** By the key of a job: whether the call puts it. */
  put: { [key: string]: boolean };
}

export const newClaims = (): Claims => ({ holders: {}, held: {}, put: {} });

export interface Meeting {
  /** The job that is put, kept or changed. */
  jid: string;
  act: "put" | "keep" | "change";
  /** What is stored under the key of the job; undefined if that was not read. */
  found: Found | undefined;
}

/**
 * Which job a put is about: its own, or the holder of its key. The job of its own jid is judged
 * first. Nothing is written yet.
 */
export function meet(
  store: Store,
  now: number,
  jid: string,
  options: PutOptions,
  claims: Claims,
): Meeting {
  const { unique, conflict } = options;
  const found = findIn(store, jid, options, claims);
  if (found === "job" && keepsExisting(jid, options)) return { jid, act: "keep", found };
  const holder = unique === undefined ? "" : holderIn(store, now, unique, claims);
  const target = holder === "" ? jid : holder;
  const isOwn = target === jid;
  if (!isOwn) {
    if (conflict === undefined || conflict === "keep") return kept(target);
    judgeProtected(target, options);
    if (conflict !== "replace") return { jid: target, act: "change", found: undefined };
    const again = claims.put[jobKey(target)] !== undefined;
    if (!again && !canReplace(store, target, unique!)) return kept(target);
  }
  claims.put[jobKey(target)] = true;
  if (unique !== undefined) noteClaim(store, target, unique, claims);
  return { jid: target, act: "put", found: isOwn ? found : undefined };
}

const kept = (jid: string): Meeting => ({ jid, act: "keep", found: undefined });

/** What is under the put's own jid by then; undefined if it makes no difference to this put. */
function findIn(
  store: Store,
  jid: string,
  { exists, protect }: PutOptions,
  { put }: Claims,
): Found | undefined {
  if (exists === undefined && protect === undefined) return undefined;
  return put[jobKey(jid)] === undefined ? find(store, jid) : "job";
}

/**
 * Refuses to change the holder of a key for a caller that may only create jobs. Also if the call
 * itself puts the holder: puts of several callers may travel in one call.
 */
function judgeProtected(holder: string, { protect }: PutOptions): void {
  if (protect !== 1) return;
  const rule = `Job ${holder} holds the key, and this caller may only create jobs`;
  refuse("NOT_PERMITTED", `${rule}: use another key or keep the job`);
}

function holderIn(store: Store, now: number, key: string, { holders }: Claims): string {
  return holders[uniqueKey(key)] ?? holderOf(store, now, key);
}

/** Notes that the job will hold the key, and no other. */
function noteClaim(store: Store, jid: string, key: string, { holders, held }: Claims): void {
  const before = held[jobKey(jid)] ?? heldBefore(store, jid);
  if (before !== "" && (holders[uniqueKey(before)] ?? jid) === jid) holders[uniqueKey(before)] = "";
  holders[uniqueKey(key)] = jid;
  held[jobKey(jid)] = key;
}

function heldBefore(store: Store, jid: string): string {
  const field = store.field(jobKey(jid), "unique");
  return field === false ? "" : claimIn(store, field)[1];
}

/** Whether the holder may be put again in place of another job: nobody works on it, nor has. */
function canReplace(store: Store, jid: string, key: string): boolean {
  const fields = readHolder(store, jid, key);
  return fields !== undefined && isIdle(fields);
}

/** The job that holds the key; undefined when it is gone, and only its key is left. */
function readHolder(store: Store, jid: string, key: string): Fields | undefined {
  const fields = readJob(store, jid);
  if (fields === undefined || fields.unique === undefined) return undefined;
  return claimIn(store, fields.unique)[1] === key ? fields : undefined;
}

function isIdle(fields: Fields): boolean {
  const state = stateOf(fields);
  return state !== "running" && state !== "complete";
}

/** Gives the holder of a key the data or the time of a put that met it, if its state allows it. */
export function changeHolder(
  store: Store,
  landing: Landing,
  jid: string,
  putting: Putting,
  { unique, conflict, at }: PutOptions,
): "changed" | "kept" {
  const fields = readHolder(store, jid, unique!);
  if (fields === undefined || !isIdle(fields)) return "kept";
  const [, , , , data, delay] = putting;
  if (conflict === "time") {
    const dueMs = dueBy(landing.now, delay, at);
    return changeTime(store, landing, { jid, fields, dueMs }) ? "changed" : "kept";
  }
  store.set(jobKey(jid), ["data", data]);
  return "changed";
}

interface Rescheduling {
  jid: string;
  fields: Fields;
  dueMs: number;
}

/**
 * Makes a waiting or scheduled job due at another time, or one that depends once it is free. Returns
 * whether anything changed.
 */
function changeTime(store: Store, landing: Landing, { jid, fields, dueMs }: Rescheduling): boolean {
  const { text } = store;
  const now = landing.now;
  const key = jobKey(jid);
  const state = stateOf(fields);
  if (state === "depends") {
    if (dueMs > now) store.set(key, ["scheduled", text.integer(dueMs), "more", "1"]);
    else store.unset(key, ["scheduled"]);
    return dueMs > now || fields.scheduled !== undefined;
  }
  if (state !== "waiting" && state !== "scheduled") return false;
  const due = state === "scheduled" ? numberIn(store, fields.scheduled, 0) : 0;
  // What is due already, and is to be, keeps its place.
  if (dueMs <= now && due <= now) return false;
  leavePlace(store, jid, fields);
  store.unset(key, ["scheduled"]);
  const queue = fields.queue!;
  const priority = numberIn(store, fields.priority, 0);
  const last = fields.last ?? "1";
  const since = text.integer(timeOf(store, fields));
  const pairs: Pairs = [];
  land(store, landing, { jid, queue, priority, dueMs, depends: false, last, since }, pairs);
  store.set(key, pairs);
  return true;
}
