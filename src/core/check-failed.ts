import { type Findings, found, numberIn } from "./check-findings.ts";
import { dayIn } from "./check-kept.ts";
import { stateIn } from "./job.ts";
import { failuresKey, groupKey, jobKey, statisticsDaysKey, statisticsKey } from "./keys.ts";
import { SLICE } from "./limits.ts";
import type { Store } from "./store.ts";

/** Failed jobs that one call counts; a day on which more have failed is passed over. */
const MOST = 1000;
const DAY_MS = 86400000;

/**
 * Checks that no day counts more failed jobs of a queue than there are, from the `offset`-th day
 * on; returns where to go on, or undefined. Fewer may be: statistics that are kept for less than a
 * day begin anew on the same day.
 */
export function checkFailedOfDays(
  store: Store,
  findings: Findings,
  offset: number,
): number | undefined {
  const days = store.lowest(statisticsDaysKey(), offset, SLICE);
  let spent = 0;
  let next = offset;
  for (const day of days) {
    if (spent >= MOST) return next;
    findings.checked += 1;
    spent += checkFailed(store, findings, day);
    next += 1;
  }
  return days.length < SLICE ? undefined : next;
}

/** Checks a day of a queue, and returns how many jobs and groups it took. */
function checkFailed(store: Store, findings: Findings, day: string): number {
  const key = statisticsKey("stats", day);
  const noted = numberIn(store, store.field(key, "failed"));
  const number = dayIn(store, day);
  if (noted === undefined || noted === 0 || number === undefined) return 1;
  const groups = store.lowest(failuresKey(), 0, SLICE + 1);
  if (groups.length > SLICE) return SLICE;
  const [, queue] = store.text.divide(day, ":");
  const start = number * 1000;
  // In its group a job may stand later than it failed, but not earlier.
  const since = { min: start, max: Infinity };
  let spent = groups.length;
  let failed = 0;
  for (const group of groups) {
    for (const jid of store.between(groupKey(group), since, 0, MOST - spent + 1)) {
      if (failedOn(store, jid, { queue: queue!, start })) failed += 1;
      spent += 1;
    }
    if (spent > MOST) return spent;
  }
  if (noted > failed && found(store, findings, day, "its count of failed jobs is wrong")) {
    store.set(key, ["failed", store.text.integer(failed)]);
  }
  return spent;
}

function failedOn(
  store: Store,
  jid: string,
  { queue, start }: { queue: string; start: number },
): boolean {
  const [state, of, failedAt] = store.fields(jobKey(jid), ["state", "queue", "failedAt"]);
  const at = numberIn(store, failedAt);
  if (stateIn(store, state!) !== "failed" || of !== queue || at === undefined) return false;
  return at >= start && at < start + DAY_MS;
}
