import { command } from "../command.ts";
import { setting } from "../config.ts";
import { workerJobsKey, workersKey } from "../keys.ts";
import { MAX_COUNT } from "../limits.ts";
import { presenceJson } from "../presence.ts";
import { after, until } from "../ranges.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/** Workers that one call tells about. */
const PAGE = 1000;

/** Lists the jobs of a worker, or counts them for all workers, the last seen first. */
export const workers = command({
  says: "Workers",
  takes: [["worker", "name", "?"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run: (store, now, [worker]) =>
    worker === undefined ? workersJson(store, now) : workerJson(store, now, worker),
});

function workerJson(store: Store, now: number, worker: string): string {
  const key = workerJobsKey(worker);
  const jobs = store.between(key, after(now), 0, MAX_COUNT);
  const stalled = store.between(key, until(now), 0, MAX_COUNT);
  const shown = (jids: string[]) => tagsJson(store, reversed(jids));
  return '{"jobs":' + shown(jobs) + ',"stalled":' + shown(stalled) + "}";
}

function reversed(list: string[]): string[] {
  const turned: string[] = [];
  for (let i = list.length - 1; i >= 0; i--) turned.push(list[i]!);
  return turned;
}

/** Those that were silent for too long are left out, unless they still hold jobs. */
function workersJson(store: Store, now: number): string {
  const silent = now - setting(store, "max-worker-age") * 1000;
  const scored = store.highestScored(workersKey(), 0, PAGE);
  const shown: string[] = [];
  for (let i = 0; i < scored.length; i += 2) {
    const worker = scored[i]!;
    const all = store.size(workerJobsKey(worker));
    const stalled = store.sizeBetween(workerJobsKey(worker), -Infinity, now);
    if (all > 0 || store.text.value(scored[i + 1]!) > silent) {
      const name = '{"name":' + store.text.quote(worker);
      const present = presenceJson(store, now, worker);
      shown.push(name + `,"jobs":${all - stalled},"stalled":${stalled}` + present + "}");
    }
  }
  return "[" + shown.join(",") + "]";
}
