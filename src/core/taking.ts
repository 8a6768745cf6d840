import { acquaintance, hasSeen, see, seenAt } from "./asking.ts";
import { roomFor, takeMembers } from "./choosing.ts";
import { type Closing, letGo } from "./closing.ts";
import { type PopSettings, popSettings, USUAL } from "./config.ts";
import { dayOf, dayOfQueue } from "./days.ts";
import { announceDamaged } from "./events.ts";
import { describe, lockUntil, poppedText } from "./handing.ts";
import { trimHistory } from "./history.ts";
import { housekeep, PLACE_LENGTH } from "./housekeeping.ts";
import { wakeIfIdle } from "./idling.ts";
import { numberOr, piecesOf } from "./job.ts";
import {
  configKey,
  jobKey,
  locksKey,
  namespaceKey,
  queueKey,
  workerJobsKey,
  workKey,
} from "./keys.ts";
import { SLICE } from "./limits.ts";
import { rememberHeld, seeWorker } from "./locks.ts";
import { cut } from "./pairs.ts";
import { liftIfOver } from "./pausing.ts";
import { placeTime, wakeAt } from "./queue.ts";
import { behindLease, type Spelled, spell } from "./spelling.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import { note, settleDay, waitNote } from "./times.ts";

export interface Asking {
  worker: string;
  /** How many texts the reply may have at most, jobs and others. */
  most: number;
  /** Whether each job comes with its history. */
  history: boolean;
  /** What ends in the same call. */
  closing: Closing | undefined;
}

const ASKED = ["due", "seen", "more"];

/** Hands the worker jobs of one queue, each under a lock, and adds what it is to know to `reply`. */
export function takeFrom(
  store: Store,
  now: number,
  queue: string,
  asking: Asking,
  reply: string[],
): void {
  const fields = store.fields(queueKey(queue), ASKED);
  const seen = fields[1]!;
  if (!hasSeen(store, now, seen, asking.worker)) {
    const known = acquaintance(store, queue);
    if (known === "foreign") return;
    seeWorker(store, now, asking.worker);
    // Nobody would find a new queue to forget the worker there, so it is noted every time.
    see(store, now, queue, seen, known === "own" ? asking.worker + "\t" : "");
    settleLast(store, now, queue, seen);
  }
  let settings = USUAL;
  const { closing } = asking;
  const isSet = closing === undefined ? store.exists(configKey()) : closing.isSet;
  if (isSet || fields[2] !== false) {
    const [paused, own] = store.fields(queueKey(queue), ["paused", "own"]);
    if (paused !== false && !liftIfOver(store, now, queue)) return;
    settings = popSettings(store, queue, own!);
  }
  let count = asking.most - reply.length;
  if (count <= 0) return;
  const due = fields[0]!;
  let wake = due === false ? Infinity : store.text.value(due);
  if (closing !== undefined && (wake <= now || settings.maxConcurrency > 0)) letGo(store, closing);
  if (wake <= now) {
    const keeping = { queue, settings, wanted: count, pausedUntil: undefined };
    wakeIfIdle(store, now, queue, housekeep(store, now, keeping) - count);
    wake = numberOr(store, store.field(queueKey(queue), "due"), Infinity);
  }
  if (settings.maxConcurrency > 0) count = roomFor(store, queue, count, settings);
  let members = takeMembers(store, queue, count, settings);
  if (members.length === 0) return;
  const enough = reply.length + count;
  lockAll(store, now, queue, settings, wake, asking, members, reply);
  // Members without a job must keep nobody from working.
  for (let tries = 0; tries < SLICE && reply.length < enough && count === members.length; tries++) {
    count = enough - reply.length;
    members = takeMembers(store, queue, count, settings);
    lockAll(store, now, queue, settings, wake, asking, members, reply);
  }
}

/** Adds what is noted of the day on which somebody last asked to its statistics, if it is over. */
function settleLast(store: Store, now: number, queue: string, seen: string | Absent): void {
  const asked = seenAt(store, seen);
  if (asked === undefined || dayOf(asked) >= dayOf(now)) return;
  settleDay(store, dayOfQueue(store, asked, queue));
}

const TAKEN = ["klass", "data", "state", "more"];

/**
 * The number of a waiting job's newest entry of history, and when its wait began where its place
 * does not tell.
 */
interface Wait {
  /** The number of the newest entry of history, and the one after it as text. */
  last: number;
  next: string;
  since: string;
}

