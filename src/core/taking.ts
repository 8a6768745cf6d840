import { type PopSettings, popSettings } from "./config.ts";
import { announceDamaged, announceTracked } from "./events.ts";
import { historyJson, nextEntry, poppedEntry, stamped, trimHistory } from "./history.ts";
import { housekeep, PLACE_LENGTH } from "./housekeeping.ts";
import { numberOr, readRecord } from "./job.ts";
import { jobKey, locksKey, namespaceKey, queueKey, workerJobsKey, workKey } from "./keys.ts";
import { SEEN_MS, SLICE } from "./limits.ts";
import { seeWorker } from "./locks.ts";
import { add } from "./pairs.ts";
import { placeTime, wakeAt } from "./queue.ts";
import { inSeconds } from "./seconds.ts";
import { recordTimes } from "./statistics.ts";
import type { Absent, Pairs, Store } from "./store.ts";
import type { Reply } from "./text.ts";

export interface Asking {
  worker: string;
  count: number;
  /** Whether each job comes with its history. */
  history: boolean;
}

const ASKED = ["paused", "due", "own", "asked", "asker", "known"];

/** Hands the worker jobs of one queue, each under a lock, as lists of values. */
export function takeFrom(store: Store, now: number, queue: string, asking: Asking): Reply[] {
  const { worker } = asking;
  const [paused, due, own, asked, asker, known] = store.fields(queueKey(queue), ASKED);
  if (known === false && isForeign(store, queue)) return [];
  const sawIt = known !== false && asker === worker && asked !== false;
  if (!sawIt || now - store.text.value(asked!) >= SEEN_MS) {
    seeWorker(store, now, worker);
    store.set(queueKey(queue), ["asked", store.text.integer(now), "asker", worker]);
  }
  if (paused !== false || asking.count === 0) return [];
  const settings = popSettings(store, queue, own!);
  let wake = due!;
  if (due !== false && store.text.value(due!) <= now) {
    housekeep(store, now, { queue, settings, wanted: asking.count });
    wake = store.field(queueKey(queue), "due");
  }
  const room = roomFor(store, queue, asking.count, settings);
  const members = takeMembers(store, queue, room, settings);
  if (members.length === 0) return [];
  const locking = { queue, members, settings, wake, asking };
  const taken = lockAll(store, now, locking);
  if (taken.length < members.length) takeMore(store, now, { locking, room, taken });
  return taken;
}

/** Makes up for members without a job, so that they keep nobody from working. */
function takeMore(
  store: Store,
  now: number,
  { locking, room, taken }: { locking: Locking; room: number; taken: Reply[] },
): void {
  for (let tries = 0; tries < SLICE && taken.length < room; tries++) {
    const { queue, settings } = locking;
    locking.members = takeMembers(store, queue, room - taken.length, settings);
    if (locking.members.length === 0) return;
    for (const job of lockAll(store, now, locking)) taken.push(job);
  }
}

/**
 * Whether a queue has jobs that no put of ours has placed: data of the original qless-core. Its jids
 * would be read as places, found to be nobody's, and thrown out.
 */
function isForeign(store: Store, queue: string): boolean {
  for (const mark of store.fields(queueKey(queue), ["place", "promoted", "spawned"])) {
    if (mark !== false) return false;
  }
  return store.exists(workKey(queue));
}

/** The refusal of a queue that holds somebody else's data; to be asked before anything is written. */
export function judgeQueue(store: Store, queue: string): string | undefined {
  if (store.field(queueKey(queue), "known") !== false || !isForeign(store, queue)) return undefined;
  const advice = "let it run empty there, or use another namespace or database";
  return `FOREIGN_LAYOUT Queue ${queue} was filled by another version of qless: ${advice}`;
}

/** How many more jobs may run: a lock counts until it is taken away, expired or not. */
function roomFor(store: Store, queue: string, count: number, settings: PopSettings): number {
  if (settings.maxConcurrency <= 0) return count;
  const room = settings.maxConcurrency - store.size(locksKey(queue));
  if (room <= 0) return 0;
  return Math.min(room, count);
}

/** Takes the next members out of the work ranking: stalled ones first, then by priority and place. */
function takeMembers(store: Store, queue: string, count: number, settings: PopSettings): string[] {
  const key = workKey(queue);
  if (count === 0) return [];
  if (!settings.highestFirst) return store.takeLowest(key, count);
  const members = highestFirst(store, key, count);
  store.unrank(key, members);
  return members;
}

/** Highest priority first, and within it still the order of put. */
export function highestFirst(store: Store, key: string, count: number): string[] {
  const members = store.between(key, { min: -Infinity, max: -Infinity }, 0, count);
  let above = Infinity;
  while (members.length < count) {
    const top = store.highestBelow(key, above);
    if (top === false || top === -Infinity) return members;
    for (const member of store.between(key, { min: top, max: top }, 0, count - members.length)) {
      members.push(member);
    }
    above = top;
  }
  return members;
}

