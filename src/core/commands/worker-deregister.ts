import { command } from "../command.ts";
import { queueKey, queuesKey, workersKey } from "../keys.ts";
import { MAX_COUNT } from "../limits.ts";
import { includes } from "../tags.ts";

/** Takes workers off the list. They are on it again when they ask for work. */
export const workerDeregister = command({
  says: "Deregister",
  takes: [["workers", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, _now, [workers]) {
    store.unrank(workersKey(), workers);
    // A queue that remembers who asked last would not note that the worker asks again.
    for (const queue of store.lowest(queuesKey(), 0, MAX_COUNT)) {
      const asker = store.field(queueKey(queue), "asker");
      if (asker !== false && includes(workers, asker)) store.unset(queueKey(queue), ["asker"]);
    }
    return false;
  },
});
