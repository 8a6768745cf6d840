import { checkData } from "../arguments.ts";
import { command } from "../command.ts";
import { MAX_BATCH } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { renew } from "../renewing.ts";
import { inSeconds } from "../seconds.ts";
import type { Reply } from "../text.ts";

/** Where the beats begin among the words. */
const FIRST = 2;

/** Renews several locks of a worker, each judged on its own. */
export const heartbeatMany = command({
  says: "Heartbeat",
  takes: [
    ["worker", "name"],
    ["beats", "rest"],
  ],
  options: [],
  gives: "answers",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [worker, words]) {
    const length = words.length;
    if ((length - FIRST) % 3 !== 0) {
      refuse("BAD_ARGUMENT", "Each beat needs a jid, a lease and data");
    }
    if (length - FIRST > 3 * MAX_BATCH)
      refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
    for (let i = FIRST; i < length; i += 3) checkData(store, "data", words[i + 2]!);
    const answers: Reply[] = [];
    for (let i = FIRST; i < length; i += 3) {
      const lease = words[i + 1]!;
      const data = words[i + 2] === "" ? undefined : words[i + 2];
      const renewed = renew(store, now, { jid: words[i]!, worker, data, lease });
      answers.push(typeof renewed === "string" ? renewed : inSeconds(renewed));
    }
    return answers;
  },
});
