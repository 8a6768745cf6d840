import { command } from "../command.ts";
import { announceAudit } from "../events.ts";
import { MAX_FACTS } from "../limits.ts";
import { refuse } from "../refuse.ts";

/** Tells the log what an operator did: who, what, to what, and to how many. Keeps nothing. */
export const note = command({
  says: "Note",
  takes: [
    ["by", "name"],
    ["action", "name"],
  ],
  options: [
    ["to", "name"],
    ["queue", "name"],
    ["count", "whole"],
    ["facts", "text"],
  ],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, _now, [by, action], { to, queue, count, facts }) {
    if (facts !== undefined && store.text.bytes(facts) > MAX_FACTS) {
      refuse("BAD_ARGUMENT", `Arg "facts" is longer than ${MAX_FACTS} bytes`);
    }
    const members = facts === undefined ? undefined : store.text.members(facts);
    if (facts !== undefined && members === undefined) {
      refuse("BAD_ARGUMENT", 'Arg "facts" not a JSON object');
    }
    announceAudit(store, { by, action, to, queue, count, members });
    return false;
  },
});
