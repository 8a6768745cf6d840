import { command } from "../command.ts";
import { countersJson, timesJson } from "../statistics.ts";

/** Tells how long a queue's jobs waited and ran on a day, and how many failed. */
export const stats = command({
  says: "Stats",
  takes: [
    ["queue", "name"],
    ["date", "time"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, _now, [queue, date]) =>
    "{" +
    countersJson(store, queue, date) +
    ',"wait":' +
    timesJson(store, "wait", queue, date) +
    ',"run":' +
    timesJson(store, "run", queue, date) +
    "}",
});
