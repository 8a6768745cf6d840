import { command } from "../command.ts";
import { queueKey, queuesKey } from "../keys.ts";

/**
 * Takes queues off the list of known ones. Their jobs stay, and the next put makes them known
 * again.
 */
export const queueForget = command({
  says: "Forget",
  takes: [["queues", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, _now, [queues]) {
    for (const queue of queues) {
      // The next put would not look whether the queue is known.
      if (store.field(queueKey(queue), "known") !== false)
        store.set(queueKey(queue), ["more", "1"]);
      store.unset(queueKey(queue), ["known"]);
    }
    store.unrank(queuesKey(), queues);
    return false;
  },
});
