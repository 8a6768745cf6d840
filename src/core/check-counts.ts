import { type Findings, found, WRONG_COUNT } from "./check-findings.ts";
import { failuresKey, groupKey, sourceKey, sourcesKey, tagKey, tagsKey } from "./keys.ts";
import type { Store } from "./store.ts";

/** Jobs under a name, and the ranking of all such names by the number of their jobs. */
interface Counted {
  name: string;
  members: string;
  names: string;
}

/** What is counted under this name, if rankings of this word count or are counted. */
export function countedUnder(word: string, name: string): Counted | undefined {
  if (word === "t:" || word === "tags") return { name, members: tagKey(name), names: tagsKey() };
  if (word === "o:" || word === "sources") {
    return { name, members: sourceKey(name), names: sourcesKey() };
  }
  if (word === "f:" || word === "failures") {
    return { name, members: groupKey(name), names: failuresKey() };
  }
  return undefined;
}

/** Sets the count right. */
export function recount(store: Store, { name, members, names }: Counted): void {
  const size = store.size(members);
  if (size > 0) store.rank(names, [size, name]);
  else store.unrank(names, [name]);
}

export function judgeCount(store: Store, counted: Counted, score: string): string {
  const size = store.size(counted.members);
  return size > 0 && size === store.text.number(score) ? "" : WRONG_COUNT;
}

/** Checks that a tag, a source or a group of failures is counted at all. */
export function checkCounted(store: Store, findings: Findings, counted: Counted): void {
  const { name, names } = counted;
  if (store.score(names, name) !== false) return;
  if (found(store, findings, name, "it is not counted in " + names)) recount(store, counted);
}
