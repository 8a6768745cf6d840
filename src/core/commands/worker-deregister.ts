import { forgetAskers } from "../asking.ts";
import { command } from "../command.ts";
import { queuesKey, workersKey } from "../keys.ts";
import { MAX_COUNT } from "../limits.ts";
import { forgetPresence } from "../presence.ts";

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
    forgetPresence(store, workers);
    // A queue that remembers who has just asked would not note that the worker asks again.
    for (const queue of store.lowest(queuesKey(), 0, MAX_COUNT))
      forgetAskers(store, queue, workers);
    return false;
  },
});
