import { command } from "../command.ts";
import { cronsJson } from "../crons.ts";
import { cronsNextKey } from "../keys.ts";
import { SLICE } from "../limits.ts";
import { until } from "../ranges.ts";
import { inSeconds } from "../seconds.ts";

/**
 * Returns the schedules that have a tick to fire, the longest due first. Also returns the time, since
 * the caller must go by the clock that they are due by, and when the next tick after it is.
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
    const later = { min: now + 1, max: Infinity };
    const next = store.betweenScored(cronsNextKey(), later, 0, 1)[1];
    const at = next === undefined ? "null" : inSeconds(store.text.value(next));
    return '{"now":' + inSeconds(now) + ',"schedules":' + schedules + ',"next":' + at + "}";
  },
});
