import { highestFirst } from "../choosing.ts";
import { command } from "../command.ts";
import { onLegacyEntry } from "../entry.ts";
import {
  configKey,
  dependsKey,
  locksKey,
  queuesKey,
  recurKey,
  scheduledKey,
  workKey,
} from "../keys.ts";
import { type Pause, pauseOf } from "../pausing.ts";
import { timeOfPlace } from "../queue.ts";
import { placeOf } from "../search-rank.ts";
import { inSeconds } from "../seconds.ts";
import type { Store } from "../store.ts";

/** Queues that one call tells about unless it asks for more. */
const PAGE = 1000;

/** Counts the jobs of a queue by state, or of all queues, the first seen first. */
export const queues = command({
  says: "Queues",
  takes: [
    ["queue", "name", "?"],
    ["offset", "whole", "?"],
    ["count", "count", "?"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, now, [queue, offset, count]) {
    if (queue !== undefined) return queueJson(store, now, queue);
    const counted: string[] = [];
    for (const name of store.lowest(queuesKey(), offset ?? 0, count ?? PAGE)) {
      counted.push(queueJson(store, now, name));
    }
    return "[" + counted.join(",") + "]";
  },
});

function queueJson(store: Store, now: number, queue: string): string {
  const stalled = store.sizeBetween(locksKey(queue), -Infinity, now);
  const due = store.sizeBetween(scheduledKey(queue), -Infinity, now);
  const pause = pauseOf(store, now, queue);
  const members = [
    `"name":${store.text.quote(queue)}`,
    `"waiting":${store.size(workKey(queue)) + due}`,
    `"running":${store.size(locksKey(queue)) - stalled}`,
    `"stalled":${stalled}`,
    `"scheduled":${store.size(scheduledKey(queue)) - due}`,
    `"depends":${store.size(dependsKey(queue))}`,
    `"recurring":${store.size(recurKey(queue))}`,
    `"paused":${pause === undefined ? "false" : "true"}`,
  ];
  if (!onLegacyEntry()) {
    addNext(store, now, queue, members);
    if (pause !== undefined) addPause(store, pause, members);
  }
  return `{${members.join(",")}}`;
}

/**
 * Since when the next in line waits, by its place or by when it was due. It need not be the one that
 * waits longest: others of a later turn may.
 */
function addNext(store: Store, now: number, queue: string, members: string[]): void {
  const falling = store.field(configKey(), "priority-order") === "highest-first";
  const key = workKey(queue);
  const next = (falling ? highestFirst(store, key, 1) : store.lowest(key, 0, 1))[0];
  if (next !== undefined) {
    members.push(`"next_since":${inSeconds(timeOfPlace(placeOf(store, next)))}`);
    return;
  }
  const due = store.lowestScored(scheduledKey(queue), 0, 1)[1];
  if (due === undefined || store.text.value(due) > now) return;
  members.push(`"next_since":${inSeconds(store.text.value(due))}`);
}

/** Why and until when it is paused, as far as that is known. */
function addPause(store: Store, { reason, until }: Pause, members: string[]): void {
  if (reason !== false) members.push(`"paused_reason":${store.text.quote(reason)}`);
  if (until !== undefined) members.push(`"paused_until":${inSeconds(until)}`);
}
