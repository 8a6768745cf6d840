import { PLACE_LENGTH } from "./housekeeping.ts";
import type { Criteria } from "./search-criteria.ts";
import type { Walk } from "./search-cursor.ts";
import { hasPlaces, keyOf, type Leg, nextLeg } from "./search-leg.ts";
import { matches } from "./search-match.ts";
import { countAbove, countBelow, placedBehind, placedBehindPlace } from "./search-rank.ts";
import type { Range, Store } from "./store.ts";

/** One call of search: what it looks for, and how far it has come. */
export interface Page {
  now: number;
  criteria: Criteria;
  /** How many jobs are wanted. */
  count: number;
  jids: string[];
  /** Jobs that were looked at. */
  looked: number;
  /** Jobs and rankings that may still be looked at. */
  left: number;
}

/** Members that are read first. Where they are not enough, all that may be looked at are. */
const READ = 100;

/** Groups that are told apart in the time that it takes to look at a job. */
const TOLD_APART = 100;

/** Walks on until enough is found, enough looked at, or all is walked through. */
export function walkOn(store: Store, page: Page, walk: Walk): void {
  while (walk.leg !== undefined && page.left > 0 && page.jids.length < page.count) {
    // A ranking counts as well, for there may be many with nothing in them; and a group for more,
    // the more there are that it must be told from.
    page.left -= 1 + Math.floor(walk.leg.done.length / TOLD_APART);
    if (walkLeg(store, page, walk, walk.leg)) {
      walk.leg = nextLeg(store, page.criteria, walk.leg);
      walk.spot = undefined;
    }
  }
}

/** Walks on in one ranking, and says whether it is walked through. */
function walkLeg(store: Store, page: Page, walk: Walk, leg: Leg): boolean {
  const key = keyOf(leg);
  const range = rangeOf(page, leg);
  const rising = isRising(page.criteria, leg);
  let most = Math.max(READ, page.count);
  let rank = firstRank(store, walk, { leg, key, range, rising });
  while (page.left > 0 && page.jids.length < page.count) {
    const count = Math.min(page.left, most);
    const scored = rising
      ? store.lowestScored(key, rank, count)
      : store.highestScored(key, rank, count);
    let at = 0;
    while (at < scored.length && page.jids.length < page.count) {
      const score = scoreIn(store, scored[at + 1]!);
      if (rising ? score > range.max : score < range.min) return true;
      look(store, page, leg, scored[at]!);
      walk.spot = { score, member: scored[at]! };
      at += 2;
    }
    if (scored.length < 2 * count) return at >= scored.length;
    rank += count;
    most = page.left;
  }
  return false;
}

function look(store: Store, page: Page, leg: Leg, member: string): void {
  const jid = hasPlaces(leg.kind) ? store.text.skip(member, PLACE_LENGTH) : member;
  page.looked += 1;
  page.left -= 1;
  if (matches(store, page.now, page.criteria, jid)) page.jids.push(jid);
}

/** A lock that is renewed goes up in its ranking, so that a walk downwards would miss it. */
const isRising = (criteria: Criteria, leg: Leg) =>
  leg.kind === "locks" || criteria.order === "oldest";

interface Entering {
  leg: Leg;
  key: string;
  range: Range;
  rising: boolean;
}

/** How many members of the ranking come before the walk goes on in it. */
function firstRank(store: Store, { spot }: Walk, { leg, key, range, rising }: Entering): number {
  const outside = rising ? countBelow(store, key, range.min) : countAbove(store, key, range.max);
  if (spot === undefined) return outside;
  const behind = hasPlaces(leg.kind)
    ? placedBehindPlace(store, key, spot, rising)
    : placedBehind(store, key, spot, rising);
  return Math.max(outside, behind);
}

/** The scores between which a ranking has what is looked for, as far as its scores can tell. */
function rangeOf({ now, criteria }: Page, { kind }: Leg): Range {
  const { state } = criteria;
  const from = criteria.from ?? -Infinity;
  const to = criteria.to ?? Infinity;
  if (kind === "completed") return { min: from, max: to };
  // Failures of one moment are ranked one behind the other, and so a little later.
  if (kind === "group") return { min: from, max: Infinity };
  if (kind === "scheduled" && state === "waiting") return { min: -Infinity, max: now };
  if (kind === "scheduled" && state === "scheduled")
    return { min: Math.max(now + 1, from), max: to };
  if (kind === "locks" && state === "running") return { min: now + 1, max: Infinity };
  if (kind === "locks" && state === "stalled") return { min: from, max: Math.min(now, to) };
  return { min: -Infinity, max: Infinity };
}

const scoreIn = (store: Store, score: string) =>
  score === "-inf" ? -Infinity : store.text.value(score);
