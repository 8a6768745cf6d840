import { SEARCH_GROUPS } from "./limits.ts";
import { refuse } from "./refuse.ts";
import { type Criteria, criteriaTexts } from "./search-criteria.ts";
import { firstLeg, type Leg, type LegKind, mayWalk } from "./search-leg.ts";
import type { Spot } from "./search-rank.ts";
import type { Store } from "./store.ts";
import { tagsJson } from "./tags.ts";

/**
 * Where a search is: on which leg, and behind which member of it. Outside it is a JSON array of
 * texts: the criteria, then kind, name and since of the leg, score and member of the spot, and the
 * groups that are done.
 */
export interface Walk {
  leg: Leg | undefined;
  spot: Spot | undefined;
}

const CRITERIA = 10;
const FIXED = CRITERIA + 5;

/** The cursor as text; empty when there is nothing more. */
export function cursorText(store: Store, criteria: Criteria, { leg, spot }: Walk): string {
  if (leg === undefined) return "";
  const list = criteriaTexts(store, criteria);
  list.push(leg.kind);
  list.push(leg.name);
  list.push(scoreText(store, leg.since));
  list.push(spot === undefined ? "" : scoreText(store, spot.score));
  list.push(spot === undefined ? "" : spot.member);
  for (const name of leg.done) list.push(name);
  return tagsJson(store, list);
}

/** The walk that a cursor stands for; refuses one that these criteria have not given. */
export function readWalk(store: Store, criteria: Criteria, cursor: string): Walk {
  if (cursor === "" || cursor === "0") return { leg: firstLeg(store, criteria), spot: undefined };
  const list = store.text.list(cursor);
  if (list === undefined || list.length < FIXED) return badCursor();
  const own = criteriaTexts(store, criteria);
  for (let i = 0; i < CRITERIA; i++) {
    if (list[i] !== own[i]) {
      refuse("BAD_ARGUMENT", "The cursor belongs to other criteria: begin with the cursor 0");
    }
  }
  return { leg: readLeg(store, criteria, list), spot: readSpot(store, list) };
}

function readLeg(store: Store, criteria: Criteria, list: string[]): Leg {
  const kind = list[CRITERIA]!;
  const name = list[CRITERIA + 1]!;
  const since = readScore(store, list[CRITERIA + 2]!);
  const isNamed = kind === "completed" ? name === "" : store.text.isName(name);
  if (since === undefined || !isNamed || !mayWalk(criteria, kind)) return badCursor();
  const done: string[] = [];
  for (let i = FIXED; i < list.length; i++) done.push(list[i]!);
  if (done.length > 0 && (kind !== "group" || done.length > SEARCH_GROUPS)) return badCursor();
  return { kind: kind as LegKind, name, since, done };
}

function readSpot(store: Store, list: string[]): Spot | undefined {
  const [said, member] = [list[CRITERIA + 3]!, list[CRITERIA + 4]!];
  if (said === "" && member === "") return undefined;
  const score = readScore(store, said);
  if (score === undefined || member === "") return badCursor();
  return { score, member };
}

/** Scores are finite but for those of stalled jobs. */
const scoreText = (store: Store, score: number) =>
  score === -Infinity ? "-inf" : store.text.exact(score);

const readScore = (store: Store, said: string) =>
  said === "-inf" ? -Infinity : store.text.number(said);

function badCursor(): never {
  return refuse("BAD_ARGUMENT", "The cursor is not one that search has given");
}
