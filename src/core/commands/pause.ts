import { command } from "../command.ts";
import { pauseQueue } from "../pausing.ts";

/** Stops handing out jobs of these queues, for no reason given and without an end. */
export const pause = command({
  says: "Pause",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [queues]) {
    for (const queue of queues) pauseQueue(store, now, queue, { reason: "", until: undefined });
    return false;
  },
});
