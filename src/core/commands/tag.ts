import { checkName } from "../arguments.ts";
import { command } from "../command.ts";
import { tagKey, tagsKey } from "../keys.ts";
import { readCount } from "../numbers.ts";
import { refuse, refuseWith } from "../refuse.ts";
import type { Store } from "../store.ts";
import { changeTags } from "../tagging.ts";
import { tagsJson } from "../tags.ts";

/**
 * Adds tags to a job, removes them, finds the jobs of a tag (`get`) or the most used tags (`top`).
 */
export const tag = command({
  says: "Tag",
  takes: [
    ["command", "text"],
    ["args", "rest", "?"],
  ],
  options: [],
  gives: "json",
  writes: true,
  frees: false,
  run(store, now, [what, words]) {
    const args = behind(words ?? [], 2);
    if (what === "get") return jobsOfTag(store, args);
    if (what === "top") return topTags(store, args);
    if (what !== "add" && what !== "remove") {
      refuse("BAD_ARGUMENT", 'First argument must be "add", "remove", "get" or "top"');
    }
    for (const name of args) checkName(store, "tag", name);
    const jid = args[0];
    if (jid === undefined) return refuse("BAD_ARGUMENT", 'Arg "jid" missing');
    const tags = changeTags(store, now, { jid, adds: what === "add", tags: behind(args, 1) });
    return typeof tags === "string" ? refuseWith(tags) : tagsJson(store, tags);
  },
});

/** The list without its first members. */
function behind(list: string[], first: number): string[] {
  const rest: string[] = [];
  for (let i = first; i < list.length; i++) rest.push(list[i]!);
  return rest;
}

function jobsOfTag(store: Store, args: string[]): string {
  const name = args[0];
  if (name === undefined) return refuse("BAD_ARGUMENT", 'Arg "tag" missing');
  checkName(store, "tag", name);
  const offset = readCount(store, "offset", args[1], 0);
  const count = readCount(store, "count", args[2], 25);
  const jids = store.lowest(tagKey(name), offset, count);
  return `{"total":${store.size(tagKey(name))},"jobs":` + tagsJson(store, jids) + "}";
}

/** Tags of at least two jobs, the most used first. */
function topTags(store: Store, args: string[]): string {
  const offset = readCount(store, "offset", args[0], 0);
  const count = readCount(store, "count", args[1], 25);
  const scored = store.highestScored(tagsKey(), offset, count);
  const tags: string[] = [];
  for (let i = 0; i < scored.length; i += 2) {
    if (store.text.value(scored[i + 1]!) >= 2) tags.push(scored[i]!);
  }
  return tagsJson(store, tags);
}
