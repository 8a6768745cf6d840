import { command } from "../command.ts";
import { historyLimit } from "../config.ts";
import { addEntry, logEntry, nextEntry, stamped, trimHistory } from "../history.ts";
import { noSuchJob } from "../job.ts";
import { jobKey } from "../keys.ts";
import { refuse } from "../refuse.ts";
import type { Pairs } from "../store.ts";

/** Writes a message into a job's history, with details as a JSON object. */
export const log = command({
  says: "Log",
  takes: [
    ["jid", "name"],
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
    const [klass, last] = store.fields(jobKey(jid), ["klass", "last"]);
    if (klass === false) refuse("NO_SUCH_JOB", noSuchJob(jid));
    const number = nextEntry(store, last!);
    const pairs: Pairs = [];
    addEntry(
      pairs,
      store.text.integer(number),
      stamped(store, now, logEntry(store.text.quote(message), members!)),
    );
    store.set(jobKey(jid), pairs);
    trimHistory(store, jobKey(jid), number, historyLimit(store));
    return false;
  },
});
