import { command } from "../command.ts";
import { cronsJson } from "../crons.ts";
import { cronsNextKey } from "../keys.ts";
import { SLICE } from "../limits.ts";
import { until } from "../ranges.ts";

/** Tells which schedules have a tick to fire, the longest due first. */
export const cronDue = command({
  says: "Cron",
  takes: [["count", "count", "?"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, now, [count]) {
    const most = Math.min(count ?? SLICE, SLICE);
    return cronsJson(store, store.between(cronsNextKey(), until(now), 0, most));
  },
});
