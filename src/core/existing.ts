import type { PutOptions } from "./describing.ts";
import { jobKey } from "./keys.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";

/** Whether the jid of a put exists, and what follows from that. */

/** What a put did. `changed`: the holder of its unique key has new data or another time. */
export type Outcome = "created" | "kept" | "replaced" | "changed";

/** What is stored under the key of a job. `mark`: no job, but its jid is tracked. */
export type Found = "nothing" | "mark" | "job";

export function find(store: Store, jid: string): Found {
  const key = jobKey(jid);
  if (!store.exists(key)) return "nothing";
  return store.field(key, "klass") === false ? "mark" : "job";
}

/** Whether a put leaves an existing job as it is. Refuses a put that must not meet one. */
export function keepsExisting(jid: string, { exists, protect }: PutOptions): boolean {
  if (exists === "keep") return true;
  if (exists === "refuse") {
    refuse("JID_TAKEN", `Job ${jid} exists already: use another jid, or keep or replace the job`);
  }
  if (protect === 1) {
    const rule = `Job ${jid} exists already, and this caller may only create jobs`;
    refuse("NOT_PERMITTED", `${rule}: use another jid or keep the job`);
  }
  return false;
}
