import { type Findings, found, LOST_PLACE, momentOf, unheard } from "./check-findings.ts";
import { mayDepend } from "./check-glance.ts";
import { checkQueue } from "./check-queue.ts";
import { type Fields, isStanding, numberIn, standingOf, stateOf } from "./job.ts";
import {
  completedKey,
  dependenciesKey,
  dependsKey,
  jobKey,
  locksKey,
  scheduledKey,
  workerJobsKey,
  workKey,
} from "./keys.ts";
import { finishLanding, land, newLanding } from "./landing.ts";
import { takeLeases } from "./leases.ts";
import type { Pairs, Store } from "./store.ts";

/** What a job's record must say in each state. */
const NEEDED: readonly (readonly [state: string, names: readonly string[]])[] = [
  ["waiting", ["place"]],
  ["stalled", ["place"]],
  ["scheduled", ["place", "scheduled"]],
  ["running", ["worker", "lease", "time"]],
  ["depends", ["time"]],
  ["complete", ["time"]],
  ["failed", ["group"]],
];

/** The group of failed jobs whose own was lost. */
const DAMAGED = "damaged";

/**
 * Checks that a job's record has what its state needs; returns whether it had not. What is lost is
 * taken from the rankings where they know it. A job that cannot be where it says goes into its
 * queue again, but a failed one stays failed: somebody has to look at it anyway.
 */
export function checkState(store: Store, findings: Findings, jid: string, fields: Fields): boolean {
  const problem = judgeState(store, jid, fields);
  if (problem !== "") {
    if (found(store, findings, jid, problem)) landAgain(store, findings.now, jid, fields);
    return true;
  }
  let lost = false;
  for (const name of neededBy(stateOf(fields))!) {
    if (fields[name] === undefined) {
      lost = true;
      if (found(store, findings, jid, "its " + name + " is lost")) {
        fields[name] = restored(store, findings.now, { jid, fields, name });
        const said = isStanding(name) ? "state" : name;
        store.set(jobKey(jid), [said, said === "state" ? standingOf(fields) : fields[name]]);
      }
    }
  }
  return lost;
}

function neededBy(state: string): readonly string[] | undefined {
  for (const [known, names] of NEEDED) if (known === state) return names;
  return undefined;
}

/** Why a job cannot be where its record says; empty when it can. */
function judgeState(store: Store, jid: string, fields: Fields): string {
  const state = stateOf(fields);
  if (neededBy(state) === undefined) return "its state is unknown";
  const depends = store.exists(dependenciesKey(jid));
  if (state === "depends" && !depends) return "it waits for other jobs but there are none";
  if (state !== "depends" && depends && mayDepend(state)) return "it does not wait for other jobs";
  if (state === "running" && fields.worker === undefined) return "its worker is lost";
  const placed = state === "waiting" || state === "stalled" || state === "scheduled";
  if (placed && fields.place === undefined) return LOST_PLACE;
  if (state !== "scheduled" || fields.scheduled !== undefined) return "";
  const score = store.score(scheduledKey(fields.queue!), fields.place! + jid);
  return score === false || score < 0 ? "its time is lost" : "";
}

/** What a record has lost, as far as it can be known. */
function restored(
  store: Store,
  now: number,
  { jid, fields, name }: { jid: string; fields: Fields; name: string },
): string {
  const queue = fields.queue!;
  if (name === "group") return DAMAGED;
  if (name === "lease") return store.text.integer(takeLeases(store, now, 1) + 1);
  if (name === "scheduled") return moment(store, now, scheduledKey(queue), fields.place! + jid);
  const state = stateOf(fields);
  if (state === "complete") return moment(store, now, completedKey(), jid);
  if (state === "depends") return moment(store, now, dependsKey(queue), jid);
  return store.text.integer(now);
}

function moment(store: Store, now: number, ranking: string, member: string): string {
  return store.text.integer(momentOf(store.score(ranking, member), now));
}

/** Takes a job out of wherever it may be, and brings it into its queue as if it had just come. */
function landAgain(store: Store, now: number, jid: string, fields: Fields): void {
  const queue = fields.queue!;
  const state = stateOf(fields);
  checkQueue(store, unheard(now), queue);
  leaveSeats(store, jid, fields);
  const landing = newLanding(now);
  const pairs: Pairs = [];
  const later = state === "scheduled" || state === "depends";
  land(
    store,
    landing,
    {
      jid,
      queue,
      priority: numberIn(store, fields.priority, 0),
      dueMs: later ? numberIn(store, fields.scheduled, 0) : 0,
      depends: mayDepend(state) && store.exists(dependenciesKey(jid)),
      last: fields.last ?? "1",
      // The wait of a job that waited for others goes on.
      since: (state === "depends" ? fields.time : undefined) ?? store.text.integer(now),
    },
    pairs,
  );
  store.set(jobKey(jid), pairs);
  finishLanding(store, landing);
}

function leaveSeats(store: Store, jid: string, { queue, place, worker }: Fields): void {
  if (place !== undefined) {
    store.unrank(workKey(queue!), [place + jid]);
    store.unrank(scheduledKey(queue!), [place + jid]);
  }
  store.unrank(locksKey(queue!), [jid]);
  store.unrank(dependsKey(queue!), [jid]);
  if (worker !== undefined) store.unrank(workerJobsKey(worker), [jid]);
}
