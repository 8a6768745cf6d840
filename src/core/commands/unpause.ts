import { command } from "../command.ts";
import { queueKey } from "../keys.ts";

/** Hands out jobs of these queues again. */
export const unpause = command({
  says: "Unpause",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, _now, [queues]) {
    for (const queue of queues) store.unset(queueKey(queue), ["paused"]);
    return false;
  },
});
