import { readBackoff } from "./backoff.ts";
import { announceTick } from "./events.ts";
import { type Fields, numberIn, readRecord } from "./job.ts";
import { cronKey, cronsNextKey } from "./keys.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/**
 * Cron schedules. The core keeps them and sees to it that each tick is fired once; it does not read
 * cron expressions: whoever puts or fires a schedule says when its next tick is. So time alone
 * does nothing here, and `next` is the one thing that processes compete for.
 *
 * klass, data, queue, cron, zone, priority, tags, overlap, missed, backlog, jitter   always
 * retries, source, backoff   left out when nothing is said of them
 * next           when the next tick is, in milliseconds; also the score among those to fire
 * last, child    the last tick that was fired, and the job it put
 * runs, skipped  how many ticks put a job, and how many did not since the last one was not over
 * paused         since when; a paused schedule is not among those to fire
 */

/** What is carried for whoever fires: docs/protocol.md says what they are to do. */
export const OVERLAPS = ["allow", "skip"];
export const MISSED = ["skip", "one", "all"];

/** What nobody needs to say of a schedule, and what holds then. */
export const CRON_DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  ["priority", "0"],
  ["tags", "[]"],
  ["overlap", "allow"],
  ["missed", "one"],
  ["backlog", "100"],
  ["jitter", "0"],
  ["runs", "0"],
  ["skipped", "0"],
];

/** What a schedule need not have. */
export const CRON_OPTIONAL = ["retries", "source", "backoff", "last", "child", "paused"];

/**
 * A schedule's record; undefined when there is none. What cannot be read is as if nobody had said
 * it, for one bad record must not keep the others from being listed.
 */
export function readCron(store: Store, jid: string): Fields | undefined {
  const fields = readRecord(store, cronKey(jid));
  if (!isCron(store, fields) || !isReadable(store, "next", fields.next ?? "")) return undefined;
  for (const [name, value] of CRON_DEFAULTS) {
    if (!isReadable(store, name, fields[name] ?? "")) fields[name] = value;
  }
  for (const name of CRON_OPTIONAL) {
    const value = fields[name];
    if (value !== undefined && !isReadable(store, name, value)) fields[name] = undefined as never;
  }
  return fields;
}

/** Whether a field of a schedule has a value that it can have. */
export function isReadable(store: Store, name: string, value: string): boolean {
  if (name === "tags") return store.text.list(value) !== undefined;
  if (name === "overlap") return includes(OVERLAPS, value);
  if (name === "missed") return includes(MISSED, value);
  if (name === "backoff") return readBackoff(store, value) !== undefined;
  if (name === "source" || name === "child") return store.text.isName(value);
  return name === "paused" || store.text.number(value) !== undefined;
}

/** Whether there is enough of a schedule to put jobs. */
export function isCron(store: Store, fields: Fields): boolean {
  for (const name of ["klass", "queue", "cron", "zone"]) {
    const value = fields[name];
    if (value === undefined || !store.text.isName(value)) return false;
  }
  return fields.data !== undefined;
}

/** Makes this the next tick of a schedule, and ranks it among those to fire unless it is paused. */
export function setNext(store: Store, jid: string, next: number, paused: boolean): void {
  const at = store.text.integer(next);
  store.set(cronKey(jid), ["next", at]);
  if (!paused) store.rank(cronsNextKey(), [at, jid]);
}

/**
 * As `setNext`, for a schedule that was set or resumed. If its tick is now the first of all, the
 * processes that fire schedules are told: they sleep until the tick that was the first before.
 */
export function planTick(store: Store, jid: string, next: number, paused: boolean): void {
  setNext(store, jid, next, paused);
  if (!paused && store.position(cronsNextKey(), jid) === 0) announceTick(store, next);
}

/** A schedule as cron.get, cron.list and cron.due show it; undefined when there is none. */
export function cronJson(store: Store, jid: string): string | undefined {
  const fields = readCron(store, jid);
  if (fields === undefined) return undefined;
  const { text } = store;
  const members = [
    `"jid":${text.quote(jid)}`,
    `"queue":${text.quote(fields.queue!)}`,
    `"klass":${text.quote(fields.klass!)}`,
    `"data":${text.quote(fields.data!)}`,
    `"cron":${text.quote(fields.cron!)}`,
    `"zone":${text.quote(fields.zone!)}`,
    `"priority":${fields.priority!}`,
    `"tags":${fields.tags!}`,
    `"retries":${fields.retries ?? "null"}`,
    `"source":${quotedOrNull(store, fields.source)}`,
    `"backoff":${quotedOrNull(store, fields.backoff)}`,
    `"overlap":${text.quote(fields.overlap!)}`,
    `"missed":${text.quote(fields.missed!)}`,
    `"backlog":${fields.backlog!}`,
    `"jitter":${inSeconds(numberIn(store, fields.jitter, 0))}`,
    `"paused":${fields.paused === undefined ? "false" : "true"}`,
    `"next":${secondsOrNull(store, fields.next)}`,
    `"last":${secondsOrNull(store, fields.last)}`,
    `"last_jid":${quotedOrNull(store, fields.child)}`,
    `"runs":${fields.runs!}`,
    `"skipped":${fields.skipped!}`,
  ];
  return `{${members.join(",")}}`;
}

/** Those of these schedules that there are, as a JSON array. */
export function cronsJson(store: Store, jids: string[]): string {
  const crons: string[] = [];
  for (const jid of jids) {
    const json = cronJson(store, jid);
    if (json !== undefined) crons.push(json);
  }
  return "[" + crons.join(",") + "]";
}

function quotedOrNull(store: Store, value: string | undefined): string {
  return value === undefined ? "null" : store.text.quote(value);
}

function secondsOrNull(store: Store, ms: string | undefined): string {
  return ms === undefined ? "null" : inSeconds(store.text.value(ms));
}

export const noSuchCron = (jid: string) => "Schedule " + jid + " does not exist";
