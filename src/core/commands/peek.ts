import { command } from "../command.ts";
import { jobsJson } from "../job-json.ts";
import { nextJids } from "../peeking.ts";

/** Shows the jobs that a pop would hand out next, without touching them. */
export const peek = command({
  says: "Peek",
  takes: [
    ["queue", "name"],
    ["count", "count"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, now, [queue, count]) => jobsJson(store, now, nextJids(store, now, queue, count)),
});
