import type { PopSettings } from "./config.ts";
import { announceDamaged } from "./events.ts";
import { describe, lockUntil, poppedText } from "./handing.ts";
import { trimHistory } from "./history.ts";
import { PLACE_LENGTH } from "./housekeeping.ts";
import { piecesOf } from "./job.ts";
import { jobKey } from "./keys.ts";
import { takeLeases } from "./leases.ts";
import { rememberHeld } from "./locks.ts";
import { cut } from "./pairs.ts";
import { placeTime, wakeAt } from "./queue.ts";
import { behindLease, type Spelled, spell } from "./spelling.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import { noteWait } from "./times.ts";

/** For whom jobs are locked. */
interface Asker {
  worker: string;
  /** Whether each job comes with its history. */
  history: boolean;
}

/** What is asked of a job that is to be handed out. */
export const TAKEN = ["klass", "data", "state", "more"];

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
export const CROWD = 32;

/**
 * Locks the jobs of these members, and adds what the worker is to know of each to `reply`. It is
 * long because it is where most of the time of a pop goes: what is the same for all jobs is worked
 * out once, and what most jobs are, put once and never taken before, is written out. `wake` is when
 * the queue next needs housekeeping.
 */
export function lockAll(
  store: Store,
  now: number,
  queue: string,
  settings: PopSettings,
  wake: number,
  { worker, history }: Asker,
  members: string[],
  reply: string[],
): void {
  let soonest = lockUntil(now, settings, settings.cutoffMs);
  const spelled = spell(store, now, soonest, worker, queue);
  const { expires, popped, start, first, within, behind } = spelled;
  const isUsual = !history && settings.historyLimit > 1;
  const count = members.length;
  let lease = takeLeases(store, now, count);
  const before = lease;
  let locked = 0;
  for (let i = 0; i < count; i++) {
    const member = members[i]!;
    const jid = store.text.skip(member, PLACE_LENGTH);
    const key = jobKey(jid);
    const fields = store.fieldsIfSound(key, TAKEN);
    const klass = fields[0]!;
    const under = store.text.integer(lease + 1);
    if (fields[2] === false && fields[3] === false && klass !== false && isUsual) {
      lease += 1;
      const held = start + under + first;
      store.set(key, ["state", held, "2", popped]);
      noteWait(store, queue, now - placeTime(store, member));
      reply.push(poppedText(jid, klass, within, under, behind, fields[1] as string));
      if (count === 1) {
        store.rank(spelled.locks, [expires, jid]);
        store.rank(spelled.jobs, [expires, jid]);
        rememberHeld(held, worker, under, now, queue);
      } else {
        locks[locked] = expires;
        locks[locked + 1] = jid;
        locked += 2;
      }
    } else {
      const ends = lockOther(store, now, settings, spelled, history, member, under, fields, reply);
      if (ends !== undefined) {
        lease += 1;
        if (ends < soonest) soonest = ends;
        locks[locked] = store.text.integer(ends);
        locks[locked + 1] = jid;
        locked += 2;
      }
    }
  }
  if (locked > 0) rankLocks(store, spelled, locked);
  if (lease % CROWD < lease - before) noteCrowd(store, spelled);
  if (soonest < wake && lease > before) wakeAt(store, queue, false, soonest);
}

/**
 * Hands out a job of which there is more to know than of most, under this lease. Tells until when
 * its lock lasts; undefined when there is no such job.
 */
function lockOther(
  store: Store,
  now: number,
  settings: PopSettings,
  spelled: Spelled,
  history: boolean,
  member: string,
  under: string,
  fields: (string | Absent)[],
  reply: string[],
): number | undefined {
  const { queue, at, plain } = spelled;
  const jid = store.text.skip(member, PLACE_LENGTH);
  const [klass, data, state, more] = fields;
  const isSound = klass !== undefined && klass !== false;
  const wait = state === false || !isSound ? FIRST_WAIT : waitIn(store, state!);
  if (!isSound || wait === undefined) {
    announceDamaged(store, jid, queue);
    return undefined;
  }
  const { last, since, next } = wait;
  const key = jobKey(jid);
  const isPlain = more === false;
  const held = spelled.start + under + endOfState(next, isPlain ? plain : at);
  store.set(key, ["state", held, next, spelled.popped]);
  if (last >= settings.historyLimit) trimHistory(store, key, last + 1, settings.historyLimit);
  noteWait(store, queue, now - beganAt(store, member, since));
  let ends = lockUntil(now, settings, settings.cutoffMs);
  let behind = spelled.behind;
  if (!isPlain || history) {
    const described = describe(store, now, jid, settings, history);
    ends = described.ends;
    behind = behindLease(store, store.text.integer(ends), described.more);
  }
  reply.push(poppedText(jid, klass!, spelled.within, under, behind, data as string));
  return ends;
}

function rankLocks(store: Store, rankings: Spelled, length: number): void {
  locks = cut(locks, length);
  store.rank(rankings.locks, locks);
  store.rank(rankings.jobs, locks);
}

export function noteCrowd(store: Store, { work, locks, jobs }: Spelled): void {
  store.crowd(work);
  store.crowd(locks);
  store.crowd(jobs);
}
