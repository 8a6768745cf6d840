import { command } from "../command.ts";
import { historyLimit } from "../config.ts";
import { forgetRun, restageOld } from "../describing.ts";
import { announceDamaged, announcePut, announceTracked } from "../events.ts";
import { leaveGroup } from "../failures.ts";
import { nextEntry, putEntry, trimHistory } from "../history.ts";
import { type Fields, isTracked, numberIn, readJob } from "../job.ts";
import { failuresKey, groupKey, jobKey } from "../keys.ts";
import { finishLanding, type Landing, land, newBatchLanding, viewOf } from "../landing.ts";
import type { Pairs, Store } from "../store.ts";

/** Puts the longest failed jobs of a group into a queue. Tells how many. */
export const unfail = command({
  says: "Unfail",
  takes: [
    ["queue", "name"],
    ["group", "name"],
    ["count", "count", "?"],
  ],
  options: [],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [queue, group, count]) {
    const landing = newBatchLanding(now);
    const limit = historyLimit(store);
    let unfailed = 0;
    for (const jid of store.lowest(groupKey(group), 0, count ?? 25)) {
      const fields = readJob(store, jid);
      if (fields === undefined || fields.state !== "failed" || fields.group !== group) {
        strayInGroup(store, jid, group);
      } else {
        unfailJob(store, landing, { jid, queue, fields, limit });
        unfailed += 1;
      }
    }
    if (unfailed > 0) finishLanding(store, landing);
    return unfailed;
  },
});

/** Takes a job out of a group of failures that it does not belong to. */
function strayInGroup(store: Store, jid: string, group: string): void {
  store.unrank(groupKey(group), [jid]);
  if (store.raise(failuresKey(), group, -1) <= 0) store.unrank(failuresKey(), [group]);
  announceDamaged(store, jid, "");
}

interface Unfailing {
  jid: string;
  queue: string;
  fields: Fields;
  limit: number;
}

function unfailJob(store: Store, landing: Landing, { jid, queue, fields, limit }: Unfailing): void {
  const failedAt = numberIn(store, fields.failedAt, 0);
  leaveGroup(store, { jid, group: fields.group!, queue: fields.queue!, failedAt });
  announcePut(store, jid, queue);
  forgetRun(store, jid, fields);
  const number = nextEntry(store, fields.last);
  const last = store.text.integer(number);
  const since = store.text.integer(landing.now);
  const pairs: Pairs = ["queue", queue, last, since + "\t" + putEntry(queue)];
  const priority = numberIn(store, fields.priority, 0);
  restageOld(store, viewOf(store, landing, queue), jid, fields, pairs);
  const arrival = { jid, queue, priority, dueMs: 0, depends: false, last, since };
  land(store, landing, arrival, pairs);
  store.set(jobKey(jid), pairs);
  trimHistory(store, jobKey(jid), number, limit);
  if (isTracked(fields)) announceTracked(store, "put", jid);
}
