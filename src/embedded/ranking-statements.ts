import type Database from "better-sqlite3";
import type { Statement } from "better-sqlite3";

/** A member and its score. */
export type Scored = [member: string, score: number];

type Page = [id: number, count: number, offset: number];
type Window = [id: number, min: number, max: number, count: number, offset: number];

/** Everything that is asked about rankings, ready to be asked again. */
export interface RankingStatements {
  read: Statement<[key: string], [id: number, size: number]>;
  insert: Statement<[key: string]>;
  resize: Statement<[size: number, id: number]>;
  remove: Statement<[id: number]>;
  add: Statement<[id: number, member: string, score: number]>;
  move: Statement<[score: number, id: number, member: string]>;
  take: Statement<[id: number, member: string]>;
  takeAll: Statement<[id: number]>;
  count: Statement<[id: number], number>;
  score: Statement<[id: number, member: string], number>;
  lowest: Statement<Page, Scored>;
  highest: Statement<Page, Scored>;
  between: Statement<Window, Scored>;
  sizeBetween: Statement<[id: number, min: number, max: number], number>;
  position: Statement<[id: number, score: number, member: string], number>;
  highestBelow: Statement<[id: number, above: number], number>;
}

export function rankingStatements(db: Database.Database): RankingStatements {
  return { ...ofRankings(db), ...ofMembers(db), ...ofOrder(db) };
}

function ofRankings(db: Database.Database) {
  return {
    read: db
      .prepare<[string], [number, number]>("SELECT id, size FROM rankings WHERE key = ?")
      .raw(),
    insert: db.prepare<[string]>("INSERT INTO rankings (key, size) VALUES (?, 0)"),
    resize: db.prepare<[number, number]>("UPDATE rankings SET size = ? WHERE id = ?"),
    remove: db.prepare<[number]>("DELETE FROM rankings WHERE id = ?"),
  };
}

function ofMembers(db: Database.Database) {
  return {
    // Apart from `move`, so that it tells whether the member is new.
    add: db.prepare<[number, string, number]>(
      "INSERT INTO members (ranking, member, score) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ),
    move: db.prepare<[score: number, id: number, member: string]>(
      "UPDATE members SET score = ? WHERE ranking = ? AND member = ?",
    ),
    take: db.prepare<[number, string]>("DELETE FROM members WHERE ranking = ? AND member = ?"),
    takeAll: db.prepare<[number]>("DELETE FROM members WHERE ranking = ?"),
    count: db.prepare<[number], number>("SELECT count(*) FROM members WHERE ranking = ?").pluck(),
    score: db
      .prepare<[number, string], number>(
        "SELECT score FROM members WHERE ranking = ? AND member = ?",
      )
      .pluck(),
  };
}

function ofOrder(db: Database.Database) {
  const rows = "SELECT member, score FROM members WHERE ranking =";
  return {
    lowest: db
      .prepare<[number, number, number], Scored>(
        `${rows} ? ORDER BY score, member LIMIT ? OFFSET ?`,
      )
      .raw(),
    highest: db
      .prepare<[number, number, number], Scored>(
        `${rows} ? ORDER BY score DESC, member DESC LIMIT ? OFFSET ?`,
      )
      .raw(),
    between: db
      .prepare<[id: number, min: number, max: number, count: number, offset: number], Scored>(
        `${rows} ? AND score BETWEEN ? AND ? ORDER BY score, member LIMIT ? OFFSET ?`,
      )
      .raw(),
    ...ofCounts(db),
  };
}

function ofCounts(db: Database.Database) {
  const count = "SELECT count(*) FROM members WHERE ranking =";
  return {
    sizeBetween: db
      .prepare<[number, number, number], number>(`${count} ? AND score BETWEEN ? AND ?`)
      .pluck(),
    position: db
      .prepare<[id: number, score: number, member: string], number>(
        `${count} ? AND (score, member) < (?, ?)`,
      )
      .pluck(),
    highestBelow: db
      .prepare<[number, number], number>(
        "SELECT score FROM members WHERE ranking = ? AND score < ? ORDER BY score DESC LIMIT 1",
      )
      .pluck(),
  };
}
