import { command } from "../command.ts";
import { takeFromAll } from "../taking.ts";

/** Hands the worker up to `count` jobs, each under a lock: of the queue, then of those `also` named. */
export const pop = command({
  says: "Pop",
  takes: [
    ["queue", "name"],
    ["worker", "name"],
    ["count", "count"],
  ],
  options: [
    ["also", "list"],
    ["history", "flag"],
  ],
  gives: "jobs",
  writes: true,
  frees: false,
  run(store, now, [queue, worker, count], { also, history }) {
    const queues = [queue];
    for (const name of also ?? []) queues.push(name);
    return takeFromAll(store, now, queues, { worker, count, history: history === 1 });
  },
});
