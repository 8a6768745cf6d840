import { askedAt } from "../asking.ts";
import { command } from "../command.ts";
import { popSettings } from "../config.ts";
import { dependenciesOf } from "../dependencies.ts";
import { type Fields, noSuchJob, numberIn, numberOr, readJob } from "../job.ts";
import { shownState } from "../job-json.ts";
import { locksKey, queueKey, workKey } from "../keys.ts";
import { type Pause, pauseOf } from "../pausing.ts";
import { refuse } from "../refuse.ts";
import { inSeconds } from "../seconds.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/** Jids that one reason names at most. */
const NAMED = 100;

/** Tells why a job is not running: the reasons in the order in which they would have to go away. */
export const explain = command({
  says: "Explain",
  takes: [["jid", "jid"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, now, [jid]) {
    const fields = readJob(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_JOB", noSuchJob(jid));
    const state = shownState(store, now, fields);
    const reasons: string[] = [];
    if (state === "complete") reasons.push(reason("complete", ""));
    else if (state === "failed") reasons.push(failedReason(store, fields));
    else explainLive(store, now, { jid, fields, state }, reasons);
    return (
      '{"jid":' +
      store.text.quote(jid) +
      ',"state":' +
      store.text.quote(state) +
      ',"queue":' +
      store.text.quote(fields.queue!) +
      ',"reasons":[' +
      reasons.join(",") +
      "]}"
    );
  },
});

const reason = (name: string, facts: string) => '{"reason":"' + name + '"' + facts + "}";

function failedReason(store: Store, fields: Fields): string {
  const { text } = store;
  const group = ',"group":' + text.quote(fields.group!);
  return reason("failed", group + ',"message":' + text.quote(fields.message!));
}

function pausedReason(store: Store, { since, reason: why, until }: Pause): string {
  let facts = ',"since":' + inSeconds(since);
  if (until !== undefined) facts += ',"until":' + inSeconds(until);
  if (why !== false) facts += ',"why":' + store.text.quote(why);
  return reason("paused", facts);
}

interface Explained {
  jid: string;
  fields: Fields;
  state: string;
}

function explainLive(
  store: Store,
  now: number,
  { jid, fields, state }: Explained,
  reasons: string[],
): void {
  const { text } = store;
  const seconds = (ms: string | undefined) => inSeconds(numberIn(store, ms, 0));
  if (fields.state === "running") {
    const holder =
      ',"worker":' + text.quote(fields.worker!) + ',"until":' + seconds(fields.expires);
    reasons.push(reason(state === "stalled" ? "lock-expired" : "locked", holder));
    if (state !== "stalled") return;
  }
  if (state === "depends") {
    const on = dependenciesOf(store, jid);
    const named: string[] = [];
    for (let i = 0; i < on.length && i < NAMED; i++) named.push(on[i]!);
    reasons.push(reason("depends", `,"count":${on.length},"on":` + tagsJson(store, named)));
  }
  const delayed = state === "scheduled" || state === "depends";
  if (delayed && numberIn(store, fields.scheduled, 0) > now) {
    reasons.push(reason("scheduled", ',"until":' + seconds(fields.scheduled)));
  }
  explainQueue(store, now, { jid, fields, state }, reasons);
}

function explainQueue(
  store: Store,
  now: number,
  { jid, fields, state }: Explained,
  reasons: string[],
): void {
  const queue = fields.queue!;
  const pause = pauseOf(store, now, queue);
  if (pause !== undefined) reasons.push(pausedReason(store, pause));
  const settings = popSettings(store, queue, store.field(queueKey(queue), "own"));
  const limit = settings.maxConcurrency;
  if (limit > 0 && store.size(locksKey(queue)) >= limit) {
    const running = store.lowest(locksKey(queue), 0, NAMED);
    reasons.push(reason("concurrency", `,"limit":${limit},"running":` + tagsJson(store, running)));
  }
  const member = (fields.place ?? "") + jid;
  const before = state === "waiting" ? countBefore(store, queue, member, settings.highestFirst) : 0;
  if (before > 0) reasons.push(reason("behind", `,"count":${before}`));
  // Who waits to be woken need not ask.
  const isAwaited = numberOr(store, store.field(queueKey(queue), "idle"), 0) > now;
  const asked = isAwaited ? now : askedAt(store, queue);
  if (asked === undefined || now - asked >= IDLE_MS) {
    const since = asked === undefined ? "null" : inSeconds(asked);
    reasons.push(reason("not-asked", ',"since":' + since));
  }
}

/** How many jobs would be popped before the one with this member of the work ranking. */
function countBefore(store: Store, queue: string, member: string, falling: boolean): number {
  const key = workKey(queue);
  const position = store.position(key, member);
  if (position === false) return 0;
  if (!falling) return position;
  const priority = store.score(key, member) as number;
  const upTo = store.sizeBetween(key, -Infinity, priority);
  const lower = upTo - store.sizeBetween(key, priority, priority);
  const stalled = store.sizeBetween(key, -Infinity, -Infinity);
  return store.size(key) - upTo + stalled + (position - lower);
}

/** A queue that no worker has asked for work in this time is probably not worked on. */
const IDLE_MS = 60000;
