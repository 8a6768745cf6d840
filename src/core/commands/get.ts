import { command } from "../command.ts";
import { jobJson } from "../job-json.ts";

/** Tells everything about a job. */
export const get = command({
  says: "Get",
  takes: [["jid", "jid"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, now, [jid]) => jobJson(store, now, jid) ?? false,
});
