import type { PopSettings } from "./config.ts";
import { announceTracked } from "./events.ts";
import { historyJson } from "./history.ts";
import { numberOr, readJob } from "./job.ts";
import { jobKey } from "./keys.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";
import { letGoAt } from "./uniques.ts";

/** Until when the lock lasts of a job that begins to run now: never beyond its cutoff. */
export function lockUntil(now: number, { heartbeatMs }: PopSettings, cutoffMs: number): number {
  return now + (cutoffMs > 0 && cutoffMs < heartbeatMs ? cutoffMs : heartbeatMs);
}

/**
 * A popped job is one text: these values, divided by tabs. Only the last may have tabs in it. Redis
 * looks at every list of a reply for eight names, which would cost more than taking the job.
 */
export const POPPED = ["jid", "klass", "queue", "lease", "expires", "more", "data"];

/** `within` has the queue, `behind` when the lock expires and what more there is, tabs around all. */
export const poppedText = (
  jid: string,
  klass: string,
  within: string,
  lease: string,
  behind: string,
  data: string,
) => jid + "\t" + klass + within + lease + behind + data;

/** What `more` may tell, as JSON, of the few jobs that have any of it. */
export const POPPED_MORE = [
  "priority",
  "retries",
  "remaining",
  "tags",
  "source",
  "spawned_from_jid",
  "cutoff",
  "tracked",
  "context",
  "history",
];

/** What is particular about a job, as JSON, and until when its lock lasts. */
export interface Described {
  more: string;
  ends: number;
}

const TAKEN_MORE = [
  "priority",
  "retries",
  "remaining",
  "tags",
  "source",
  "spawned",
  "cutoff",
  "tracked",
  "context",
  "unique",
];

/** Tells what there is more to know of a job than of most. */
export function describe(
  store: Store,
  now: number,
  jid: string,
  settings: PopSettings,
  history: boolean,
): Described {
  const { text } = store;
  const [priority, retries, remaining, tags, source, spawned, cutoff, tracked, context, unique] =
    store.fields(jobKey(jid), TAKEN_MORE);
  const told: string[] = [];
  if (priority !== false) told.push('"priority":' + priority!);
  if (retries !== false) told.push('"retries":' + retries!);
  if (remaining !== false) told.push('"remaining":' + remaining!);
  if (tags !== false) told.push('"tags":' + tags!);
  if (source !== false) told.push('"source":' + text.quote(source!));
  if (spawned !== false) told.push('"spawned_from_jid":' + text.quote(spawned!));
  if (cutoff !== false) told.push('"cutoff":' + inSeconds(text.value(cutoff!)));
  if (tracked !== false) told.push('"tracked":true');
  if (context !== false) told.push('"context":' + text.quote(context!));
  if (unique !== false) letGoAt(store, jid, unique!, "start");
  if (tracked !== false) announceTracked(store, "popped", jid);
  if (history) told.push('"history":' + historyJson(store, readJob(store, jid)!));
  const ends = lockUntil(now, settings, numberOr(store, cutoff!, settings.cutoffMs));
  return { more: told.length === 0 ? "" : "{" + told.join(",") + "}", ends };
}
