import { noSuchJob, readJob, setRare } from "./job.ts";
import { MAX_LIST } from "./limits.ts";
import type { Store } from "./store.ts";
import { indexTags, tagsJson, tagsOf, unindexTags, unique, without } from "./tags.ts";

export interface Tagging {
  jid: string;
  /** Whether the tags are added; else they are removed. */
  adds: boolean;
  tags: readonly string[];
}

/** Adds tags to a job or removes them. Returns those it has then, or the refusal. */
export function changeTags(
  store: Store,
  now: number,
  { jid, adds, tags }: Tagging,
): string[] | string {
  const fields = readJob(store, jid);
  if (fields === undefined) return "NO_SUCH_JOB " + noSuchJob(jid);
  const had = tagsOf(store, fields.tags);
  const left = adds ? joined(had, tags) : without(had, tags);
  if (adds && left.length > MAX_LIST) {
    return `BAD_ARGUMENT Job ${jid} has more than ${MAX_LIST} tags`;
  }
  if (adds) indexTags(store, now, jid, tags);
  else unindexTags(store, jid, tags);
  setRare(store, jid, ["tags", tagsJson(store, left)]);
  return left;
}

function joined(had: readonly string[], added: readonly string[]): string[] {
  const all: string[] = [];
  for (const tag of had) all.push(tag);
  for (const tag of added) all.push(tag);
  return unique(all);
}
