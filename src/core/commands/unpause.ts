import { command } from "../command.ts";
import { callIdle } from "../idling.ts";
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
      callIdle(store, now, queue);
    }
    return false;
  },
});
