import { NO_OPTIONS } from "../arguments.ts";
import { type Answers, eachOnce, inOrder } from "../batch.ts";
import { command } from "../command.ts";
import { NOTHING_PLANNED } from "../dependencies.ts";
import { announceAll, putMessages } from "../events.ts";
import { noSuchJob, readJob } from "../job.ts";
import { jobKey } from "../keys.ts";
import { finishLanding, newBatchLanding } from "../landing.ts";
import { bringAgain } from "../putting.ts";

/**
 * Puts up to 1,000 existing jobs into a queue as they are, each judged on its own; without a
 * queue, each into the one that it is in.
 */
export const move = command({
  says: "Move",
  takes: [
    ["queue", "name", "?"],
    ["jids", "names"],
  ],
  options: [],
  gives: "answers",
  writes: true,
  frees: false,
  run(store, now, [queue, jids]) {
    const answers: Answers = {};
    const moved: string[] = [];
    const into: { queue: string }[] = [];
    for (const jid of eachOnce(jids)) {
      const [klass, own] = store.fields(jobKey(jid), ["klass", "queue"]);
      if (klass === false || own === false) answers[" " + jid] = "NO_SUCH_JOB " + noSuchJob(jid);
      else {
        moved.push(jid);
        into.push({ queue: queue ?? own! });
      }
    }
    announceAll(store, putMessages(store, moved, into));
    const landing = newBatchLanding(now);
    for (let i = 0; i < moved.length; i++) {
      const jid = moved[i]!;
      const old = readJob(store, jid)!;
      const again = {
        jid,
        old,
        queue: into[i]!.queue,
        worker: "",
        delay: 0,
        // A put says its context anew or has none; a move says nothing about it.
        options: old.context === undefined ? NO_OPTIONS : { context: old.context },
        planned: NOTHING_PLANNED,
      };
      answers[" " + jid] = bringAgain(store, landing, again, []);
    }
    finishLanding(store, landing);
    return inOrder(jids, answers);
  },
});
