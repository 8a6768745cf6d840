import { NO_OPTIONS } from "../arguments.ts";
import { command } from "../command.ts";
import { NOTHING_PLANNED, newSearch } from "../dependencies.ts";
import { PUT_OPTIONS, type PutOptions } from "../describing.ts";
import { announcePut } from "../events.ts";
import { judgeOptions } from "../judge-options.ts";
import { finishLanding, newLanding } from "../landing.ts";
import { changeHolder, meet, newClaims } from "../meeting.ts";
import { judgePut, type Putting, putJob } from "../putting.ts";
import type { Store } from "../store.ts";

/**
 * Brings a job into a queue, a new one or one that is elsewhere. Tells which job is there now: its
 * own, or the one that holds its unique key.
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
  run(store, now, putting, options) {
    if (options.unique !== undefined) return putUnique(store, now, putting, options);
    if (options !== NO_OPTIONS) judge(store, putting, options);
    return putNow(store, now, putting, options);
  },
});

function judge(store: Store, putting: Putting, options: PutOptions): void {
  judgeOptions(store, putting[5], options);
  judgePut(store, putting[2], options.depends, NOTHING_PLANNED, newSearch());
}

function putNow(store: Store, now: number, putting: Putting, options: PutOptions): string {
  const jid = putting[2];
  const landing = newLanding(now);
  announcePut(store, jid, putting[1]);
  putJob(store, landing, putting, options, NOTHING_PLANNED);
  finishLanding(store, landing);
  return jid;
}

/** Puts a job with a unique key, or does to the job that holds it what the call says. */
function putUnique(store: Store, now: number, putting: Putting, options: PutOptions): string {
  const [worker, queue, own, klass, data, delay] = putting;
  judgeOptions(store, delay, options);
  const { jid, puts } = meet(store, now, own, options, newClaims());
  const target: Putting = [worker, queue, jid, klass, data, delay];
  if (puts) {
    judgePut(store, jid, options.depends, NOTHING_PLANNED, newSearch());
    return putNow(store, now, target, options);
  }
  const landing = newLanding(now);
  changeHolder(store, landing, jid, target, options);
  finishLanding(store, landing);
  return jid;
}
