import { type Closing, landingOf, unlockAdvanced, unlockCompleted } from "./closing.ts";
import {
  addDependencies,
  canBeAwaited,
  judgeCycle,
  type Planned,
  releaseDependents,
  type Search,
} from "./dependencies.ts";
import { restage } from "./describing.ts";
import { announceAdvanced, announceTick, announceTracked } from "./events.ts";
import { FAILURE_FIELDS } from "./failures.ts";
import { putEntry, trimHistory } from "./history.ts";
import { numberOr } from "./job.ts";
import { releasingKey } from "./keys.ts";
import { land, viewOf } from "./landing.ts";
import { RELEASE_SLICE } from "./limits.ts";
import {
  AWAITED,
  FIRST_FAILURE,
  GROUP,
  type Held,
  LENT,
  NO_MORE,
  PRIORITY,
  REMAINING,
  RETRIES,
  SCHEDULED,
  TRACKED,
  UNIQUE,
} from "./locks.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";
import { letGoAt } from "./uniques.ts";

/** Where a job goes that does not end here. */
export interface Onward {
  next?: string | undefined;
  delay?: number | undefined;
  depends?: readonly string[] | undefined;
}

/** What is written of a job that is complete. */
interface Done {
  /** The number of its last entry of history, as text, that entry, and its state. */
  field: string;
  entry: string;
  state: string;
}

/** One for all: most jobs that are complete have as many entries as the one before. */
const done: Done = { field: "", entry: "", state: "" };
let lastNumber = 0;
let lastAt = "";

/** What is written of a job whose last entry has this number, until the next is asked for. */
export function doneAs(store: Store, number: number, at: string): Done {
  if (number !== lastNumber || at !== lastAt) {
    lastNumber = number;
    lastAt = at;
    done.field = store.text.integer(number);
    done.entry = at + "\tdone\t";
    done.state = "complete\t\t\t" + done.field + "\t" + at;
  }
  return done;
}

/** Ends a run well: the job is complete, or goes on to the next queue. Returns its new state. */
export function completeJob(
  store: Store,
  closing: Closing,
  held: Held,
  data: string | undefined,
  onward: Onward,
): string {
  const { jid, key, more } = held;
  const { at } = closing;
  const number = held.last + 1;
  if (more !== NO_MORE) clearAttempt(store, held);
  if (onward.next !== undefined) return advance(store, closing, held, data, onward);
  if (more[UNIQUE] !== false) letGoAt(store, jid, more[UNIQUE]!, "complete");
  const { state, field, entry } = doneAs(store, number, at);
  if (data === undefined) store.set(key, ["state", state, field, entry]);
  else store.set(key, ["state", state, field, entry, "data", data]);
  unlockCompleted(store, closing, held);
  if (number > closing.historyLimit) trimHistory(store, key, number, closing.historyLimit);
  if (more[AWAITED] !== false) release(store, closing, jid);
  return "complete";
}

/** Releases the dependents of a job that is complete. Where no worker pops, tick does the rest. */
function release(store: Store, closing: Closing, jid: string): void {
  const released = releaseDependents(store, landingOf(closing), jid);
  if (released < RELEASE_SLICE || store.score(releasingKey(), jid) === false) return;
  announceTick(store, closing.now);
}

function advance(
  store: Store,
  closing: Closing,
  held: Held,
  data: string | undefined,
  { next, delay, depends }: Onward,
): string {
  const { jid, key, queue, more } = held;
  const { now, at } = closing;
  const { text } = store;
  const landing = landingOf(closing);
  const done = text.integer(held.last + 1);
  const last = text.integer(held.last + 2);
  const pairs: Pairs = ["queue", next!, done, at + "\tdone\t", last, at + "\t" + putEntry(next!)];
  if (data !== undefined) add(pairs, "data", data);
  unlockAdvanced(store, closing, held);
  announceAdvanced(store, jid, queue, next!);
  const said = { key, retries: more[RETRIES]!, lent: more[LENT]! };
  restage(store, viewOf(store, landing, next!), said, pairs);
  const on: string[] = [];
  for (const dependency of depends ?? []) if (canBeAwaited(store, dependency)) on.push(dependency);
  addDependencies(store, now, jid, on);
  if (more[SCHEDULED] !== false) store.unset(key, ["scheduled"]);
  const priority = numberOr(store, more[PRIORITY]!, 0);
  const dueMs = delay !== undefined && delay > 0 ? now + delay : 0;
  const waits = on.length > 0;
  const arrival = { jid, queue: next!, priority, dueMs, depends: waits, last, since: at };
  const state = land(store, landing, arrival, pairs);
  store.set(key, pairs);
  trimHistory(store, key, held.last + 2, closing.historyLimit);
  return state;
}

/** A job that got through has all its retries again, and no failure. */
function clearAttempt(store: Store, { jid, key, more }: Held): void {
  if (more[REMAINING] !== false) store.unset(key, ["remaining"]);
  const failed = more[GROUP] !== false || more[FIRST_FAILURE] !== false;
  if (failed) store.unset(key, FAILURE_FIELDS);
  if (more[TRACKED] !== false) announceTracked(store, "completed", jid);
}

/** The refusal when what an advancing job is to wait for leads back to it. */
export function judgeCompletion(
  store: Store,
  jid: string,
  depends: readonly string[] | undefined,
  planned: Planned,
  search: Search,
): string | undefined {
  return depends === undefined ? undefined : judgeCycle(store, jid, depends, planned, search);
}
