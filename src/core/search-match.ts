import { piecesOf, stateIn } from "./job.ts";
import { jobKey, locksKey } from "./keys.ts";
import { placeTime } from "./queue.ts";
import type { Criteria } from "./search-criteria.ts";
import type { Absent, Store } from "./store.ts";

const JUDGED = ["klass", "state", "queue", "source", "group", "place", "scheduled"];

/** Whether there is such a job and all criteria but a tag, which has an index, hold of it. */
export function matches(store: Store, now: number, criteria: Criteria, jid: string): boolean {
  const { klass, queue, source, group, state, from, to } = criteria;
  // The cheapest first, for it needs no record.
  if (criteria.jid !== undefined && !store.text.holds(jid, criteria.jid)) return false;
  const record = store.fieldsIfSound(jobKey(jid), JUDGED);
  if (record[0] === undefined || record[0] === false) return false;
  if (klass !== undefined && !fitsKlass(store, record[0]!, klass)) return false;
  if (queue !== undefined && record[2] !== queue) return false;
  if (source !== undefined && record[3] !== source) return false;
  if (group !== undefined && !(record[4] === group && stateIn(store, record[1]!) === "failed")) {
    return false;
  }
  if (state === undefined && from === undefined && to === undefined) return true;
  const seen = seenAs(store, now, jid, record);
  if (state !== undefined && seen.state !== state) return false;
  return (from === undefined || seen.since >= from) && (to === undefined || seen.since <= to);
}

/** Whether a klass is the one wanted or, where that ends with a star, begins as it does. */
function fitsKlass(store: Store, klass: string, wanted: string): boolean {
  const start = store.text.withoutEnd(wanted, "*");
  return start === undefined ? klass === wanted : store.text.startsWith(klass, start);
}

interface Seen {
  state: string;
  since: number;
}

/**
 * The state of a job as `jobs` lists it, and since when: a lock that has expired is stalled since
 * then, and what is scheduled counts by when it is due.
 */
function seenAs(store: Store, now: number, jid: string, record: (string | Absent)[]): Seen {
  const { text } = store;
  const [state, , , , time] = piecesOf(store, record[1]!);
  if (state === "running") {
    const expires = store.score(locksKey(record[2] as string), jid);
    if (expires === false || expires <= now)
      return { state: "stalled", since: expires === false ? 0 : expires };
  }
  if (state === "scheduled" && record[6] !== false) {
    const due = text.value(record[6]!);
    if (due > now) return { state, since: due };
  }
  const isWaiting = state === "waiting" || state === "stalled" || state === "scheduled";
  return { state: isWaiting ? "waiting" : state!, since: sinceOf(store, time, record[5]!) };
}

/** When the wait or the run began, or the job ended; a new job's place tells it. */
function sinceOf(store: Store, time: string | undefined, place: string | Absent): number {
  if (time !== undefined && time !== "") return store.text.value(time);
  return place === false ? 0 : placeTime(store, place);
}
