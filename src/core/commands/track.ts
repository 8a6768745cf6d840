import { command } from "../command.ts";
import { announceTracked } from "../events.ts";
import { noSuchJob, setRare } from "../job.ts";
import { soundJobJson } from "../job-json.ts";
import { jobKey, trackedKey } from "../keys.ts";
import { MAX_COUNT } from "../limits.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/** Begins or ends the tracking of a job; without an action, shows the tracked ones. */
export const track = command({
  says: "Track",
  takes: [
    ["action", "text", "?"],
    ["jid", "jid", "?"],
  ],
  options: [
    ["offset", "whole"],
    ["count", "count"],
  ],
  gives: "json",
  writes: true,
  frees: false,
  run(store, now, [action, jid], { offset, count }) {
    if (action === undefined) return trackedJson(store, now, offset ?? 0, count ?? MAX_COUNT);
    if (offset !== undefined || count !== undefined) {
      refuse("BAD_ARGUMENT", "offset and count are for the list: leave out the action, or these");
    }
    const verb = store.text.lower(action);
    if (verb !== "track" && verb !== "untrack") {
      refuse("BAD_ARGUMENT", 'Unknown action: must be "track" or "untrack"');
    }
    if (jid === undefined) return refuse("BAD_ARGUMENT", 'Arg "jid" missing');
    return verb === "track" ? startTracking(store, now, jid) : stopTracking(store, jid);
  },
});

function startTracking(store: Store, now: number, jid: string): string {
  if (store.field(jobKey(jid), "klass") === false) refuse("NO_SUCH_JOB", noSuchJob(jid));
  announceTracked(store, "track", jid);
  if (store.score(trackedKey(), jid) !== false) return "0";
  store.rank(trackedKey(), [now, jid]);
  setRare(store, jid, ["tracked", "1"]);
  return "1";
}

/** Works for jobs that are gone, too: they would stay on the list for ever. */
function stopTracking(store: Store, jid: string): string {
  const klass = store.field(jobKey(jid), "klass");
  const known = store.score(trackedKey(), jid) !== false;
  if (klass === false && !known) refuse("NO_SUCH_JOB", noSuchJob(jid));
  announceTracked(store, "untrack", jid);
  store.unrank(trackedKey(), [jid]);
  store.unset(jobKey(jid), ["tracked"]);
  return known ? "1" : "0";
}

function trackedJson(store: Store, now: number, offset: number, count: number): string {
  const jobs: string[] = [];
  const expired: string[] = [];
  for (const jid of store.lowest(trackedKey(), offset, count)) {
    const json = soundJobJson(store, now, jid);
    if (json === undefined) expired.push(jid);
    else jobs.push(json);
  }
  return '{"jobs":[' + jobs.join(",") + '],"expired":' + tagsJson(store, expired) + "}";
}
