import { command } from "../command.ts";
import { enlist, leave, type Prospect, prospectOf } from "../idling.ts";
import { workerJobsKey } from "../keys.ts";
import { MAX_BATCH } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { inSeconds } from "../seconds.ts";

/**
 * Says that a worker has nothing to do and waits for jobs of these queues; it will be told of the
 * next. Where there is something already, it is not noted. With no time it waits no longer, and
 * another is told of what it cannot take.
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
    const prospects: Prospect[] = [];
    for (const queue of queues) {
      const prospect = prospectOf(store, now, queue);
      prospects.push(prospect);
      next = Math.min(next, prospect.next);
      if (ms <= 0) leave(store, now, prospect, worker);
    }
    const ready = next <= now;
    if (!ready && ms > 0) for (const one of prospects) enlist(store, one, worker, now + ms);
    const at = ready || next === Infinity ? "null" : inSeconds(next);
    const holds = store.size(workerJobsKey(worker));
    const told = `"next":${at},"now":${inSeconds(now)},"holds":${holds}`;
    return `{"ready":${ready ? "true" : "false"},${told}}`;
  },
});
