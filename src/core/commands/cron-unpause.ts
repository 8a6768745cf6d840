import { command } from "../command.ts";
import { noSuchCron, planTick, readCron } from "../crons.ts";
import { cronKey } from "../keys.ts";
import { refuse } from "../refuse.ts";

/** Lets a schedule tick again, from `next` on, or from where it was. */
export const cronUnpause = command({
  says: "Cron",
  takes: [["jid", "jid"]],
  options: [["next", "time"]],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, _now, [jid], { next }) {
    const fields = readCron(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_SCHEDULE", noSuchCron(jid));
    if (fields.paused === undefined) return 0;
    store.unset(cronKey(jid), ["paused"]);
    planTick(store, jid, next ?? store.text.value(fields.next!), false);
    return 1;
  },
});
