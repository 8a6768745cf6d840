import { type Answers, eachOnce, inOrder } from "../batch.ts";
import { cancelJob } from "../canceling.ts";
import { command } from "../command.ts";
import { readJob } from "../job.ts";
import { judgeCancels } from "../judging-cancels.ts";

/**
 * Removes up to 1,000 jobs in any state but complete, each judged on its own: one that others wait
 * for goes if they go as well.
 */
export const cancelMany = command({
  says: "Cancel",
  takes: [["jids", "names"]],
  options: [],
  gives: "answers",
  writes: true,
  frees: true,
  run(store, _now, [jids]) {
    const once = eachOnce(jids);
    const refusals = judgeCancels(store, once);
    const answers: Answers = {};
    for (const jid of once) {
      const refusal = refusals[" " + jid];
      if (refusal === undefined) cancelJob(store, jid, readJob(store, jid)!);
      answers[" " + jid] = refusal ?? "canceled";
    }
    return inOrder(jids, answers);
  },
});
