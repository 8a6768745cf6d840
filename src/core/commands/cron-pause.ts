import { command } from "../command.ts";
import { noSuchCron, readCron } from "../crons.ts";
import { cronKey, cronsNextKey } from "../keys.ts";
import { refuse } from "../refuse.ts";

/** Stops the ticks of a schedule. Its children stay. */
export const cronPause = command({
  says: "Cron",
  takes: [["jid", "jid"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [jid]) {
    const fields = readCron(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_SCHEDULE", noSuchCron(jid));
    if (fields.paused !== undefined) return 0;
    store.set(cronKey(jid), ["paused", store.text.integer(now)]);
    store.unrank(cronsNextKey(), [jid]);
    return 1;
  },
});
