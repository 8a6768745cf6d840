import { command } from "../command.ts";
import { cronsJson } from "../crons.ts";
import { cronsKey } from "../keys.ts";

/** Schedules that one call tells about unless it asks for more. */
const PAGE = 25;

/** Tells about all schedules, the paused ones included, the first put first. */
export const cronList = command({
  says: "Cron",
  takes: [
    ["offset", "whole", "?"],
    ["count", "count", "?"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, _now, [offset, count]) =>
    cronsJson(store, store.lowest(cronsKey(), offset ?? 0, count ?? PAGE)),
});
