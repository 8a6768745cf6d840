import { command } from "../command.ts";
import { jobsJson } from "../job-json.ts";

/** Tells everything about those of the jobs that exist, in the order asked. */
export const multiget = command({
  says: "Multiget",
  takes: [["jids", "names", "?"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, now, [jids]) => jobsJson(store, now, jids ?? []),
});
