import { command } from "../command.ts";
import { locksKey, scheduledKey, workKey } from "../keys.ts";

/** Counts the jobs of a queue that run, wait or are scheduled. */
export const length = command({
  says: "Length",
  takes: [["queue", "name"]],
  options: [],
  gives: "integer",
  writes: false,
  frees: false,
  run: (store, _now, [queue]) =>
    store.size(locksKey(queue)) + store.size(workKey(queue)) + store.size(scheduledKey(queue)),
});
