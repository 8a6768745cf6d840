import { type Findings, found } from "./check-job.ts";
import { earliest, noteDue } from "./housekeeping.ts";
import {
  dueKey,
  failuresKey,
  groupKey,
  jobKey,
  queueKey,
  queuesKey,
  sourceKey,
  sourcesKey,
  tagKey,
  tagsKey,
} from "./keys.ts";
import type { Store } from "./store.ts";

/** Checks that a queue is listed, and that housekeeping will come by in time. */
export function checkQueue(store: Store, findings: Findings, queue: string): void {
  findings.checked += 1;
  const [known, due] = store.fields(queueKey(queue), ["known", "due"]);
  if (known !== false && store.score(queuesKey(), queue) === false) {
    if (found(store, findings, queue, "the queue is known but not listed")) {
      store.rank(queuesKey(), [store.text.value(known!), queue]);
    }
  }
  const needed = earliest(store, queue);
  const noted = due === false ? undefined : store.text.number(due!);
  const late = needed !== undefined && (noted === undefined || noted > needed);
  const unlisted = noted !== undefined && store.score(dueKey(), queue) !== noted;
  if (!late && !unlisted) return;
  if (found(store, findings, queue, "the queue's housekeeping is not noted")) noteDue(store, queue);
}

/** Checks that a job for which others wait knows it. */
export function checkAwaited(store: Store, findings: Findings, jid: string): void {
  const [klass, awaited] = store.fields(jobKey(jid), ["klass", "awaited"]);
  if (klass === false || awaited !== false) return;
  if (found(store, findings, jid, "it does not know that others wait for it")) {
    store.set(jobKey(jid), ["awaited", "1"]);
  }
}

/** Checks that a tag, a source or a group of failures is counted at all. */
export function checkCounted(store: Store, findings: Findings, word: string, name: string): void {
  const [names, members] =
    word === "t:"
      ? [tagsKey(), tagKey(name)]
      : word === "o:"
        ? [sourcesKey(), sourceKey(name)]
        : [failuresKey(), groupKey(name)];
  if (store.score(names!, name) !== false) return;
  if (found(store, findings, name, "it is not counted in " + names!)) {
    store.rank(names!, [store.size(members!), name]);
  }
}
