import { judgeQueue } from "../asking.ts";
import { command } from "../command.ts";
import { isLate } from "../lateness.ts";
import { refuseIf } from "../refuse.ts";
import { takeFrom, takeFromAll } from "../taking.ts";
import { MOST_OF_WAITS, startNotes, writeNotes } from "../times.ts";

/**
 * Hands the worker up to `count` jobs, each under a lock: of the queue, then of those `also`
 * named.
 */
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
  judgesLayout: true,
  run(store, now, [queue, worker, count], { also, history }) {
    if (isLate(now)) return [];
    startNotes(now, MOST_OF_WAITS);
    const asking = {
      worker,
      most: count,
      history: history === 1,
      closing: undefined,
      hasReleased: false,
    };
    const taken: string[] = [];
    takeFrom(store, now, queue, asking, taken);
    if (also !== undefined && also.length > 0) takeFromAll(store, now, also, asking, taken);
    // A foreign queue is left alone, so nothing has been written when it was the only one.
    else if (taken.length === 0) refuseIf(judgeQueue(store, queue));
    writeNotes(store);
    return taken;
  },
});
