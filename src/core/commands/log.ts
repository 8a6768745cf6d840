import { command } from "../command.ts";
import { historyLimit } from "../config.ts";
import { logEntry, nextEntry, stamped, trimHistory } from "../history.ts";
import { noSuchJob, readJob, standingOf } from "../job.ts";
import { jobKey } from "../keys.ts";
import { refuse } from "../refuse.ts";

/** Writes a message into a job's history, with details as a JSON object. */
export const log = command({
  says: "Log",
  takes: [
    ["jid", "jid"],
    ["message", "text"],
    ["data", "text", "?"],
  ],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [jid, message, data]) {
    const members = data === undefined ? "" : store.text.members(data);
    if (members === undefined) refuse("BAD_ARGUMENT", 'Arg "data" not a JSON object');
    const fields = readJob(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_JOB", noSuchJob(jid));
    const number = nextEntry(store, fields.last);
    const last = store.text.integer(number);
    fields.last = last;
    const entry = stamped(store, now, logEntry(store.text.quote(message), members!));
    store.set(jobKey(jid), [last, entry, "state", standingOf(fields)]);
    trimHistory(store, jobKey(jid), number, historyLimit(store));
    return false;
  },
});
