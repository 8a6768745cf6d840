import { command } from "../command.ts";
import {
  addDependencies,
  canBeAwaited,
  dependenciesOf,
  dropDependencies,
  judgeCycle,
  judgeNumber,
  landReleased,
  NOTHING_PLANNED,
  newSearch,
} from "../dependencies.ts";
import { readJob, stateOf } from "../job.ts";
import { dependenciesKey } from "../keys.ts";
import { refuse, refuseIf } from "../refuse.ts";
import type { Store } from "../store.ts";

/** Makes a job that waits for others wait for more of them (`on`), or for fewer (`off`). */
export const depends = command({
  says: "Depends",
  takes: [
    ["jid", "jid"],
    ["command", "text"],
    ["jids", "names", "?"],
  ],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [jid, on, jids]) {
    const fields = readJob(store, jid);
    if (on !== "on" && on !== "off") {
      refuse("BAD_ARGUMENT", 'Argument "command" must be "on" or "off"');
    }
    if (fields === undefined) {
      return refuse("NO_SUCH_JOB", `Job ${jid} not in the depends state: it does not exist`);
    }
    const state = stateOf(fields);
    if (state !== "depends") {
      refuse("NOT_DEPENDING", `Job ${jid} not in the depends state: ${state}`);
    }
    if (on === "on") return dependOn(store, now, jid, jids ?? []);
    dropDependencies(store, jid, isAll(jids) ? dependenciesOf(store, jid) : (jids ?? []));
    if (!store.exists(dependenciesKey(jid))) landReleased(store, now, jid, fields);
    return 1;
  },
});

const isAll = (jids: string[] | undefined) =>
  jids !== undefined && jids.length === 1 && jids[0] === "all";

function dependOn(store: Store, now: number, jid: string, jids: string[]): number {
  refuseIf(judgeNumber(store, jid, jids));
  refuseIf(judgeCycle(store, jid, jids, NOTHING_PLANNED, newSearch()));
  const on: string[] = [];
  for (const dependency of jids) if (canBeAwaited(store, dependency)) on.push(dependency);
  addDependencies(store, now, jid, on);
  return 1;
}
