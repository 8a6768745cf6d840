import type Database from "better-sqlite3";
import { Unreachable } from "../engine.ts";
import { outage } from "./outage.ts";

/**
 * How the queue lies in the file.
 *
 * A record is one row with its fields together, `[name, value, ...]` as JSON: a row per field was
 * four to five times slower. A number in a value's place is the row in `texts` that holds it, so
 * that a job's long data is not written again whenever its state changes. `records` has an integer
 * key beside the text, so that jobs lie in the order of their putting and not of their jids: those
 * that are put together are popped together, and a transaction touches fewer pages.
 *
 * A ranking is a row that counts its members, since counting them anew would take longer the more
 * there are, and the members refer to it by number. Text is compared by bytes, as Redis does.
 *
 * Rows of `announcements` are one transaction's each. Their ids count the characters written so
 * far, so that keeping a range of ids keeps an amount of text.
 */
const TABLES = `
  CREATE TABLE records (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fields TEXT NOT NULL
  ) STRICT;
  CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE rankings (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, size INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE members (
    ranking INTEGER NOT NULL, member TEXT NOT NULL, score REAL NOT NULL,
    PRIMARY KEY (ranking, member)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_by_score ON members (ranking, score, member);
  CREATE TABLE announcements (
    id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, messages TEXT NOT NULL
  ) STRICT;
`;

/** "qlss", which marks a file as ours. */
export const APPLICATION_ID = 0x716c7373;
/** The version of the layout that this code reads and writes. */
export const LAYOUT_VERSION = 1;

/** Makes the tables in an empty database; refuses one that is not ours or not of this version. */
export function prepareLayout(db: Database.Database, file: string): void {
  const empty = isEmpty(db);
  if (!empty) checkLayout(db, file);
  // Only now, since it changes the file, which may be somebody else's.
  keepLog(db, file);
  if (empty) createTables(db);
  checkLayout(db, file);
}

/** Makes them unless somebody else has since we looked. */
function createTables(db: Database.Database): void {
  const create = db.transaction(() => {
    if (!isEmpty(db)) return;
    db.exec(TABLES);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${LAYOUT_VERSION}`);
  });
  create.immediate();
}

function isEmpty(db: Database.Database): boolean {
  const things = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  return things === 0 && header(db, "application_id") === 0 && header(db, "user_version") === 0;
}

function checkLayout(db: Database.Database, file: string): void {
  if (header(db, "application_id") !== APPLICATION_ID) throw outage("NOT_A_QUEUE", file);
  const version = header(db, "user_version");
  if (version > LAYOUT_VERSION) {
    const what = `${file} was written by a newer qless (layout ${version}, this one knows`;
    throw new Unreachable("NEWER_LAYOUT", `${what} ${LAYOUT_VERSION}): update qless to use it`);
  }
}

function keepLog(db: Database.Database, file: string): void {
  const mode = db.pragma("journal_mode = WAL", { simple: true });
  if (mode !== "wal" && !db.memory) throw outage("NO_WAL", file);
}

function header(db: Database.Database, name: "application_id" | "user_version"): number {
  return db.pragma(name, { simple: true }) as number;
}
