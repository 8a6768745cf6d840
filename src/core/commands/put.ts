import { NO_OPTIONS } from "../arguments.ts";
import { command } from "../command.ts";
import { NOTHING_PLANNED, newSearch } from "../dependencies.ts";
import { PUT_OPTIONS } from "../describing.ts";
import { announcePut } from "../events.ts";
import { finishLanding, newLanding } from "../landing.ts";
import { judgePut, putJob } from "../putting.ts";

/** Brings a job into a queue, a new one or one that is elsewhere. */
export const put = command({
  says: "Put",
  takes: [
    ["worker", "name"],
    ["queue", "name"],
    ["jid", "jid"],
    ["klass", "name"],
    ["data", "json"],
    ["delay", "seconds"],
  ],
  options: PUT_OPTIONS,
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, putting, options) {
    const jid = putting[2];
    if (options !== NO_OPTIONS) judgePut(store, jid, options, NOTHING_PLANNED, newSearch());
    const landing = newLanding(now);
    announcePut(store, jid, putting[1]);
    putJob(store, landing, putting, options, NOTHING_PLANNED);
    finishLanding(store, landing);
    return jid;
  },
});
