import { command } from "../command.ts";
import { cronJson } from "../crons.ts";

/** Tells everything about a schedule. */
export const cronGet = command({
  says: "Cron",
  takes: [["jid", "jid"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, _now, [jid]) => cronJson(store, jid) ?? false,
});
