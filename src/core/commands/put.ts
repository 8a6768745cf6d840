import { command } from "../command.ts";
import { NOTHING_PLANNED } from "../dependencies.ts";
import { finishLanding, newLanding } from "../landing.ts";
import { judgePut, PUT_OPTIONS, putJob } from "../putting.ts";

/** Brings a job into a queue, a new one or one that is elsewhere. */
export const put = command({
  says: "Put",
  takes: [
    ["worker", "name"],
    ["queue", "name"],
    ["jid", "name"],
    ["klass", "name"],
    ["data", "json"],
    ["delay", "seconds"],
  ],
  options: PUT_OPTIONS,
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, [worker, queue, jid, klass, data, delay], options) {
    const putting = { worker, queue, jid, klass, data, delay, options };
    judgePut(store, putting, NOTHING_PLANNED);
    const landing = newLanding(now);
    putJob(store, landing, putting, NOTHING_PLANNED);
    finishLanding(store, landing);
    return jid;
  },
});
