import type Database from "better-sqlite3";
import type { Statement } from "better-sqlite3";

export interface StoreStatements {
  beginReading: Statement<[]>;
  beginWriting: Statement<[]>;
  commit: Statement<[]>;
  rollback: Statement<[]>;
  version: Statement<[], number>;
  keys: Statement<[{ after: string; count: number }], string>;
}

/** Transactions and the walk through all keys, prepared once. */
export function storeStatements(db: Database.Database): StoreStatements {
  return {
    beginReading: db.prepare("BEGIN DEFERRED"),
    beginWriting: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    rollback: db.prepare("ROLLBACK"),
    version: db.prepare<[], number>("PRAGMA data_version").pluck(),
    keys: db
      .prepare<[{ after: string; count: number }], string>(
        `SELECT key FROM records WHERE key > @after
         UNION SELECT key FROM rankings WHERE key > @after
         ORDER BY key LIMIT @count`,
      )
      .pluck(),
  };
}
