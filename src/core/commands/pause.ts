import { command } from "../command.ts";
import { queueKey } from "../keys.ts";

/** Stops handing out jobs of these queues. What runs, runs on. */
export const pause = command({
  says: "Pause",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [queues]) {
    for (const queue of queues) {
      if (store.field(queueKey(queue), "paused") === false) {
        store.set(queueKey(queue), ["paused", now, "more", "1"]);
      }
    }
    return false;
  },
});
