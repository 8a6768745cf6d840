import { command } from "../command.ts";
import { failuresKey, groupKey } from "../keys.ts";
import { MAX_COUNT } from "../limits.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/** Counts failed jobs by group, or lists those of one group, the newest first. */
export const failed = command({
  says: "Failed",
  takes: [
    ["group", "name", "?"],
    ["start", "whole", "?"],
    ["limit", "count", "?"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, _now, [group, start, limit]) {
    if (group === undefined) return groupsJson(store);
    const jids = store.highest(groupKey(group), start ?? 0, limit ?? 25);
    return `{"total":${store.size(groupKey(group))},"jobs":` + tagsJson(store, jids) + "}";
  },
});

function groupsJson(store: Store): string {
  const scored = store.lowestScored(failuresKey(), 0, MAX_COUNT);
  const members: string[] = [];
  for (let i = 0; i < scored.length; i += 2) {
    members.push(store.text.quote(scored[i]!) + ":" + scored[i + 1]!);
  }
  return "{" + members.join(",") + "}";
}
