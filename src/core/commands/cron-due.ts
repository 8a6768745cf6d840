import { command } from "../command.ts";
import { cronsJson } from "../crons.ts";
import { cronsNextKey } from "../keys.ts";
import { SLICE } from "../limits.ts";
import { until } from "../ranges.ts";
import { inSeconds } from "../seconds.ts";

/**
 * Tells which schedules have a tick to fire, the longest due first; and the time, for whoever fires
 * them has to go by the clock that they are due by.
 */
export const cronDue = command({
  says: "Cron",
  takes: [["count", "count", "?"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, now, [count]) {
    const most = Math.min(count ?? SLICE, SLICE);
    const schedules = cronsJson(store, store.between(cronsNextKey(), until(now), 0, most));
    return '{"now":' + inSeconds(now) + ',"schedules":' + schedules + "}";
  },
});
