import { command } from "../command.ts";
import { eraseJob } from "../completed.ts";
import { dependentsOf } from "../dependencies.ts";
import { announceCanceled, announceTracked } from "../events.ts";
import { type Fields, isTracked, readJob, stateOf } from "../job.ts";
import { dependentsKey } from "../keys.ts";
import { leaveDependencies, leavePlace } from "../leaving.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { unique } from "../tags.ts";
import { letGo } from "../uniques.ts";

/**
 * Removes jobs in any state but complete, together with all that wait for them. Tells which there
 * were.
 */
export const cancel = command({
  says: "Cancel",
  takes: [["jids", "names", "?"]],
  options: [],
  gives: "texts",
  writes: true,
  frees: true,
  run(store, _now, [jids]) {
    const once = unique(jids ?? []);
    const mentioned: { [blankAndJid: string]: boolean } = {};
    for (const jid of once) mentioned[" " + jid] = true;
    const canceled: string[] = [];
    for (const jid of once) {
      const fields = readJob(store, jid);
      if (fields !== undefined) {
        judge(store, jid, fields, mentioned);
        canceled.push(jid);
      }
    }
    for (const jid of canceled) cancelJob(store, jid, readJob(store, jid)!);
    return canceled;
  },
});

function judge(
  store: Store,
  jid: string,
  fields: Fields,
  mentioned: { [blankAndJid: string]: boolean },
): void {
  if (stateOf(fields) === "complete") {
    refuse("ALREADY_COMPLETE", `Job ${jid} is complete and can no longer be canceled`);
  }
  for (const dependent of dependentsOf(store, jid)) {
    if (mentioned[" " + dependent] === undefined) {
      const missing = "is not mentioned to be canceled";
      refuse("HAS_DEPENDENTS", `${jid} is a dependency of ${dependent} but ${missing}`);
    }
  }
}

function cancelJob(store: Store, jid: string, fields: Fields): void {
  const worker = stateOf(fields) === "running" ? fields.worker! : "";
  announceCanceled(store, jid, fields.queue!, worker);
  leavePlace(store, jid, fields);
  leaveDependencies(store, jid);
  store.remove([dependentsKey(jid)]);
  if (fields.unique !== undefined) letGo(store, jid, fields.unique);
  eraseJob(store, jid, fields);
  if (isTracked(fields)) announceTracked(store, "canceled", jid);
}
