import { NO_OPTIONS } from "../arguments.ts";
import { command } from "../command.ts";
import { NOTHING_PLANNED, newSearch } from "../dependencies.ts";
import { PUT_OPTIONS, type PutOptions } from "../describing.ts";
import { announcePut } from "../events.ts";
import { type Found, find, keepsExisting, type Outcome } from "../existing.ts";
import { judgeOptions } from "../judge-options.ts";
import { finishLanding, judgeView, newLanding, viewOf } from "../landing.ts";
import { judgeLayout } from "../layout.ts";
import { changeHolder, meet, newClaims } from "../meeting.ts";
import { judgePut, type Putting, putJob } from "../putting.ts";
import type { Store } from "../store.ts";
import type { Reply } from "../text.ts";

/**
 * Brings a job into a queue, a new one or one that exists. Returns which job there is now: its own,
 * or the one that holds its unique key; and with `exists` also what was done.
 */
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
  judgesLayout: true,
  run(store, now, putting, options) {
    const jid = putting[2];
    if (options !== NO_OPTIONS) return putWith(store, now, putting, options);
    putNow(store, now, find(store, jid), putting, options);
    return jid;
  },
});

function putWith(store: Store, now: number, putting: Putting, options: PutOptions): Reply {
  judgeOptions(store, putting[5], options);
  if (options.unique !== undefined) return putUnique(store, now, putting, options);
  const jid = putting[2];
  const found = find(store, jid);
  if (found === "job" && options.exists !== undefined) judgeLayout(store);
  if (found === "job" && keepsExisting(jid, options)) return answered(options, jid, "kept");
  judgePut(store, jid, options.depends, NOTHING_PLANNED, newSearch());
  return answered(options, jid, putNow(store, now, found, putting, options));
}

const answered = ({ exists }: PutOptions, jid: string, outcome: Outcome): Reply =>
  exists === undefined ? jid : [jid, outcome];

function putNow(
  store: Store,
  now: number,
  found: Found,
  putting: Putting,
  options: PutOptions,
): Outcome {
  const landing = newLanding(now);
  judgeView(store, viewOf(store, landing, putting[1]));
  announcePut(store, putting[2], putting[1]);
  const outcome = putJob(store, landing, found, putting, options, NOTHING_PLANNED);
  finishLanding(store, landing);
  return outcome;
}

/** Puts a job with a unique key, or does to the job that holds it what the call says. */
function putUnique(store: Store, now: number, putting: Putting, options: PutOptions): Reply {
  const [worker, queue, own, klass, data, delay] = putting;
  const { jid, act, found } = meet(store, now, own, options, newClaims());
  if (act === "keep") return answered(options, jid, "kept");
  const target: Putting = [worker, queue, jid, klass, data, delay];
  if (act === "put") {
    judgePut(store, jid, options.depends, NOTHING_PLANNED, newSearch());
    return answered(options, jid, putNow(store, now, found ?? find(store, jid), target, options));
  }
  const landing = newLanding(now);
  const outcome = changeHolder(store, landing, jid, target, options);
  finishLanding(store, landing);
  return answered(options, jid, outcome);
}
