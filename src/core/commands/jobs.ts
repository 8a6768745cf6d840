import { highestFirst } from "../choosing.ts";
import { command } from "../command.ts";
import { PLACE_LENGTH } from "../housekeeping.ts";
import {
  completedKey,
  configKey,
  dependsKey,
  locksKey,
  recurKey,
  scheduledKey,
  workKey,
} from "../keys.ts";
import { readCount } from "../numbers.ts";
import { after, until } from "../ranges.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";

/** Lists the jids of a state: `complete`, or of a queue the running, stalled, scheduled, ... */
export const jobs = command({
  says: "Jobs",
  takes: [
    ["state", "text"],
    ["queue", "name", "?"],
    ["offset", "text", "?"],
    ["count", "text", "?"],
  ],
  options: [],
  gives: "texts",
  writes: false,
  frees: false,
  run(store, now, [state, queue, offset, count]) {
    // Completed jobs belong to no queue, so what comes first is the offset.
    if (state === "complete") {
      const [from, most] = page(store, queue, offset);
      return store.highest(completedKey(), from, most);
    }
    if (queue === undefined) return refuse("BAD_ARGUMENT", 'Arg "queue" missing');
    return listed(store, now, { state, queue, offset, count });
  },
});

function page(
  store: Store,
  offset: string | undefined,
  count: string | undefined,
): [number, number] {
  return [readCount(store, "offset", offset, 0), readCount(store, "count", count, 25)];
}

interface Wanted {
  state: string;
  queue: string;
  offset: string | undefined;
  count: string | undefined;
}

function listed(store: Store, now: number, wanted: Wanted): string[] {
  const { state, queue } = wanted;
  const [offset, count] = page(store, wanted.offset, wanted.count);
  if (state === "running") return store.between(locksKey(queue), after(now), offset, count);
  if (state === "stalled") return store.between(locksKey(queue), until(now), offset, count);
  if (state === "depends") return store.lowest(dependsKey(queue), offset, count);
  if (state === "recurring") return store.lowest(recurKey(queue), offset, count);
  if (state === "scheduled") {
    return jidsOf(store, store.between(scheduledKey(queue), after(now), offset, count));
  }
  if (state !== "waiting") {
    const known = "complete, running, stalled, scheduled, depends, recurring or waiting";
    refuse("BAD_ARGUMENT", `Unknown type: must be ${known}`);
  }
  return waiting(store, now, queue, { offset, count });
}

/** Those in the work ranking in the order of pop, then those that are due and not promoted yet. */
function waiting(
  store: Store,
  now: number,
  queue: string,
  { offset, count }: { offset: number; count: number },
): string[] {
  const members = inOrder(store, queue, offset, count);
  if (members.length < count) {
    const beyond = Math.max(0, offset - store.size(workKey(queue)));
    const more = store.between(scheduledKey(queue), until(now), beyond, count - members.length);
    for (const member of more) members.push(member);
  }
  return jidsOf(store, members);
}

function inOrder(store: Store, queue: string, offset: number, count: number): string[] {
  const key = workKey(queue);
  if (store.field(configKey(), "priority-order") !== "highest-first") {
    return store.lowest(key, offset, count);
  }
  const all = highestFirst(store, key, offset + count);
  const members: string[] = [];
  for (let i = offset; i < all.length; i++) members.push(all[i]!);
  return members;
}

function jidsOf(store: Store, members: string[]): string[] {
  const jids: string[] = [];
  for (const member of members) jids.push(store.text.skip(member, PLACE_LENGTH));
  return jids;
}
