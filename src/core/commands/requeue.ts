import { command } from "../command.ts";
import { JOB_OPTIONS } from "../describing.ts";
import { noSuchJob } from "../job.ts";
import { jobKey } from "../keys.ts";
import { refuse } from "../refuse.ts";
import { put } from "./put.ts";

/** As put, for a job that exists. */
export const requeue = command({
  says: "Requeue",
  takes: put.takes,
  options: JOB_OPTIONS,
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, args, options) {
    const jid = args[2];
    if (store.field(jobKey(jid), "klass") === false) refuse("NO_SUCH_JOB", noSuchJob(jid));
    return put.run(store, now, args, options);
  },
});
