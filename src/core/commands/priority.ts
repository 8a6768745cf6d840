import { command } from "../command.ts";
import { changePriority } from "../prioritizing.ts";
import { refuseIf } from "../refuse.ts";

/** Changes a job's priority. It keeps its place among the jobs of that priority. */
export const priority = command({
  says: "Priority",
  takes: [
    ["jid", "jid"],
    ["priority", "priority"],
  ],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, _now, [jid, wanted]) {
    refuseIf(changePriority(store, jid, wanted));
    // Towards zero, as Redis cuts a number it is given for an integer.
    return wanted < 0 ? 0 - Math.floor(-wanted) : Math.floor(wanted);
  },
});
