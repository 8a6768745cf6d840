import { checkJob, type Findings } from "../check-job.ts";
import { checkAwaited, checkCounted, checkQueue } from "../check-queue.ts";
import { checkRanking, rankingOf } from "../check-ranking.ts";
import { command } from "../command.ts";
import { namespacePrefix } from "../keys.ts";
import { SLICE } from "../limits.ts";
import { add } from "../pairs.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/**
 * Walks the namespace in slices and tells every disagreement between jobs, indexes and counters;
 * mends them when asked to. Begin with cursor `0`; the walk is over when `0` comes back.
 */
export const check = command({
  says: "Check",
  takes: [
    ["cursor", "text"],
    ["repair", "flag", "?"],
  ],
  options: [],
  gives: "json",
  writes: true,
  frees: true,
  run(store, _now, [cursor, repair]) {
    const findings: Findings = { repair: repair === 1, checked: 0, problems: [] };
    const next = step(store, findings, readCursor(store, cursor));
    return (
      '{"cursor":' +
      store.text.quote(next) +
      `,"checked":${findings.checked},"problems":[` +
      findings.problems.join(",") +
      "]}"
    );
  },
});

/** Where a walk is: in the keys, and in rankings among them: `offset, key, offset, key, ...`. */
interface Cursor {
  keys: string;
  rankings: string[];
}

function readCursor(store: Store, text: string): Cursor {
  if (text === "0") return { keys: "0", rankings: [] };
  const list = store.text.list(text);
  if (list === undefined || list.length % 2 !== 1) {
    return refuse("BAD_ARGUMENT", "The cursor is not one that check has given");
  }
  const rankings: string[] = [];
  for (let i = 1; i < list.length; i++) rankings.push(list[i]!);
  return { keys: list[0]!, rankings };
}

/** One slice of the walk; returns the cursor for the next. */
function step(store: Store, findings: Findings, cursor: Cursor): string {
  const rankings: string[] = [];
  if (cursor.rankings.length > 0) {
    checkSome(store, findings, cursor.rankings, rankings);
    if (rankings.length === 0 && cursor.keys === "0") return "0";
    return cursorJson(store, cursor.keys, rankings);
  }
  const walked = store.keys(namespacePrefix(), cursor.keys, SLICE);
  for (const key of walked.keys) checkKey(store, findings, key, rankings);
  if (walked.cursor === "0" && rankings.length === 0) return "0";
  return cursorJson(store, walked.cursor, rankings);
}

function cursorJson(store: Store, keys: string, rankings: string[]): string {
  const list = [keys];
  for (const part of rankings) list.push(part);
  return tagsJson(store, list);
}

/** Checks members of the first ranking, and keeps what is left to do. */
function checkSome(store: Store, findings: Findings, from: string[], left: string[]): void {
  const offset = store.text.number(from[0]!) ?? 0;
  const ranking = rankingOf(store, from[1]!);
  if (ranking !== undefined) {
    const { seen, kept } = checkRanking(store, findings, ranking, { offset, count: SLICE });
    if (seen === SLICE) add(left, `${offset + kept}`, from[1]!);
  }
  for (let i = 2; i < from.length; i++) left.push(from[i]!);
}

function checkKey(store: Store, findings: Findings, key: string, rankings: string[]): void {
  const { text } = store;
  const rest = text.skip(key, text.bytes(namespacePrefix()));
  if (text.startsWith(rest, "j:")) checkJob(store, findings, text.skip(rest, 2));
  else if (text.startsWith(rest, "queue:")) checkQueue(store, findings, text.skip(rest, 6));
  else {
    const ranking = rankingOf(store, key);
    if (ranking === undefined) return;
    const { word, name } = ranking;
    if (word === "dependents:") checkAwaited(store, findings, name);
    if (word === "t:" || word === "o:" || word === "f:") checkCounted(store, findings, word, name);
    add(rankings, "0", key);
  }
}
