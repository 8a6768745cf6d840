import { command } from "../command.ts";
import { callIdle } from "../idling.ts";
import { MAX_REASON } from "../limits.ts";
import { pauseQueue } from "../pausing.ts";
import { refuse } from "../refuse.ts";

/** Stops handing out jobs of one queue, and says why and until when. What runs, runs on. */
export const queuePause = command({
  says: "Pause",
  takes: [["queue", "name"]],
  options: [
    ["reason", "text"],
    ["until", "time"],
  ],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [queue], { reason, until }) {
    if (reason !== undefined && store.text.bytes(reason) > MAX_REASON) {
      refuse("BAD_ARGUMENT", `Arg "reason" is longer than ${MAX_REASON} bytes`);
    }
    if (until !== undefined && until <= now) {
      refuse("BAD_ARGUMENT", 'Arg "until" must be in the future: leave it out for no end');
    }
    pauseQueue(store, now, queue, { reason: reason ?? "", until });
    if (until !== undefined) callIdle(store, now, queue);
    return false;
  },
});
