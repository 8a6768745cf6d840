import { dependenciesOf, dependentsOf } from "./dependencies.ts";
import { onLegacyEntry } from "./entry.ts";
import { failureJson, firstFailureJson } from "./failures.ts";
import { historyJson } from "./history.ts";
import {
  type Fields,
  isTracked,
  numberIn,
  readJob,
  readSoundJob,
  remainingOf,
  retriesOf,
  stateOf,
} from "./job.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";
import { tagsJson } from "./tags.ts";
import { keyHeld } from "./uniques.ts";

/** A job as get, multiget, peek and track show it; undefined when there is none. */
export function jobJson(store: Store, now: number, jid: string): string | undefined {
  const fields = readJob(store, jid);
  return fields === undefined ? undefined : shownJob(store, now, jid, fields);
}

/** As `jobJson`; undefined also if the job's record is damaged. */
export function soundJobJson(store: Store, now: number, jid: string): string | undefined {
  const fields = readSoundJob(store, jid);
  return fields === undefined ? undefined : shownJob(store, now, jid, fields);
}

function shownJob(store: Store, now: number, jid: string, fields: Fields): string {
  const { text } = store;
  const state = shownState(store, now, fields);
  const held = stateOf(fields) === "running";
  const members = [
    `"jid":${text.quote(jid)}`,
    `"klass":${text.quote(fields.klass!)}`,
    `"state":"${state}"`,
    `"queue":${text.quote(state === "complete" ? "" : fields.queue!)}`,
    `"worker":${text.quote(held ? fields.worker! : "")}`,
    `"tracked":${isTracked(fields) ? "true" : "false"}`,
    `"priority":${fields.priority ?? "0"}`,
    `"expires":${inSeconds(held ? numberIn(store, fields.expires, 0) : 0)}`,
    `"retries":${retriesOf(store, fields)}`,
    `"remaining":${remainingOf(store, fields)}`,
    `"data":${text.quote(fields.data!)}`,
    `"tags":${fields.tags ?? "[]"}`,
    `"history":${historyJson(store, fields)}`,
    `"failure":${failureJson(store, fields)}`,
    `"spawned_from_jid":${nullOr(store, fields.spawned)}`,
    `"dependents":${tagsJson(store, dependentsOf(store, jid))}`,
    `"dependencies":${tagsJson(store, dependenciesOf(store, jid))}`,
  ];
  if (!onLegacyEntry()) addNewer(store, now, fields, members);
  return `{${members.join(",")}}`;
}

/** What the original knew nothing of. */
function addNewer(store: Store, now: number, fields: Fields, members: string[]): void {
  const state = stateOf(fields);
  const due = state === "scheduled" || state === "depends" ? fields.scheduled : undefined;
  members.push(`"lease":${state === "running" ? (fields.lease ?? "null") : "null"}`);
  members.push(`"scheduled":${secondsOrNull(store, due)}`);
  members.push(`"source":${nullOr(store, fields.source)}`);
  members.push(`"backoff":${nullOr(store, fields.backoff)}`);
  members.push(`"cutoff":${secondsOrNull(store, fields.cutoff)}`);
  members.push(`"unique":${nullOr(store, keyHeld(store, now, fields.unique))}`);
  members.push(`"context":${nullOr(store, fields.context)}`);
  members.push(`"first_failure":${firstFailureJson(store, fields)}`);
}

function secondsOrNull(store: Store, ms: string | undefined): string {
  return ms === undefined ? "null" : inSeconds(store.text.value(ms));
}

function nullOr(store: Store, value: string | undefined): string {
  return value === undefined ? "null" : store.text.quote(value);
}

/** The state as it is to be understood now, whether or not housekeeping has come by. */
export function shownState(store: Store, now: number, fields: Fields): string {
  const state = stateOf(fields);
  if (onLegacyEntry()) return state;
  if (state === "scheduled" && numberIn(store, fields.scheduled, 0) <= now) return "waiting";
  if (state === "running" && numberIn(store, fields.expires, 0) <= now) return "stalled";
  return state;
}

/** The jobs that exist among these, as a JSON array. One whose record is damaged is left out. */
export function jobsJson(store: Store, now: number, jids: string[]): string {
  const jobs: string[] = [];
  for (const jid of jids) {
    const json = soundJobJson(store, now, jid);
    if (json !== undefined) jobs.push(json);
  }
  return "[" + jobs.join(",") + "]";
}
