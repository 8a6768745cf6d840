import { DEFAULT_RETRIES } from "./config.ts";
import { dependenciesOf, dependentsOf } from "./dependencies.ts";
import { onLegacyEntry } from "./entry.ts";
import { failureJson, firstFailureJson } from "./failures.ts";
import { historyJson } from "./history.ts";
import { type Fields, isTracked, numberIn, readJob, readSoundJob, stateOf } from "./job.ts";
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
  const retries = shownNumber(store, fields.retries, store.text.integer(DEFAULT_RETRIES));
  const members = [
    `"jid":${text.quote(jid)}`,
    `"klass":${text.quote(fields.klass!)}`,
    `"state":"${state}"`,
    `"queue":${text.quote(state === "complete" ? "" : fields.queue!)}`,
    `"worker":${text.quote(held ? fields.worker! : "")}`,
    `"tracked":${isTracked(fields) ? "true" : "false"}`,
    `"priority":${shownNumber(store, fields.priority, "0")}`,
    `"expires":${inSeconds(held ? numberIn(store, fields.expires, 0) : 0)}`,
    `"retries":${retries}`,
    `"remaining":${shownNumber(store, fields.remaining, retries)}`,
    `"data":${text.quote(fields.data!)}`,
    `"tags":${shownTags(store, fields.tags)}`,
    `"history":${historyJson(store, fields)}`,
    `"failure":${failureJson(store, fields)}`,
    `"spawned_from_jid":${nullOr(store, fields.spawned)}`,
    `"dependents":${tagsJson(store, dependentsOf(store, jid))}`,
    `"dependencies":${tagsJson(store, dependenciesOf(store, jid))}`,
  ];
  if (!onLegacyEntry()) addNewer(store, now, fields, members);
  return `{${members.join(",")}}`;
}

/**
 * A number as it is kept, or the default if it is left out or cannot be read. What is damaged is for
 * `check` to report; one such job must not keep a reader from the list that it is in.
 */
function shownNumber(store: Store, kept: string | undefined, otherwise: string): string {
  return kept === undefined || store.text.number(kept) === undefined ? otherwise : kept;
}

/** As `shownNumber`, for tags. */
function shownTags(store: Store, kept: string | undefined): string {
  return kept === undefined || store.text.list(kept) === undefined ? "[]" : kept;
}

/** What the original knew nothing of. */
function addNewer(store: Store, now: number, fields: Fields, members: string[]): void {
  const state = stateOf(fields);
  const due = state === "scheduled" || state === "depends" ? fields.scheduled : undefined;
  members.push(
    `"lease":${state === "running" ? shownNumber(store, fields.lease, "null") : "null"}`,
  );
  members.push(`"scheduled":${secondsOrNull(store, due)}`);
  members.push(`"source":${nullOr(store, fields.source)}`);
  members.push(`"backoff":${nullOr(store, fields.backoff)}`);
  members.push(`"cutoff":${secondsOrNull(store, fields.cutoff)}`);
  members.push(`"unique":${nullOr(store, keyHeld(store, now, fields.unique))}`);
  members.push(`"context":${nullOr(store, fields.context)}`);
  members.push(`"first_failure":${firstFailureJson(store, fields)}`);
}

function secondsOrNull(store: Store, ms: string | undefined): string {
  const value = ms === undefined ? undefined : store.text.number(ms);
  return value === undefined ? "null" : inSeconds(value);
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
