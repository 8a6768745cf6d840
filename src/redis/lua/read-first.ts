import { releaseRest } from "../../core/dependencies.ts";
import { noteQueueDue, promoteDue } from "../../core/housekeeping.ts";
import { locksKey, queuesKey } from "../../core/keys.ts";
import { SLICE } from "../../core/limits.ts";
import { spawnDue } from "../../core/recurring.ts";
import type { Store } from "../../core/store.ts";

/** Due jobs that one look at a queue promotes. */
const PROMOTED = 1000;

/** Reading used to promote what was due, and peek to spawn children; here they do, by slices. */
export function readFirst(given: Store, now: number, name: string, args: unknown[]): void {
  // Clients of qless-core have no tick that would go on with them.
  releaseRest(given, now);
  if (name === "peek") {
    const queue = args[0] as string;
    const wanted = (args[1] as number) - given.sizeBetween(locksKey(queue), -Infinity, now);
    spawnDue(given, now, queue, Math.max(0, wanted));
    promoteDue(given, now, queue, Math.max(SLICE, args[1] as number));
    noteQueueDue(given, queue);
  } else if (name === "queues") {
    const queue = args[0] as string | undefined;
    const all = queue === undefined ? given.lowest(queuesKey(), 0, SLICE) : [queue];
    for (const one of all) promoteAndNote(given, now, one);
  } else if (args[0] === "scheduled" && args[1] !== undefined) {
    promoteAndNote(given, now, args[1] as string);
  }
}

function promoteAndNote(given: Store, now: number, queue: string): void {
  if (promoteDue(given, now, queue, PROMOTED) > 0) noteQueueDue(given, queue);
}