const FIRST_WAIT: Wait = { last: 1, next: "2", since: "" };

/**
 * What the state of a job says that has been somewhere before; undefined when it cannot be taken.
 */
function waitIn(store: Store, state: string): Wait | undefined {
  const [what, , , last, since] = piecesOf(store, state);
  if (what !== "waiting" && what !== "stalled") return undefined;
  const number = store.text.value(last ?? "1");
  return { last: number, next: store.text.integer(number + 1), since: since ?? "" };
}

/** When the wait of a job began, in milliseconds. */
const beganAt = (store: Store, member: string, since: string) =>
  since === "" ? placeTime(store, member) : store.text.value(since);

/** How the state of a running job ends, from behind its lease. */
const endOfState = (last: string, rest: string) => "\t" + last + "\t" + rest;

/** The locks of the jobs of this call, unless it takes one. See `cut`. */
let locks: Pairs = [];

/** How many jobs are handed out between two looks at whether there is a crowd. */
const CROWD = 32;

/**
 * Locks the jobs of these members, and adds what the worker is to know of each to `reply`. It is
 * long because it is where most of the time of a pop goes: what is the same for all jobs is worked
 * out once. `wake` is when the queue next needs housekeeping.
 */
function lockAll(
  store: Store,
  now: number,
  queue: string,
  settings: PopSettings,
  wake: number,
  { worker, history }: Asking,
  members: string[],
  reply: string[],
): void {
  let soonest = lockUntil(now, settings, settings.cutoffMs);
  const spelled = spell(store, now, soonest, worker, queue);
  const { at, expires, popped, start, plain, first, within } = spelled;
  const count = members.length;
  let lease = store.increase(namespaceKey(), "lease", count) - count;
  const before = lease;
  let locked = 0;
  for (let i = 0; i < count; i++) {
    const member = members[i]!;
    const jid = store.text.skip(member, PLACE_LENGTH);
    const key = jobKey(jid);
    const fields = store.fields(key, TAKEN);
    const state = fields[2]!;
    const wait = state === false ? FIRST_WAIT : waitIn(store, state);
    if (fields[0] === false || wait === undefined) announceDamaged(store, jid, queue);
    else {
      const { last, since, next } = wait;
      lease += 1;
      const under = store.text.integer(lease);
      const isPlain = fields[3] === false;
      const end = isPlain && state === false ? first : endOfState(next, isPlain ? plain : at);
      const held = start + under + end;
      store.set(key, ["state", held, next, popped]);
      if (last >= settings.historyLimit) trimHistory(store, key, last + 1, settings.historyLimit);
      note(store, queue, waitNote(store, now - beganAt(store, member, since)));
      let until = expires;
      let behind = spelled.behind;
      if (!isPlain || history) {
        const described = describe(store, now, jid, settings, history);
        if (described.ends < soonest) soonest = described.ends;
        until = store.text.integer(described.ends);
        behind = behindLease(store, until, described.more);
      }
      if (count === 1) {
        store.rank(spelled.locks, [until, jid]);
        store.rank(spelled.jobs, [until, jid]);
        if (isPlain && spelled.isTold) rememberHeld(held, worker, under, last + 1, now, queue);
      } else {
        locks[locked] = until;
        locks[locked + 1] = jid;
        locked += 2;
      }
      const [klass, data] = [fields[0] as string, fields[1] as string];
      reply.push(poppedText(jid, klass, within, under, behind, data));
    }
  }
  if (locked > 0) rankLocks(store, spelled, locked);
  if (lease % CROWD < lease - before) noteCrowd(store, queue, worker);
  if (soonest < wake && lease > before) wakeAt(store, queue, false, soonest);
}

function rankLocks(store: Store, rankings: Spelled, length: number): void {
  locks = cut(locks, length);
  store.rank(rankings.locks, locks);
  store.rank(rankings.jobs, locks);
}

function noteCrowd(store: Store, queue: string, worker: string): void {
  store.crowd(workKey(queue));
  store.crowd(locksKey(queue));
  store.crowd(workerJobsKey(worker));
}

/** As `takeFrom`, from several queues in their order until there are enough. */
export function takeFromAll(
  store: Store,
  now: number,
  queues: readonly string[],
  asking: Asking,
  reply: string[],
): void {
  const count = queues.length;
  for (let i = 0; i < count; i++) {
    if (reply.length >= asking.most && asking.most > 0) return;
    takeFrom(store, now, queues[i]!, asking, reply);
  }
}
