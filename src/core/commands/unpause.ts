import { command } from "../command.ts";
import { wakeIfIdle } from "../idling.ts";
import { workKey } from "../keys.ts";
import { liftPause } from "../pausing.ts";

/** Hands out jobs of these queues again. */
export const unpause = command({
  says: "Unpause",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [queues]) {
    for (const queue of queues) {
      liftPause(store, queue);
      wakeIfIdle(store, now, queue, store.size(workKey(queue)));
    }
    return false;
  },
});
