import { command } from "../command.ts";
import { refuseWith } from "../refuse.ts";
import { renew } from "../renewing.ts";

/** Prolongs the lock that a worker has on a job. Answers with the new expiry, in whole seconds. */
export const heartbeat = command({
  says: "Heartbeat",
  takes: [
    ["jid", "jid"],
    ["worker", "name"],
    ["data", "json", "?"],
  ],
  options: [["lease", "lease"]],
  gives: "integer",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [jid, worker, data], { lease }) {
    const renewed = renew(store, now, { jid, worker, data, lease });
    return typeof renewed === "string" ? refuseWith(renewed) : Math.floor(renewed / 1000);
  },
});
