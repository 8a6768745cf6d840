import { command } from "../command.ts";
import { enlist, nextIn } from "../idling.ts";
import { MAX_BATCH } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { inSeconds } from "../seconds.ts";

/**
 * Says that a worker has nothing to do and waits for jobs of these queues; it will be told of the
 * next. Where there is something already, it is not noted.
 */
export const wait = command({
  says: "Wait",
  takes: [
    ["worker", "name"],
    ["seconds", "seconds"],
    ["queues", "names"],
  ],
  options: [],
  gives: "json",
  writes: true,
  frees: true,
  run(store, now, [worker, ms, queues]) {
    if (queues.length > MAX_BATCH)
      refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} queues in one call`);
    let next = Infinity;
    for (const queue of queues) next = Math.min(next, nextIn(store, now, queue));
    const ready = next <= now;
    if (!ready && ms > 0) for (const queue of queues) enlist(store, queue, worker, now + ms);
    const at = ready || next === Infinity ? "null" : inSeconds(next);
    return `{"ready":${ready ? "true" : "false"},"next":${at}}`;
  },
});