interface Locking {
  queue: string;
  members: string[];
  settings: PopSettings;
  /** When the queue next needs housekeeping, as its record says. */
  wake: string | Absent;
  asking: Asking;
}

const TAKEN = ["klass", "data", "time", "last", "more", "state"];
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
/** What nearly all jobs have of these. */
const NO_MORE: (string | Absent)[] = [false, false, false, false, false, false, false, false];

function lockAll(store: Store, now: number, locking: Locking): Reply[] {
  const { queue, members, settings, asking } = locking;
  const { text } = store;
  const popped = stamped(store, now, poppedEntry(asking.worker));
  const lease = store.increase(namespaceKey(), "lease", members.length) - members.length + 1;
  const locks: Pairs = [];
  const waits: number[] = [];
  let soonest = Infinity;
  const taken: Reply[] = [];
  for (let i = 0; i < members.length; i++) {
    const member = members[i]!;
    const jid = text.skip(member, PLACE_LENGTH);
    const fields = store.fields(jobKey(jid), TAKEN);
    if (fields[0] === false || !canBeTaken(fields[5]!)) announceDamaged(store, jid, queue);
    else {
      const more = fields[4] === false ? NO_MORE : store.fields(jobKey(jid), TAKEN_MORE);
      const ends = lockUntil(store, now, settings, more[6]!);
      const expires = text.integer(ends);
      const held = { jid, queue, lease: text.integer(lease + i), expires };
      writeLock(store, now, held, { worker: asking.worker, popped, last: fields[3]!, settings });
      add(locks, expires, jid);
      if (ends < soonest) soonest = ends;
      waits.push(now - (fields[2] === false ? placeTime(store, member) : text.value(fields[2]!)));
      if (more[7] !== false) announceTracked(store, "popped", jid);
      taken.push(takenJob(store, fields, more, { held, ends, history: asking.history }));
    }
  }
  if (taken.length === 0) return taken;
  store.rank(locksKey(queue), locks);
  store.rank(workerJobsKey(asking.worker), locks);
  recordTimes(store, "wait", { queue, now, times: waits });
  wakeAt(store, queue, locking.wake, soonest);
  return taken;
}

/** A stray member of the ranking must not hand out a job that somebody holds. */
const canBeTaken = (state: string | Absent) =>
  state === false || state === "waiting" || state === "stalled";

/** Until when the lock lasts of a job that begins to run now: never beyond its cutoff. */
function lockUntil(store: Store, now: number, settings: PopSettings, cutoff: string | Absent) {
  const cutoffMs = numberOr(store, cutoff, settings.cutoffMs);
  const heartbeatMs = settings.heartbeatMs;
  return now + (cutoffMs > 0 && cutoffMs < heartbeatMs ? cutoffMs : heartbeatMs);
}

/** A lock as it is written, numbers as text. */
interface Lock {
  jid: string;
  queue: string;
  lease: string;
  expires: string;
}

interface Run {
  worker: string;
  /** The entry of history. */
  popped: string;
  last: string | Absent;
  settings: PopSettings;
}

function writeLock(store: Store, now: number, lock: Lock, run: Run): void {
  const { text } = store;
  const number = nextEntry(store, run.last);
  const field = text.integer(number);
  const key = jobKey(lock.jid);
  store.set(key, [
    "state",
    "running",
    "worker",
    run.worker,
    "expires",
    lock.expires,
    "lease",
    lock.lease,
    "time",
    text.integer(now),
    "last",
    field,
    field,
    run.popped,
  ]);
  trimHistory(store, key, number, run.settings.historyLimit);
}

/** What a popped job is made of, in the order of the reply. */
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

function takenJob(
  store: Store,
  fields: (string | Absent)[],
  more: (string | Absent)[],
  { held, ends, history }: { held: Lock; ends: number; history: boolean },
): Reply[] {
  const retries = more[1] === false ? "5" : more[1]!;
  const job: Reply[] = [
    held.jid,
    fields[0]!,
    held.queue,
    fields[1]!,
    held.lease,
    inSeconds(ends),
    more[0] === false ? "0" : more[0]!,
    retries,
    more[2] === false ? retries : more[2]!,
    more[3] === false ? "[]" : more[3]!,
    more[4] === false ? "" : more[4]!,
    more[5] === false ? "" : more[5]!,
    more[6] === false ? "" : inSeconds(store.text.value(more[6]!)),
    more[7] === false ? "0" : "1",
  ];
  if (history) job.push(historyJson(store, readRecord(store, jobKey(held.jid))));
  return job;
}

/** As `takeFrom`, from several queues in their order until there are enough. */
export function takeFromAll(store: Store, now: number, queues: string[], asking: Asking): Reply[] {
  if (queues.length === 1) return takeFrom(store, now, queues[0]!, asking);
  const { worker, history } = asking;
  const taken: Reply[] = [];
  for (const queue of queues) {
    const count = asking.count - taken.length;
    if (count <= 0 && asking.count > 0) return taken;
    for (const job of takeFrom(store, now, queue, { worker, count, history })) taken.push(job);
  }
  return taken;
}
