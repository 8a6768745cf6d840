import { finishClosing, newClosing } from "../closing.ts";
import { command } from "../command.ts";
import { judgeClaim } from "../locks.ts";
import { refuseWith } from "../refuse.ts";
import { failHeld } from "../retrying.ts";

/** Ends a run badly and for good, in a group of like failures. */
export const fail = command({
  says: "Fail",
  takes: [
    ["jid", "jid"],
    ["worker", "name"],
    ["group", "name"],
    ["message", "text"],
    ["data", "json", "?"],
  ],
  options: [["lease", "lease"]],
  gives: "text",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [jid, worker, group, message, data], { lease }) {
    const held = judgeClaim(store, jid, worker, lease);
    if (typeof held === "string") return refuseWith(held);
    const closing = newClosing(store, now, worker);
    failHeld(store, closing, held, { group, message, exhausted: false, data });
    finishClosing(store, closing);
    return jid;
  },
});
