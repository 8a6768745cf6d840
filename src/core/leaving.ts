import { dependenciesOf, dropDependencies } from "./dependencies.ts";
import { leaveGroup } from "./failures.ts";
import { type Fields, numberIn, stateOf } from "./job.ts";
import { completedKey, dependsKey, scheduledKey, workKey } from "./keys.ts";
import { unrankLock } from "./locks.ts";
import type { Store } from "./store.ts";

/** Takes the job out of wherever its state has put it. Its dependencies stay. */
export function leavePlace(store: Store, jid: string, fields: Fields): void {
  const state = stateOf(fields);
  const queue = fields.queue!;
  if (state === "waiting" || state === "stalled") {
    store.unrank(workKey(queue), [fields.place! + jid]);
  } else if (state === "scheduled") {
    store.unrank(scheduledKey(queue), [fields.place! + jid]);
  } else if (state === "depends") {
    store.unrank(dependsKey(queue), [jid]);
  } else if (state === "running") {
    unrankLock(store, jid, queue, fields.worker!);
  } else if (state === "complete") {
    store.unrank(completedKey(), [jid]);
  } else {
    leaveGroup(store, {
      jid,
      group: fields.group!,
      queue,
      failedAt: numberIn(store, fields.failedAt, 0),
    });
  }
}

/** Ends all waiting of the job for others. */
export function leaveDependencies(store: Store, jid: string): void {
  const on = dependenciesOf(store, jid);
  if (on.length > 0) dropDependencies(store, jid, on);
}
