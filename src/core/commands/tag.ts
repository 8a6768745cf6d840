import { checkName } from "../arguments.ts";
import { command } from "../command.ts";
import { type Fields, noSuchJob, readJob } from "../job.ts";
import { jobKey, tagKey, tagsKey } from "../keys.ts";
import { MAX_LIST } from "../limits.ts";
import { readCount } from "../numbers.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { indexTags, tagsJson, tagsOf, unindexTags, unique, without } from "../tags.ts";

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
    const fields = readJob(store, jid);
    if (fields === undefined) return refuse("NO_SUCH_JOB", noSuchJob(jid));
    return what === "add" ? add(store, now, jid, fields, args) : remove(store, jid, fields, args);
  },
});

/** The list without its first members. */
function behind(list: string[], first: number): string[] {
  const rest: string[] = [];
  for (let i = first; i < list.length; i++) rest.push(list[i]!);
  return rest;
}

function add(store: Store, now: number, jid: string, fields: Fields, args: string[]): string {
  const all = tagsOf(store, fields.tags);
  for (const added of behind(args, 1)) all.push(added);
  const tags = unique(all);
  if (tags.length > MAX_LIST) refuse("BAD_ARGUMENT", `Job ${jid} has more than ${MAX_LIST} tags`);
  indexTags(store, now, jid, behind(args, 1));
  return save(store, jid, tags);
}

function remove(store: Store, jid: string, fields: Fields, args: string[]): string {
  unindexTags(store, jid, behind(args, 1));
  return save(store, jid, without(tagsOf(store, fields.tags), behind(args, 1)));
}

function save(store: Store, jid: string, tags: string[]): string {
  const json = tagsJson(store, tags);
  store.set(jobKey(jid), ["tags", json, "more", "1"]);
  return json;
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
