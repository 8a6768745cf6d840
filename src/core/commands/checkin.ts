import { command } from "../command.ts";
import { announceProgress, announceTracked } from "../events.ts";
import { isTracked, readJob } from "../job.ts";
import { MAX_CHECKIN } from "../limits.ts";
import { appendLine } from "../logging.ts";
import { refuse, refuseWith } from "../refuse.ts";
import { renew } from "../renewing.ts";
import { inSeconds } from "../seconds.ts";

/** Renews the lock of a running job, and writes how far it is into its history. */
export const checkin = command({
  says: "Checkin",
  takes: [
    ["jid", "jid"],
    ["worker", "name"],
    ["message", "text"],
  ],
  options: [
    ["progress", "fraction"],
    ["lease", "lease"],
  ],
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, [jid, worker, message], { progress, lease }) {
    if (store.text.bytes(message) > MAX_CHECKIN) {
      refuse("BAD_ARGUMENT", `Arg "message" is longer than ${MAX_CHECKIN} bytes`);
    }
    const renewed = renew(store, now, { jid, worker, data: undefined, lease });
    if (typeof renewed === "string") return refuseWith(renewed);
    // Only a job that is there has a lock.
    const fields = readJob(store, jid)!;
    const members = progress === undefined ? "" : '"progress":' + store.text.decimal(progress);
    appendLine(store, now, fields, { jid, message, members });
    const queue = fields.queue!;
    announceProgress(store, { jid, queue, worker, message, members });
    if (isTracked(fields)) announceTracked(store, "progress", jid);
    return inSeconds(renewed);
  },
});
