import { announceFailed, announceTracked } from "./events.ts";
import { failedEntry, trimHistory } from "./history.ts";
import { standing } from "./job.ts";
import { failuresKey, groupKey, jobKey } from "./keys.ts";
import { add, addRare } from "./pairs.ts";
import { countOfDay, uncountFailed } from "./statistics.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import { letGoAt } from "./uniques.ts";

export interface Failing {
  jid: string;
  queue: string;
  worker: string;
  group: string;
  message: string;
  /** The number of its newest entry of history. */
  last: number;
  tracked: boolean;
  historyLimit: number;
  /** Whether it fails for want of a retry, and not because its worker said so. */
  exhausted: boolean;
  /** What its record says of the unique key it holds. */
  unique: string | Absent;
  /** What its record says of the first failure since it had all its retries. */
  first: string | Absent;
  /** New data, if the worker sent some. */
  data: string | undefined;
}

/** Makes a job that was just taken out of its queue a failed one. */
export function failJob(store: Store, now: number, failing: Failing): void {
  const { jid, queue, worker, group, message } = failing;
  const number = failing.last + 1;
  const field = store.text.integer(number);
  const at = store.text.integer(now);
  const entry = at + "\t" + failedEntry(group, failing.exhausted ? "" : worker);
  const pairs: Pairs = ["state", standing("failed", field, at), field, entry];
  pushFailure(pairs, at, failing);
  if (failing.data !== undefined) add(pairs, "data", failing.data);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, failing.historyLimit);
  if (failing.unique !== false) letGoAt(store, jid, failing.unique, "failed");
  store.rank(groupKey(group), [failedScore(store, now, group), jid]);
  store.raise(failuresKey(), group, 1);
  countOfDay(store, now, queue, "failures");
  countOfDay(store, now, queue, "failed");
  // The order in which existing clients hear of it.
  if (failing.tracked && failing.exhausted) announceTracked(store, "failed", jid);
  announceFailed(store, { jid, worker, group, message });
  if (failing.tracked && !failing.exhausted) announceTracked(store, "failed", jid);
}

/** A thousandth of a millisecond behind the last of the group, where it failed no earlier. */
function failedScore(store: Store, now: number, group: string): number {
  const newest = store.highestScored(groupKey(group), 0, 1)[1];
  return newest === undefined ? now : Math.max(now, store.text.value(newest) + 0.001);
}

/**
 * Adds a failure to the fields of a job, whether it fails for good or is tried again. The first one
 * is kept beside the last, for the errors that follow are often but its consequence.
 */
export function pushFailure(
  pairs: Pairs,
  at: string,
  { group, message, worker, first }: Pick<Failing, "group" | "message" | "worker" | "first">,
): void {
  addRare(pairs, "group", group);
  add(pairs, "message", message);
  add(pairs, "failedAt", at);
  add(pairs, "failedBy", worker);
  if (first !== false) return;
  add(pairs, "firstFailure", at + "\t" + worker + "\t" + group);
  add(pairs, "firstMessage", message);
}

export const FAILURE_FIELDS = [
  "group",
  "message",
  "failedAt",
  "failedBy",
  "firstFailure",
  "firstMessage",
];

/** Takes a failed job out of its group, and out of its day's count of failed jobs. */
export function leaveGroup(
  store: Store,
  { jid, group, queue, failedAt }: { jid: string; group: string; queue: string; failedAt: number },
): void {
  if (store.unrank(groupKey(group), [jid]) > 0 && store.raise(failuresKey(), group, -1) <= 0) {
    store.unrank(failuresKey(), [group]);
  }
  uncountFailed(store, failedAt, queue);
}

/** The failure as the job object shows it. */
export function failureJson(store: Store, fields: { [name: string]: string }): string {
  const { text } = store;
  if (fields.group === undefined) return "{}";
  const members = [
    `"group":${text.quote(fields.group)}`,
    `"message":${text.quote(fields.message!)}`,
    `"when":${Math.floor(text.value(fields.failedAt!) / 1000)}`,
    `"worker":${text.quote(fields.failedBy!)}`,
  ];
  return `{${members.join(",")}}`;
}

/** The first failure since the job had all its retries, as the job object shows it. */
export function firstFailureJson(store: Store, fields: { [name: string]: string }): string {
  if (fields.firstFailure === undefined) return "{}";
  const [at, worker, group] = store.text.split(fields.firstFailure, 3);
  return failureJson(store, {
    group: group!,
    message: fields.firstMessage ?? "",
    failedAt: at!,
    failedBy: worker!,
  });
}

/** The group of jobs whose workers are gone each time, until no retry was left. */
export const CRASHED = "crashed";
export const crashedMessage = (worker: string) =>
  "Worker " + worker + " is gone, as others before, and no retry is left: does the job crash them?";

export const exhaustedGroup = (queue: string) => "failed-retries-" + queue;
export const exhaustedMessage = (queue: string) => `Job exhausted retries in queue "${queue}"`;
