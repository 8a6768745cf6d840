import { type Findings, found, isWhole, numberIn, STRAY, WRONG_TIME } from "./check-findings.ts";
import { readRecord } from "./job.ts";
import {
  histogramDaysKey,
  requestKey,
  requestsKey,
  statisticsDaysKey,
  statisticsKey,
} from "./keys.ts";
import { binNames } from "./statistics.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/** What is kept for a time and must be found when the time is over: answers and statistics. */

/** Checks that an answer is there and will be forgotten one day. */
export function checkRequest(store: Store, findings: Findings, id: string): void {
  findings.checked += 1;
  if (store.field(requestKey(id), "answer") === false) {
    if (found(store, findings, id, "the request has no answer")) {
      store.remove([requestKey(id)]);
      store.unrank(requestsKey(), [id]);
    }
  } else if (store.score(requestsKey(), id) === false) {
    if (found(store, findings, id, "it is missing in " + requestsKey())) {
      store.rank(requestsKey(), [findings.now, id]);
    }
  }
}

export function judgeRequest(store: Store, id: string): string {
  return store.exists(requestKey(id)) ? "" : STRAY;
}

const KINDS = ["wait", "run", "stats", "noted"];

/** The number of the day in `<day>:<queue>`. */
export function dayIn(store: Store, day: string): number | undefined {
  const [number, queue] = store.text.divide(day, ":");
  if (queue === undefined || !isWhole(store, number!)) return undefined;
  return store.text.number(number!);
}

/** What is wrong about a day of a queue among those whose statistics are kept. */
export function judgeDay(store: Store, day: string, score: string): string {
  const number = dayIn(store, day);
  if (number === undefined) return STRAY;
  let isKept = false;
  for (const kind of KINDS) if (store.exists(statisticsKey(kind, day))) isKept = true;
  if (!isKept) return STRAY;
  return store.text.number(score) === number ? "" : WRONG_TIME;
}

/** Checks that statistics, `<kind>:<day>:<queue>`, can be counted on with and will be dropped. */
export function checkStatistics(
  store: Store,
  findings: Findings,
  { key, name }: { key: string; name: string },
): void {
  findings.checked += 1;
  const [kind, day] = store.text.divide(name, ":");
  if (day === undefined || dayIn(store, day) === undefined || !includes(KINDS, kind!)) {
    if (found(store, findings, name, "the statistics are of no day")) store.remove([key]);
    return;
  }
  if (kind === "noted") checkNoted(store, findings, key, day);
  else checkFigures(store, findings, kind!, day);
  if (!store.exists(key)) forgetDay(store, day);
  else {
    checkDay(store, findings, day, statisticsDaysKey());
    if (kind === "noted") checkDay(store, findings, day, histogramDaysKey());
    else if (kind !== "stats") checkHistogram(store, findings, kind!, day);
  }
}

/** Checks that times which are to be added to a day's statistics can be read. */
function checkNoted(store: Store, findings: Findings, key: string, day: string): void {
  const noted = store.read(key);
  if (noted === false || store.text.numbers(noted) !== undefined) return;
  if (found(store, findings, day, "its noted times cannot be read")) store.remove([key]);
}

/** Takes a day that has no statistics any more off the lists. */
function forgetDay(store: Store, day: string): void {
  if (judgeDay(store, day, "") !== STRAY) return;
  store.unrank(statisticsDaysKey(), [day]);
  store.unrank(histogramDaysKey(), [day]);
}

/** Checks that a day of a queue is among those that are kept, and so will be dropped. */
export function checkDay(store: Store, findings: Findings, day: string, days: string): void {
  if (store.score(days, day) !== false) return;
  if (found(store, findings, day, "its statistics are missing in " + days)) {
    store.rank(days, [dayIn(store, day)!, day]);
  }
}

/** Figures that are no numbers would stop the queue that counts on with them. */
function checkFigures(store: Store, findings: Findings, kind: string, day: string): void {
  const key = statisticsKey(kind, day);
  const flat = store.all(key);
  for (let i = 0; i < flat.length; i += 2) {
    const [name, value] = [flat[i]!, flat[i + 1]!];
    // Only counters are left to the database to add to, and it takes none but whole numbers.
    const good = kind === "stats" ? isWhole(store, value) : store.text.number(value) !== undefined;
    if (!good && found(store, findings, day, "its figure " + name + " cannot be read")) {
      store.unset(key, [name]);
    }
  }
}

/**
 * A histogram may count less than the total, where it was dropped before the day was over, but not
 * more; and a whole one must be listed, or it will not be dropped.
 */
function checkHistogram(store: Store, findings: Findings, kind: string, day: string): void {
  const key = statisticsKey(kind, day);
  const fields = readRecord(store, key);
  let sum = 0;
  for (const name of binNames()) sum += numberIn(store, fields[name]) ?? 0;
  const total = numberIn(store, fields.total) ?? 0;
  if (sum > total && found(store, findings, day, "its total is wrong in " + key)) {
    store.set(key, ["total", store.text.integer(sum)]);
  }
  if (sum > 0 && sum >= total) checkDay(store, findings, day, histogramDaysKey());
}
