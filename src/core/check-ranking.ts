import { type Findings, found } from "./check-findings.ts";
import { judgeMember, mendMember, restoreFrom } from "./check-member.ts";
import { namespacePrefix } from "./keys.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/** A ranking, by what its key says: the word it begins or ends with, and the name in it. */
export interface Ranking {
  key: string;
  word: string;
  name: string;
}

const OF_QUEUES = ["work", "locks", "scheduled", "depends", "recur"];
const PREFIXES = ["t:", "o:", "f:", "dependencies:", "dependents:"];
const PLAIN = [
  "completed",
  "tracked",
  "tags",
  "sources",
  "failures",
  "queues",
  "due",
  "requests",
  "uniques",
  "stats",
  "histograms",
  "crons",
  "crons-next",
];

/** What a key says it is, when it is that of a ranking that can be checked. */
export function rankingOf(store: Store, key: string): Ranking | undefined {
  const { text } = store;
  if (!text.startsWith(key, namespacePrefix())) return undefined;
  const rest = text.skip(key, text.bytes(namespacePrefix()));
  if (includes(PLAIN, rest)) return { key, word: rest, name: "" };
  for (const word of PREFIXES) {
    if (text.startsWith(rest, word)) return { key, word, name: text.skip(rest, text.bytes(word)) };
  }
  const name = text.skip(rest, 2);
  if (text.startsWith(rest, "w:")) return ending(store, { key, word: "w:", name }, ":jobs");
  if (!text.startsWith(rest, "q:")) return undefined;
  for (const word of OF_QUEUES) {
    const ranking = ending(store, { key, word, name }, "-" + word);
    if (ranking !== undefined) return ranking;
  }
  return undefined;
}

function ending(store: Store, { key, word, name }: Ranking, end: string): Ranking | undefined {
  const shorter = store.text.withoutEnd(name, end);
  return shorter === undefined ? undefined : { key, word, name: shorter };
}

export const isOfQueue = ({ word }: Ranking) => includes(OF_QUEUES, word);

/** Checks some members of a ranking; returns the offset to go on from, undefined at the end. */
export function checkRanking(
  store: Store,
  findings: Findings,
  ranking: Ranking,
  { offset, count }: { offset: number; count: number },
): number | undefined {
  const scored = store.lowestScored(ranking.key, offset, count);
  let mended = false;
  let kept: string | undefined;
  for (let i = 0; i < scored.length; i += 2) {
    const member = scored[i]!;
    if (checkMember(store, findings, ranking, { member, score: scored[i + 1]! })) mended = true;
    else kept = member;
  }
  if (scored.length < 2 * count) return undefined;
  return mended ? behind(store, ranking.key, kept, offset) : offset + count;
}

/** Checks a member, and returns whether it was mended. */
function checkMember(
  store: Store,
  findings: Findings,
  ranking: Ranking,
  { member, score }: { member: string; score: string },
): boolean {
  findings.checked += 1;
  if (findings.repair) restoreFrom(store, findings, ranking, member);
  const problem = judgeMember(store, ranking, member, score);
  if (problem === "") return false;
  if (!found(store, findings, member, problem + " " + ranking.key)) return false;
  mendMember(store, findings, ranking, { member, problem });
  return true;
}

/** The offset behind a member; what was mended may have moved, so counting would not do. */
function behind(store: Store, key: string, kept: string | undefined, offset: number): number {
  const position = kept === undefined ? false : store.position(key, kept);
  return position === false ? offset : position + 1;
}
