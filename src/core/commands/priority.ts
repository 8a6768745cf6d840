import { command } from "../command.ts";
import { noSuchJob, readJob, stateOf } from "../job.ts";
import { jobKey, workKey } from "../keys.ts";
import { refuse } from "../refuse.ts";

/** Changes a job's priority. It keeps its place among the jobs of that priority. */
export const priority = command({
  says: "Priority",
  takes: [
    ["jid", "jid"],
    ["priority", "priority"],
  ],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, _now, [jid, wanted]) {
    const fields = readJob(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_JOB", noSuchJob(jid));
    store.set(jobKey(jid), ["priority", store.text.decimal(wanted), "more", "1"]);
    if (stateOf(fields) === "waiting") {
      store.rank(workKey(fields.queue!), [wanted, fields.place! + jid]);
    }
    // Towards zero, as Redis cuts a number it is given for an integer.
    return wanted < 0 ? 0 - Math.floor(-wanted) : Math.floor(wanted);
  },
});
