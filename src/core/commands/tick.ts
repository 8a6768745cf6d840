import { command } from "../command.ts";
import { pruneCompleted } from "../completed.ts";
import { setting } from "../config.ts";
import { releaseRest } from "../dependencies.ts";
import { housekeepIfDue } from "../housekeeping.ts";
import {
  completedKey,
  cronsNextKey,
  dueKey,
  releasingKey,
  workerJobsKey,
  workersKey,
} from "../keys.ts";
import { SLICE } from "../limits.ts";
import { forgetAbsent } from "../presence.ts";
import { until } from "../ranges.ts";
import { forgetOldRequests } from "../requests.ts";
import { inSeconds } from "../seconds.ts";
import { followClock } from "../setting-back.ts";
import { dropOldStatistics } from "../statistics.ts";
import type { Store } from "../store.ts";
import { freeOldKeys } from "../uniques.ts";

/** Queues that one tick looks after. */
const QUEUES = 10;

/**
 * Does what time demands in all queues, a slice at a time: expired locks, due jobs, recurrences,
 * released dependents, silent workers, keys whose time is over, and what has been kept long
 * enough. Brings times back if the clock was set back. Tells whether there is more to do at once, and when it is next needed; or a schedule is,
 * which others fire.
 */
export const tick = command({
  says: "Tick",
  takes: [],
  options: [],
  gives: "json",
  writes: true,
  frees: true,
  run(store, now) {
    const isBehind = followClock(store, now);
    // First, for the queues of dependents that are left over are due until none is.
    const released = releaseRest(store, now);
    const queues = store.between(dueKey(), until(now), 0, QUEUES);
    let moved = 0;
    for (const queue of queues) moved += housekeepIfDue(store, now, queue);
    const removed = removeOld(store, now);
    const next = first(store, dueKey());
    const more =
      isBehind ||
      next <= now ||
      released >= SLICE ||
      removed >= SLICE ||
      store.exists(releasingKey());
    const needed = Math.min(next, first(store, cronsNextKey()));
    const at = needed === Infinity ? "null" : inSeconds(needed);
    return (
      `{"more":${more ? "true" : "false"},"next":${at}` +
      `,"moved":${moved},"released":${released},"removed":${removed}}`
    );
  },
});

/** The lowest score of a ranking, and infinity when it is empty. */
function first(store: Store, ranking: string): number {
  const score = store.lowestScored(ranking, 0, 1)[1];
  return score === undefined ? Infinity : store.text.value(score);
}

function removeOld(store: Store, now: number): number {
  const statsDays = setting(store, "stats-history");
  const histogramDays = setting(store, "histogram-history");
  return (
    pruneOld(store, now) +
    forgetWorkers(store, now) +
    forgetAbsent(store, now, SLICE) +
    forgetOldRequests(store, now, SLICE) +
    freeOldKeys(store, now, SLICE) +
    dropOldStatistics(store, now, { statsDays, histogramDays, count: SLICE })
  );
}

function pruneOld(store: Store, now: number): number {
  if (!store.exists(completedKey())) return 0;
  const keep = {
    ms: setting(store, "jobs-history") * 1000,
    count: setting(store, "jobs-history-count"),
  };
  return pruneCompleted(store, now, keep, SLICE);
}

/** Forgets workers that have been silent for too long, unless they still hold jobs. */
function forgetWorkers(store: Store, now: number): number {
  const silent = until(now - setting(store, "max-worker-age") * 1000);
  const gone: string[] = [];
  for (const worker of store.between(workersKey(), silent, 0, SLICE)) {
    if (!store.exists(workerJobsKey(worker))) gone.push(worker);
  }
  store.unrank(workersKey(), gone);
  return gone.length;
}
