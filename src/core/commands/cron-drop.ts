import { command } from "../command.ts";
import { cronKey, cronsKey, cronsNextKey } from "../keys.ts";

/** Ends a schedule. Its children stay. */
export const cronDrop = command({
  says: "Cron",
  takes: [["jid", "jid"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: true,
  run(store, _now, [jid]) {
    const isThere = store.exists(cronKey(jid));
    store.remove([cronKey(jid)]);
    store.unrank(cronsKey(), [jid]);
    store.unrank(cronsNextKey(), [jid]);
    return isThere ? 1 : 0;
  },
});
