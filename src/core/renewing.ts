import { popSettings } from "./config.ts";
import { numberOr } from "./job.ts";
import { queueKey } from "./keys.ts";
import { CUTOFF, GRACE, type Held, judgeClaim, rankLock, seeWorker } from "./locks.ts";
import { wakeAt } from "./queue.ts";
import type { Absent, Store } from "./store.ts";

export interface Renewal {
  jid: string;
  worker: string;
  data: string | undefined;
  lease: string | undefined;
}

/** Renews a lock from now, and returns when it expires, or the refusal. */
export function renew(store: Store, now: number, renewal: Renewal): number | string {
  const { jid, worker, lease, data } = renewal;
  const held = judgeClaim(store, jid, worker, lease);
  if (typeof held === "string") return held;
  const [own, due] = store.fields(queueKey(held.queue), ["own", "due"]);
  const expires = renewedUntil(store, now, held, own!);
  if (expires === undefined) {
    return `PAST_CUTOFF Job ${jid} has run longer than it may in queue ` + held.queue;
  }
  if (data !== undefined) store.set(held.key, ["data", data]);
  if (held.more[GRACE] !== false) store.unset(held.key, ["grace"]);
  rankLock(store, held.queue, worker, store.text.integer(expires), jid);
  // A heartbeat that was made shorter may move the expiry to an earlier time.
  wakeAt(store, held.queue, due!, expires);
  seeWorker(store, now, worker);
  return expires;
}

/** Until when the lock lasts if it is renewed now: never beyond the cutoff. */
function renewedUntil(
  store: Store,
  now: number,
  held: Held,
  own: string | Absent,
): number | undefined {
  const settings = popSettings(store, held.queue, own);
  const until = now + settings.heartbeatMs;
  const cutoffMs = numberOr(store, held.more[CUTOFF]!, settings.cutoffMs);
  if (cutoffMs <= 0) return until;
  const end = held.time + cutoffMs;
  if (end <= now) return undefined;
  return Math.min(until, end);
}
