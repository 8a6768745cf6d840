import { command } from "../command.ts";
import { finishLanding, newLanding } from "../landing.ts";
import { judgePut, PUT_OPTIONS, putJob } from "../putting.ts";

/** Puts a job into a queue, creating it or moving it there from wherever it is. */
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
  run(store, now, args) {
    judgePut(store, args, {});
    const landing = newLanding(now);
    putJob(store, landing, args, {});
    finishLanding(store, landing);
    return args.jid;
  },
});
