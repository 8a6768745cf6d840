import { readCount } from "../arguments.ts";
import { command } from "../command.ts";
import { PLACE_LENGTH } from "../housekeeping.ts";
import { completedKey, dependsKey, locksKey, recurKey, scheduledKey, workKey } from "../keys.ts";
import { MAX_TIME_MS } from "../limits.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";

/** Lists the jids of a state: `complete`, or of a queue the running, stalled, scheduled, ... */
export const jobs = command({
  says: "Jobs",
  takes: [
    ["state", "text"],
    ["args", "rest", "?"],
  ],
  options: [],
  gives: "texts",
  writes: false,
  frees: false,
  run(store, now, { state, args: given }) {
    const args = given ?? [];
    if (state === "complete") {
      const [offset, count] = page(store, args[0], args[1]);
      return store.highest(completedKey(), offset, count);
    }
    const queue = args[0];
    if (queue === undefined || queue === "") return refuse("BAD_ARGUMENT", 'Arg "queue" missing');
    return listed(store, now, { state, queue, offset: args[1], count: args[2] });
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
  const later = { min: now + 1, max: MAX_TIME_MS * 2 };
  const by = { min: 0, max: now };
  if (state === "running") return store.between(locksKey(queue), later, offset, count);
  if (state === "stalled") return store.between(locksKey(queue), by, offset, count);
  if (state === "depends") return store.lowest(dependsKey(queue), offset, count);
  if (state === "recurring") return store.lowest(recurKey(queue), offset, count);
  if (state === "scheduled") {
    return jidsOf(store, store.between(scheduledKey(queue), later, offset, count));
  }
  if (state !== "waiting") {
    const known = "complete, running, stalled, scheduled, depends, recurring or waiting";
    refuse("BAD_ARGUMENT", `Unknown type: must be ${known}`);
  }
  return waiting(store, now, queue, offset, count);
}

/** Those in the work ranking, then those that are due and not promoted yet. */
function waiting(
  store: Store,
  now: number,
  queue: string,
  offset: number,
  count: number,
): string[] {
  const members = store.lowest(workKey(queue), offset, count);
  if (members.length < count) {
    const beyond = offset - store.size(workKey(queue));
    const from = Math.max(beyond, 0);
    const due = { min: 0, max: now };
    const more = store.between(scheduledKey(queue), due, from, count - members.length);
    for (const member of more) members.push(member);
  }
  return jidsOf(store, members);
}

function jidsOf(store: Store, members: string[]): string[] {
  const jids: string[] = [];
  for (const member of members) jids.push(store.text.skip(member, PLACE_LENGTH));
  return jids;
}
