import { acquaintance, hasSeen, see } from "./asking.ts";
import { roomFor, takeMembers } from "./choosing.ts";
import { type PopSettings, popSettings, USUAL } from "./config.ts";
import { announceDamaged, announceTracked } from "./events.ts";
import { historyJson, trimHistory } from "./history.ts";
import { housekeep, PLACE_LENGTH } from "./housekeeping.ts";
import { numberOr, readJob } from "./job.ts";
import { configKey, jobKey, locksKey, namespaceKey, queueKey, workerJobsKey } from "./keys.ts";
import { SLICE } from "./limits.ts";
import { seeWorker } from "./locks.ts";
import { add } from "./pairs.ts";
import { placeTime, wakeAt } from "./queue.ts";
import { inSeconds } from "./seconds.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import type { Reply } from "./text.ts";
import { noteTimes } from "./times.ts";

export interface Asking {
  worker: string;
  /** How many jobs at most. */
  count: number;
  /** Whether each job comes with its history. */
  history: boolean;
}

const ASKED = ["due", "seen", "more", "waits"];

/** Hands the worker jobs of one queue, each under a lock, as lists of values, adding to `taken`. */
export function takeFrom(
  store: Store,
  now: number,
  queue: string,
  asking: Asking,
  taken: Reply[],
): void {
  const fields = store.fields(queueKey(queue), ASKED);
  const seen = fields[1]!;
  if (!hasSeen(store, now, seen, asking.worker)) {
    const known = acquaintance(store, queue);
    if (known === "foreign") return;
    seeWorker(store, now, asking.worker);
    // Nobody would find a new queue to forget the worker there, so it is noted every time.
    see(store, now, queue, seen, known === "own" ? asking.worker + "\t" : "");
  }
  let settings = USUAL;
  if (fields[2] !== false || store.exists(configKey())) {
    const [paused, own] = store.fields(queueKey(queue), ["paused", "own"]);
    if (paused !== false) return;
    settings = popSettings(store, queue, own!);
  }
  let count = asking.count - taken.length;
  if (count <= 0) return;
  const due = fields[0]!;
  let wake = due === false ? Infinity : store.text.value(due);
  if (wake <= now) {
    housekeep(store, now, { queue, settings, wanted: count });
    wake = numberOr(store, store.field(queueKey(queue), "due"), Infinity);
  }
  if (settings.maxConcurrency > 0) count = roomFor(store, queue, count, settings);
  let members = takeMembers(store, queue, count, settings);
  if (members.length === 0) return;
  const enough = taken.length + count;
  lockAll(store, now, { queue, settings, wake, waits: fields[3]! }, asking, members, taken);
  // Members without a job must keep nobody from working.
  for (let tries = 0; tries < SLICE && taken.length < enough && count === members.length; tries++) {
    count = enough - taken.length;
    members = takeMembers(store, queue, count, settings);
    const waits = store.field(queueKey(queue), "waits");
    lockAll(store, now, { queue, settings, wake, waits }, asking, members, taken);
  }
}

/** What a call that takes jobs knows of their queue. */
interface Source {
  queue: string;
  settings: PopSettings;
  /** When it next needs housekeeping. */
  wake: number;
  /** How long its jobs waited lately, see `noteTimes`. */
  waits: string | Absent;
}

const TAKEN = ["klass", "data", "state", "more"];

/**
 * Locks the jobs of these members, and adds what the worker is to know of each to `taken`. It is long
 * because it is where most of the time of a pop goes: what is the same for all jobs is worked out once.
 */
function lockAll(
  store: Store,
  now: number,
  { queue, settings, wake, waits }: Source,
  { worker, history }: Asking,
  members: string[],
  taken: Reply[],
): void {
  const { text } = store;
  const at = text.integer(now);
  const popped = at + "\tpopped\t" + worker;
  let soonest = lockUntil(now, settings, settings.cutoffMs);
  const expires = text.integer(soonest);
  const shown = text.seconds(expires);
  const count = members.length;
  let lease = store.increase(namespaceKey(), "lease", count) - count;
  const locks: Pairs = [];
  const times: string[] = [];
  for (let i = 0; i < count; i++) {
    const member = members[i]!;
    const jid = text.skip(member, PLACE_LENGTH);
    const key = jobKey(jid);
    const fields = store.fields(key, TAKEN);
    const state = fields[2]!;
    let last = 1;
    let since = "";
    if (state !== false) {
      const [what, , , newest, time] = text.split(state, 5);
      if (what !== "waiting" && what !== "stalled") fields[0] = false;
      last = text.value(newest ?? "1");
      since = time ?? "";
    }
    if (fields[0] === false) announceDamaged(store, jid, queue);
    else {
      lease += 1;
      const under = text.integer(lease);
      const field = text.integer(last + 1);
      const held = "running\t" + worker + "\t" + under + "\t" + field + "\t" + at;
      store.set(key, ["state", held, field, popped]);
      if (last >= settings.historyLimit) trimHistory(store, key, last + 1, settings.historyLimit);
      const began = since === "" ? placeTime(store, member) : text.value(since);
      times.push(text.integer(now - began));
      const job: Reply[] = [jid, fields[0]!, queue, fields[1]!, under, shown];
      taken.push(job);
      let until = expires;
      if (fields[3] !== false || history) {
        const ends = describe(store, now, key, settings, history, job);
        if (ends < soonest) soonest = ends;
        until = text.integer(ends);
      }
      add(locks, until, jid);
    }
  }
  if (locks.length === 0) return;
  store.rank(locksKey(queue), locks);
  store.rank(workerJobsKey(worker), locks);
  noteTimes(store, now, "wait", queue, waits, times);
  if (soonest < wake) wakeAt(store, queue, false, soonest);
}

/** Until when the lock lasts of a job that begins to run now: never beyond its cutoff. */
function lockUntil(now: number, { heartbeatMs }: PopSettings, cutoffMs: number): number {
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
  "history",
];

/** Adds what there is more to know of a job than of most; returns until when its lock lasts. */
function describe(
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
  if (more[7] !== false) announceTracked(store, "popped", jid);
  if (history) job.push(historyJson(store, readJob(store, jid)!));
  const ends = lockUntil(now, settings, numberOr(store, more[6]!, settings.cutoffMs));
  job[5] = text.seconds(text.integer(ends));
  return ends;
}

/** As `takeFrom`, from several queues in their order until there are enough. */
export function takeFromAll(store: Store, now: number, queues: string[], asking: Asking): Reply[] {
  const taken: Reply[] = [];
  for (const queue of queues) {
    if (taken.length >= asking.count && asking.count > 0) return taken;
    takeFrom(store, now, queue, asking, taken);
  }
  return taken;
}
