import type { PutOptions } from "./describing.ts";
import { announcePut } from "./events.ts";
import { type Fields, stateIn } from "./job.ts";
import { cronKey, jobKey } from "./keys.ts";
import { finishLanding, newLanding } from "./landing.ts";
import { add } from "./pairs.ts";
import { type Putting, putFresh } from "./putting.ts";
import type { Pairs, Store } from "./store.ts";
import { tagsOf } from "./tags.ts";

/** A tick of a schedule, in milliseconds, and how long its child has to wait. */
export interface Tick {
  jid: string;
  fields: Fields;
  tick: number;
  delay: number;
}

/**
 * Puts the child of a tick and notes it in the schedule's record; returns its jid, empty when none
 * was put: the last child is not over and is to be alone, or the tick's own child is there already.
 */
export function putChild(store: Store, now: number, { jid, fields, tick, delay }: Tick): string {
  const { text } = store;
  if (fields.overlap === "skip" && isOpen(store, fields.child)) {
    store.set(cronKey(jid), ["skipped", text.integer(text.value(fields.skipped!) + 1)]);
    return "";
  }
  const child = jid + "-" + text.integer(Math.floor(tick / 1000));
  const noted: Pairs = ["last", text.integer(tick), "child", child];
  const isThere = store.field(jobKey(child), "klass") !== false;
  if (!isThere) add(noted, "runs", text.integer(text.value(fields.runs!) + 1));
  store.set(cronKey(jid), noted);
  if (isThere) return "";
  const landing = newLanding(now);
  const queue = fields.queue!;
  announcePut(store, child, queue);
  const putting: Putting = ["", queue, child, fields.klass!, fields.data!, delay];
  putFresh(store, landing, putting, optionsOf(store, fields));
  store.set(jobKey(child), ["spawned", jid, "more", "1"]);
  finishLanding(store, landing);
  return child;
}

/** Whether there is such a job and it may still run, or run on. */
function isOpen(store: Store, child: string | undefined): boolean {
  if (child === undefined) return false;
  const [klass, standing] = store.fields(jobKey(child), ["klass", "state"]);
  const state = stateIn(store, standing!);
  return klass !== false && state !== "complete" && state !== "failed";
}

function optionsOf(store: Store, fields: Fields): PutOptions {
  const options: PutOptions = {
    priority: store.text.value(fields.priority!),
    tags: tagsOf(store, fields.tags),
  };
  if (fields.retries !== undefined) options.retries = store.text.value(fields.retries);
  if (fields.source !== undefined) options.source = fields.source;
  if (fields.backoff !== undefined) options.backoff = fields.backoff;
  return options;
}
