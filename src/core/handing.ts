import type { PopSettings } from "./config.ts";
import { announceTracked } from "./events.ts";
import { historyJson } from "./history.ts";
import { numberOr, readJob } from "./job.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";
import { letGoAt } from "./uniques.ts";

/** Until when the lock lasts of a job that begins to run now: never beyond its cutoff. */
export function lockUntil(now: number, { heartbeatMs }: PopSettings, cutoffMs: number): number {
  return now + (cutoffMs > 0 && cutoffMs < heartbeatMs ? cutoffMs : heartbeatMs);
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

/** What a popped job is made of, in the order of the reply. Most have nothing behind `expires`. */
export const POPPED = [
  "jid",
  "klass",
  "queue",
  "data",
  "lease",
  "expires",
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

/** Adds what there is more to know of a job than of most; returns until when its lock lasts. */
export function describe(
  store: Store,
  now: number,
  key: string,
  settings: PopSettings,
  history: boolean,
  job: Reply[],
): number {
  const { text } = store;
  const jid = job[0] as string;
  const more = store.fields(key, TAKEN_MORE);
  const retries = more[1] === false ? "5" : more[1]!;
  job.push(more[0] === false ? "0" : more[0]!);
  job.push(retries);
  job.push(more[2] === false ? retries : more[2]!);
  job.push(more[3] === false ? "[]" : more[3]!);
  job.push(more[4] === false ? "" : more[4]!);
  job.push(more[5] === false ? "" : more[5]!);
  job.push(more[6] === false ? "" : inSeconds(text.value(more[6]!)));
  job.push(more[7] === false ? "0" : "1");
  job.push(more[8] === false ? "" : more[8]!);
  if (more[9] !== false) letGoAt(store, jid, more[9]!, "start");
  if (more[7] !== false) announceTracked(store, "popped", jid);
  if (history) job.push(historyJson(store, readJob(store, jid)!));
  const ends = lockUntil(now, settings, numberOr(store, more[6]!, settings.cutoffMs));
  job[5] = text.seconds(text.integer(ends));
  return ends;
}
