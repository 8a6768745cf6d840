import { command } from "../command.ts";
import { queueKey, queuesKey } from "../keys.ts";

/** Takes queues off the list of known ones. Their jobs stay, and the next put makes them known again. */
export const queueForget = command({
  says: "Forget",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, _now, [queues]) {
    for (const queue of queues) store.unset(queueKey(queue), ["known"]);
    store.unrank(queuesKey(), queues);
    return false;
  },
});
