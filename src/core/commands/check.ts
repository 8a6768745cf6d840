import { checkConfig, checkNamespace } from "../check-config.ts";
import { checkCounted, countedUnder } from "../check-counts.ts";
import { checkCron } from "../check-cron.ts";
import { type Cursor, cursorJson, type Open, readCursor } from "../check-cursor.ts";
import { checkAwaited } from "../check-dependencies.ts";
import { checkFailedOfDays } from "../check-failed.ts";
import type { Findings } from "../check-findings.ts";
import { checkJob } from "../check-job.ts";
import { checkRequest, checkStatistics } from "../check-kept.ts";
import { checkKinds } from "../check-kinds.ts";
import { checkQueue, standsForQueue } from "../check-queue.ts";
import { checkRanking, isOfQueue, type Ranking, rankingOf } from "../check-ranking.ts";
import { checkRecurring } from "../check-recurring.ts";
import { checkUnique } from "../check-unique.ts";
import { command } from "../command.ts";
import { namespacePrefix, statisticsDaysKey } from "../keys.ts";
import { judgeLayout } from "../layout.ts";
import { SLICE } from "../limits.ts";
import type { Store } from "../store.ts";

/**
 * Walks the namespace in slices and tells every disagreement between jobs, indexes and counters;
 * mends them when asked to. Begin with cursor `0`; the walk is over when `0` comes back.
 *
 * Keys come in no order, yet one walk must mend everything. So it goes through them three times:
 * keys that hold something else than their names say are found first, since nothing can be read
 * around them. Then the indexes lose what no record bears out, then each record is made whole and gets into the
 * indexes it lacks. What is mended among the indexes changes no other verdict about them, and
 * what is mended among the records is complete in itself. At last the days' counts of failed jobs are
 * compared.
 */
export const check = command({
  says: "Check",
  takes: [
    ["cursor", "json"],
    ["repair", "flag", "?"],
  ],
  options: [],
  gives: "json",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store, now, [cursor, repair]) {
    judgeLayout(store);
    const from = readCursor(store, cursor);
    const findings: Findings = { now, repair: repair === 1, checked: 0, problems: [] };
    const next = step(store, findings, from);
    const told = next === undefined ? "0" : cursorJson(store, next);
    return (
      '{"cursor":' +
      store.text.quote(told) +
      `,"checked":${findings.checked},"problems":[` +
      findings.problems.join(",") +
      "]}"
    );
  },
});

/** One slice of the walk; returns where to go on, or undefined at its end. */
function step(store: Store, findings: Findings, from: Cursor): Cursor | undefined {
  if (from.part === "kinds" || from.part === "damaged") return checkKeys(store, findings, from);
  if (from.part === "indexes") return checkIndexes(store, findings, from);
  if (from.part === "records") return checkRecords(store, findings, from.at);
  const offset = checkFailedOfDays(store, findings, store.text.value(from.at));
  if (offset === undefined) return undefined;
  return { part: "days", at: store.text.integer(offset), open: [] };
}

/**
 * Checks what kinds the next keys are, and begins with the indexes when that is done. If a key
 * stays damaged, the walk is over: what is around it cannot be checked before it is repaired.
 */
function checkKeys(store: Store, findings: Findings, { part, at }: Cursor): Cursor | undefined {
  const { cursor, isDamaged } = checkKinds(store, findings, at);
  const stays = isDamaged || part === "damaged";
  if (cursor !== "0") return { part: stays ? "damaged" : "kinds", at: cursor, open: [] };
  if (stays) return undefined;
  checkNamespace(store, findings);
  return checkIndexes(store, findings, { part: "indexes", at: "0", open: [] });
}

/** Checks open rankings, or the next keys and what rankings they are. */
function checkIndexes(store: Store, findings: Findings, { at, open }: Cursor): Cursor {
  let next = at;
  const opened: Open[] = [];
  for (const ranking of open) opened.push(ranking);
  if (opened.length === 0) {
    const walked = store.keys(namespacePrefix(), at, SLICE);
    for (const key of walked.keys) checkIndex(store, findings, key, opened);
    next = walked.cursor;
  }
  const left = checkSome(store, findings, opened);
  if (left.length === 0 && next === "0") return { part: "records", at: "0", open: [] };
  return { part: "indexes", at: next, open: left };
}

/** Checks a slice of members of these rankings, and returns what is left to do. */
function checkSome(store: Store, findings: Findings, opened: Open[]): Open[] {
  const limit = findings.checked + SLICE;
  const left: Open[] = [];
  for (const open of opened) {
    const count = limit - findings.checked;
    if (count <= 0) left.push(open);
    else {
      const { ranking, offset } = open;
      const next = checkRanking(store, findings, ranking, { offset, count });
      if (next !== undefined) left.push({ ranking, offset: next });
    }
  }
  return left;
}

/** Checks what is not a job, and adds what is a ranking to those that are open. */
function checkIndex(store: Store, findings: Findings, key: string, opened: Open[]): void {
  const { text } = store;
  const rest = text.skip(key, text.bytes(namespacePrefix()));
  if (text.startsWith(rest, "j:") || text.startsWith(rest, "r:")) return;
  if (rest === "config") checkConfig(store, findings);
  else if (text.startsWith(rest, "queue:")) checkQueue(store, findings, text.skip(rest, 6));
  else if (text.startsWith(rest, "request:")) checkRequest(store, findings, text.skip(rest, 8));
  else if (text.startsWith(rest, "unique:")) checkUnique(store, findings, text.skip(rest, 7));
  else if (text.startsWith(rest, "s:")) {
    checkStatistics(store, findings, { key, name: text.skip(rest, 2) });
  } else {
    const ranking = rankingOf(store, key);
    if (ranking === undefined) return;
    checkWhole(store, findings, ranking);
    opened.push({ ranking, offset: 0 });
  }
}

/** Checks what there is to be said of a ranking as a whole. */
function checkWhole(store: Store, findings: Findings, ranking: Ranking): void {
  const { key, word, name } = ranking;
  if (word === "dependents:") checkAwaited(store, findings, name);
  if (word === "t:" || word === "o:" || word === "f:") {
    checkCounted(store, findings, countedUnder(word, name)!);
  }
  // While mending, other keys may have made the queue's record in the meantime, but not more of it.
  if (isOfQueue(ranking) && (findings.repair || standsForQueue(store, name, key))) {
    checkQueue(store, findings, name);
  }
}

function checkRecords(store: Store, findings: Findings, at: string): Cursor | undefined {
  const { text } = store;
  const walked = store.keys(namespacePrefix(), at, SLICE);
  for (const key of walked.keys) {
    const rest = text.skip(key, text.bytes(namespacePrefix()));
    if (text.startsWith(rest, "j:")) checkJob(store, findings, text.skip(rest, 2));
    else if (text.startsWith(rest, "r:")) checkRecurring(store, findings, text.skip(rest, 2));
    else if (text.startsWith(rest, "cron:")) checkCron(store, findings, text.skip(rest, 5));
  }
  if (walked.cursor !== "0") return { part: "records", at: walked.cursor, open: [] };
  return store.exists(statisticsDaysKey()) ? { part: "days", at: "0", open: [] } : undefined;
}
