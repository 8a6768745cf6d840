import { eraseJob } from "./completed.ts";
import { announceCanceled, announceTracked } from "./events.ts";
import { type Fields, isTracked, stateOf } from "./job.ts";
import { dependentsKey } from "./keys.ts";
import { leaveDependencies, leavePlace } from "./leaving.ts";
import type { Store } from "./store.ts";
import { letGo } from "./uniques.ts";

/** The refusal of a job that cannot be canceled in the state it is in. */
export function judgeState(jid: string, state: string): string | undefined {
  if (state !== "complete") return undefined;
  return `ALREADY_COMPLETE Job ${jid} is complete and can no longer be canceled`;
}

/** The refusal of a job that another waits for, which stays. */
export const hasDependent = (jid: string, dependent: string) =>
  `HAS_DEPENDENTS ${jid} is a dependency of ${dependent} but is not mentioned to be canceled`;

/** Removes a job and all that is known of it. Those that wait for it must go with it. */
export function cancelJob(store: Store, jid: string, fields: Fields): void {
  const worker = stateOf(fields) === "running" ? fields.worker! : "";
  announceCanceled(store, jid, fields.queue!, worker);
  leavePlace(store, jid, fields);
  leaveDependencies(store, jid);
  store.remove([dependentsKey(jid)]);
  if (fields.unique !== undefined) letGo(store, jid, fields.unique);
  eraseJob(store, jid, fields);
  if (isTracked(fields)) announceTracked(store, "canceled", jid);
}
