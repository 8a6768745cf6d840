import { sourceKey, sourcesKey, tagKey, tagsKey } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * Jobs by tag and by source. Each index has a ranking per name and one ranking of all names with
 * the number of their jobs, which changes only when a job really enters or leaves.
 */

export function tagsOf(store: Store, tags: string | undefined): string[] {
  return tags === undefined ? [] : store.text.list(tags)!;
}

export function tagsJson(store: Store, tags: readonly string[]): string {
  const quoted: string[] = [];
  for (const tag of tags) quoted.push(store.text.quote(tag));
  return "[" + quoted.join(",") + "]";
}

export function includes(list: string[], wanted: string): boolean {
  for (const member of list) if (member === wanted) return true;
  return false;
}

/** The list without repetitions, in its order. */
export function unique(list: readonly string[]): string[] {
  const once: string[] = [];
  const seen: { [blankAndMember: string]: boolean } = {};
  for (const member of list) {
    if (seen[" " + member] === undefined) once.push(member);
    seen[" " + member] = true;
  }
  return once;
}

/** Indexes the job under those tags that it did not have. */
export function indexTags(store: Store, now: number, jid: string, tags: readonly string[]): void {
  for (const tag of tags)
    enter(store, now, { index: tagKey(tag), names: tagsKey(), name: tag, jid });
}

export function unindexTags(store: Store, jid: string, tags: readonly string[]): void {
  for (const tag of tags) leave(store, { index: tagKey(tag), names: tagsKey(), name: tag, jid });
}

export function indexSource(store: Store, now: number, jid: string, source: string): void {
  enter(store, now, { index: sourceKey(source), names: sourcesKey(), name: source, jid });
}

export function unindexSource(store: Store, jid: string, source: string): void {
  leave(store, { index: sourceKey(source), names: sourcesKey(), name: source, jid });
}

interface Entry {
  index: string;
  names: string;
  name: string;
  jid: string;
}

function enter(store: Store, now: number, { index, names, name, jid }: Entry): void {
  if (store.score(index, jid) !== false) return;
  store.rank(index, [now, jid]);
  store.raise(names, name, 1);
}

function leave(store: Store, { index, names, name, jid }: Entry): void {
  if (store.unrank(index, [jid]) === 0) return;
  if (store.raise(names, name, -1) <= 0) store.unrank(names, [name]);
}

/** The members of the first list that are not in the second. */
export function without(list: readonly string[], others: readonly string[]): string[] {
  const seen: { [blankAndMember: string]: boolean } = {};
  for (const member of others) seen[" " + member] = true;
  const left: string[] = [];
  for (const member of list) if (seen[" " + member] === undefined) left.push(member);
  return left;
}
