import { badName } from "./arguments.ts";
import { onLegacyEntry } from "./entry.ts";
import { logChannel, namespacePrefix } from "./keys.ts";
import { refuseWith } from "./refuse.ts";
import { inSeconds } from "./seconds.ts";
import type { Store } from "./store.ts";

/**
 * What is announced, and where: `log` hears of everything, `w:<worker>` of jobs that a worker has
 * lost, and the channels named after an event hear the jids of tracked jobs.
 */

function announce(store: Store, channel: string, message: string): boolean {
  return store.announce(namespacePrefix() + channel, message);
}

/** What happens to tracked jobs; each event has a channel of its name. */
export type TrackedEvent =
  | "put"
  | "popped"
  | "completed"
  | "failed"
  | "stalled"
  | "canceled"
  | "progress"
  | "track"
  | "untrack";

/** Announces an event of a tracked job. */
export function announceTracked(store: Store, event: TrackedEvent, jid: string): void {
  announce(store, event, jid);
}

/** The queue of the last message, and how a message of that queue ends. */
let lastQueue = "";
let lastEnd = ',"queue":""}';

function endOf(store: Store, queue: string): string {
  if (queue !== lastQueue) {
    lastQueue = queue;
    lastEnd = ',"queue":' + store.text.quoteName(queue) + "}";
  }
  return lastEnd;
}

export function announcePut(store: Store, jid: string, queue: string): void {
  if (!store.mayHear(logChannel())) return;
  const message = '{"event":"put","jid":' + store.text.quoteName(jid) + endOf(store, queue);
  store.announce(logChannel(), message);
}

/** Jobs that one message tells of at most. */
const TOLD = 100;

/** Tells what happened to jobs of a queue, at least one, in as few messages as may be. */
export function announceJobs(store: Store, event: string, jids: string[], queue: string): void {
  if (jids.length <= TOLD) {
    announceSome(store, event, jids, queue);
    return;
  }
  let some: string[] = [];
  for (const jid of jids) {
    if (some.length === TOLD) {
      announceSome(store, event, some, queue);
      some = [];
    }
    some.push(jid);
  }
  announceSome(store, event, some, queue);
}

function announceSome(store: Store, event: string, jids: string[], queue: string): void {
  if (!store.mayHear(logChannel())) return;
  store.announce(logChannel(), messageOf(store, event, jids, queue));
}

function messageOf(store: Store, event: string, jids: string[], queue: string): string {
  const { text } = store;
  const who = jids.length === 1 ? '":' + text.quoteName(jids[0]!) : 's":' + text.quoteNames(jids);
  return '{"event":"' + event + '","jid' + who + endOf(store, queue);
}

/**
 * What tells that jobs are put, in their order; those that follow each other into one queue at
 * once. Refuses what can be no jid: to see that is half of the work.
 */
export function putMessages(store: Store, jids: string[], into: { queue: string }[]): string[] {
  const messages: string[] = [];
  const isHeard = store.mayHear(logChannel());
  const all = jids.length;
  let same: string[] = [];
  let count = 0;
  for (let i = 0; i < all; i++) {
    const { queue } = into[i]!;
    same[count] = jids[i]!;
    count += 1;
    if (count === TOLD || i + 1 === all || into[i + 1]!.queue !== queue) {
      if (!store.text.areNames(same)) refuseWith(badName("jid"));
      if (isHeard) messages.push(messageOf(store, "put", same, queue));
      same = [];
      count = 0;
    }
  }
  return messages;
}

export function announceAll(store: Store, messages: string[]): void {
  for (const message of messages) store.announce(logChannel(), message);
}

/**
 * Tells a worker that waits that there is a job for it, or will be at a time. Only that one has to
 * know. Tells whether anybody may have heard it.
 */
export function announceWake(
  store: Store,
  worker: string,
  queue: string,
  at: number | undefined,
): boolean {
  const { text } = store;
  const when = at === undefined ? "" : ',"at":' + inSeconds(at);
  const message =
    '{"event":"wake","queue":' +
    text.quoteName(queue) +
    ',"worker":' +
    text.quoteName(worker) +
    when +
    "}";
  return announce(store, "w:" + worker, message);
}

/** Announces when time-based work is needed earlier than the processes that do it may know. */
export const announceTick = (store: Store, at: number) =>
  announce(store, "tick", '{"event":"tick","at":' + inSeconds(at) + "}");

/**
 * Tells the worker first, so that it can stop before anyone else starts; `moved` names the queue
 * that the job was brought into. The original's clients are told as they were.
 */
