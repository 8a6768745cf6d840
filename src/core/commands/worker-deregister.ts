import { command } from "../command.ts";
import { workersKey } from "../keys.ts";

/** Takes workers off the list. They are on it again when they ask for work. */
export const workerDeregister = command({
  says: "Deregister",
  takes: [["workers", "names"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, _now, { workers }) {
    store.unrank(workersKey(), workers);
    return false;
  },
});
