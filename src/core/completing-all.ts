import { NO_OPTIONS } from "./arguments.ts";
import { type Closing, type Ended, endedIn } from "./closing.ts";
import { completeJob, doneAs } from "./completing.ts";
import { trimHistory } from "./history.ts";
import { jobKey } from "./keys.ts";
import { judgeClaim, startOf } from "./locks.ts";
import type { Absent, Store } from "./store.ts";
import { noteRun } from "./times.ts";

/**
 * Ends runs of which nothing is said but that they are complete, and answers for each. The first
 * is named from `first` on, each by `step` words: verb, jid, lease.
 */
export function completeAll(
  store: Store,
  closing: Closing,
  words: string[],
  first: number,
  step: number,
): string[] {
  const length = words.length;
  if (length === first) return [];
  if (length > first + step) return completeMany(store, closing, words, first, step);
  // In Lua a list that begins with a member need not grow for it.
  return [completeOne(store, closing, words[first + 1]!, words[first + 2]!)];
}

function completeOne(store: Store, closing: Closing, jid: string, lease: string): string {
  const held = judgeClaim(store, jid, closing.worker, lease);
  return typeof held === "string" ? held : completeJob(store, closing, held, undefined, NO_OPTIONS);
}

/**
 * What `completeOne` does for each is written out here for those jobs of which there is no more to
 * know than their state tells, which are most: calling what does it costs as much as doing it.
 */
function completeMany(
  store: Store,
  closing: Closing,
  words: string[],
  first: number,
  step: number,
): string[] {
  const { worker, now, at, historyLimit } = closing;
  const start = startOf(worker);
  const length = words.length;
  const reply: string[] = [];
  let ended: Ended | undefined;
  let left = "";
  let completed = 0;
  for (let i = first; i < length; i += step) {
    const jid = words[i + 1]!;
    const lease = words[i + 2]!;
    const key = jobKey(jid);
    const state = store.fieldIfSound(key, "state");
    const run =
      state === false || state === undefined
        ? undefined
        : store.text.runBehind(state, start, lease);
    let queue: string | Absent | undefined = run === undefined ? undefined : run.queue;
    // A state that would be too long with its queue says only that there is no more to know.
    if (queue === "") queue = store.field(key, "queue");
    if (run === undefined || queue === undefined || queue === false) {
      reply.push(completeOne(store, closing, jid, lease));
    } else {
      const number = run.last + 1;
      const done = doneAs(store, number, at);
      store.set(key, ["state", done.state, done.field, done.entry]);
      noteRun(store, queue, now - run.time);
      if (number > historyLimit) trimHistory(store, key, number, historyLimit);
      if (ended === undefined || queue !== left) {
        ended = endedIn(closing, queue);
        left = queue;
      }
      ended.completed[ended.count] = jid;
      ended.count += 1;
      completed += 1;
      reply.push("complete");
    }
  }
  closing.completed += completed;
  return reply;
}
