import { command } from "../command.ts";
import { readCron, setNext } from "../crons.ts";
import { putChild } from "../firing.ts";
import { refuse } from "../refuse.ts";

/**
 * Fires a tick of a schedule if it is still the next one: of all who try, one moves the schedule on
 * and puts the child.
 */
export const cronFire = command({
  says: "Cron",
  takes: [
    ["jid", "jid"],
    ["tick", "time"],
    ["next", "time"],
  ],
  options: [
    ["delay", "seconds"],
    ["put", "flag"],
  ],
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, [jid, tick, next], { delay, put }) {
    if (next <= tick) refuse("BAD_ARGUMENT", 'Arg "next" must be after the tick');
    const fields = readCron(store, jid);
    if (fields === undefined || fields.paused !== undefined) return "";
    if (fields.next !== store.text.integer(tick)) return "";
    setNext(store, jid, next, false);
    return put === 0 ? "" : putChild(store, now, { jid, fields, tick, delay: delay ?? 0 });
  },
});
