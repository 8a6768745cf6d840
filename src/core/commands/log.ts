import { command } from "../command.ts";
import { noSuchJob, readJob } from "../job.ts";
import { appendLine } from "../logging.ts";
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
    appendLine(store, now, fields, { jid, message, members: members! });
    return false;
  },
});
