import { cancelJob, hasDependent, judgeState } from "../canceling.ts";
import { command } from "../command.ts";
import { dependentsOf } from "../dependencies.ts";
import { type Fields, readJob, stateOf } from "../job.ts";
import { refuseIf, refuseWith } from "../refuse.ts";
import type { Store } from "../store.ts";
import { unique } from "../tags.ts";

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
  refuseIf(judgeState(jid, stateOf(fields)));
  for (const dependent of dependentsOf(store, jid)) {
    if (mentioned[" " + dependent] === undefined) refuseWith(hasDependent(jid, dependent));
  }
}
