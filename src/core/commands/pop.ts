import { judgeQueue } from "../asking.ts";
import { command } from "../command.ts";
import { refuseIf } from "../refuse.ts";
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
    const taken = takeFromAll(store, now, queues, { worker, count, history: history === 1 });
    // A foreign queue is left alone, so nothing has been written when it was the only one.
    if (taken.length === 0 && queues.length === 1) refuseIf(judgeQueue(store, queue));
    return taken;
  },
});