export function announceLockLost(
  store: Store,
  jid: string,
  worker: string,
  moved: string | undefined,
): void {
  const { text } = store;
  const to = moved === undefined || onLegacyEntry() ? "" : ',"moved":' + text.quoteName(moved);
  const message =
    '{"event":"lock_lost","jid":' +
    text.quoteName(jid) +
    ',"worker":' +
    text.quoteName(worker) +
    to +
    "}";
  announce(store, "w:" + worker, message);
  store.announce(logChannel(), message);
}

export function announceAdvanced(store: Store, jid: string, queue: string, to: string): void {
  const { text } = store;
  const places = ',"queue":' + text.quoteName(queue) + ',"to":' + text.quoteName(to);
  store.announce(logChannel(), '{"event":"advanced","jid":' + text.quoteName(jid) + places + "}");
}

export function announceCompleted(store: Store, jid: string, queue: string): void {
  if (!store.mayHear(logChannel())) return;
  const who = '{"event":"completed","jid":' + store.text.quoteName(jid);
  store.announce(logChannel(), who + endOf(store, queue));
}

export interface FailureOf {
  jid: string;
  worker: string;
  group: string;
  message: string;
}

export function announceFailed(store: Store, { jid, worker, group, message }: FailureOf): void {
  const { text } = store;
  const who =
    '{"event":"failed","jid":' + text.quoteName(jid) + ',"worker":' + text.quoteName(worker);
  const why = ',"group":' + text.quoteName(group) + ',"message":' + text.quote(message) + "}";
  store.announce(logChannel(), who + why);
}

/** `members`: those of a JSON object, or an empty text. */
export type CheckinOf = Omit<FailureOf, "group"> & { queue: string; members: string };

/** Announces on the log how far a run is. */
export function announceProgress(store: Store, checkin: CheckinOf): void {
  if (!store.mayHear(logChannel())) return;
  const { text } = store;
  const { jid, queue, worker, message, members } = checkin;
  const who = '{"event":"progress","jid":' + text.quoteName(jid);
  const where = ',"queue":' + text.quoteName(queue) + ',"worker":' + text.quoteName(worker);
  const what = ',"message":' + text.quote(message) + (members === "" ? "" : "," + members);
  store.announce(logChannel(), who + where + what + "}");
}

/** Tells the log, then the worker if one holds the job. */
export function announceCanceled(store: Store, jid: string, queue: string, worker: string): void {
  const { text } = store;
  const where = '","jid":' + text.quoteName(jid) + ',"queue":' + text.quoteName(queue);
  const message = '{"event":"canceled' + where + ',"worker":' + text.quoteName(worker) + "}";
  store.announce(logChannel(), message);
  if (worker !== "") announce(store, "w:" + worker, message);
}

export function announceConfigSet(store: Store, option: string, value: string): void {
  const { text } = store;
  const what = '{"event":"config_set","option":' + text.quoteName(option);
  store.announce(logChannel(), what + ',"value":' + text.quote(value) + "}");
}

export function announceConfigUnset(store: Store, option: string): void {
  const what = '{"event":"config_unset","option":' + store.text.quoteName(option);
  store.announce(logChannel(), what + "}");
}

/** What an operator did; `members` are those of a JSON object. */
export interface Deed {
  by: string;
  action: string;
  to: string | undefined;
  queue: string | undefined;
  count: number | undefined;
  members: string | undefined;
}

/** Tells the log what an operator did. */
export function announceAudit(store: Store, deed: Deed): void {
  const { text } = store;
  const { to, queue, count, members } = deed;
  const who = '{"event":"audit","by":' + text.quoteName(deed.by);
  const what = ',"action":' + text.quoteName(deed.action);
  const said: string[] = [who + what];
  if (to !== undefined) said.push('"to":' + text.quoteName(to));
  if (queue !== undefined) said.push('"queue":' + text.quoteName(queue));
  if (count !== undefined) said.push('"count":' + text.integer(count));
  if (members !== undefined) said.push('"facts":{' + members + "}");
  store.announce(logChannel(), said.join(",") + "}");
}

/** Says that an index named a job it should not have; it no longer does. */
export function announceDamaged(store: Store, jid: string, queue: string): void {
  const { text } = store;
  const where = ',"queue":' + text.quoteName(queue) + "}";
  store.announce(logChannel(), '{"event":"damaged","jid":' + text.quoteName(jid) + where);
}
