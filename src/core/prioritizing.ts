import { noSuchJob, readJob, setRare, stateOf } from "./job.ts";
import { workKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** Changes a job's priority, or returns the refusal. */
export function changePriority(store: Store, jid: string, wanted: number): string | undefined {
  const fields = readJob(store, jid);
  if (fields === undefined) return "NO_SUCH_JOB " + noSuchJob(jid);
  setRare(store, jid, ["priority", store.text.decimal(wanted)]);
  if (stateOf(fields) === "waiting") {
    store.rank(workKey(fields.queue!), [wanted, fields.place! + jid]);
  }
  return undefined;
}
