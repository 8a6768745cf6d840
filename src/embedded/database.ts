import { resolve } from "node:path";
import Database from "better-sqlite3";
import { Unreachable } from "../engine.ts";
import { sleep } from "../timers.ts";
import { prepareFile } from "./file.ts";
import { prepareLayout } from "./layout.ts";
import { explained, isBusy } from "./outage.ts";

/**
 * Whether a commit is on the disk before it is answered. Without (`normal`), the last commits may
 * be lost when the power fails; the file stays whole either way.
 */
export type Synchronous = "full" | "normal";

const MEMORY = ":memory:";
/** Before it, two connections that copy the log into the file at once can damage it. */
const OLDEST_SQLITE = "3.51.3";
/** How long SQLite may hold up the event loop to wait for a lock; what is longer, we wait for. */
const LOCK_WAIT_MS = 5;
const OPEN_MS = 5000;
/** Four times the default saves a tenth of the time, for a log of 16 MB. */
const CHECKPOINT_PAGES = 4000;
const LOG_BYTES = 64 * 1024 * 1024;

/** Opens or creates a queue's database, or says in a sentence why it cannot. */
export async function openDatabase(
  path: string,
  synchronous: Synchronous,
): Promise<Database.Database> {
  // An absolute path is never taken for a URI, which could ask for anything.
  const file = path === MEMORY ? MEMORY : resolve(path);
  const until = performance.now() + OPEN_MS;
  for (;;) {
    try {
      return openOnce(file, synchronous);
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw explained(error, file);
    }
    await sleep(5 + Math.random() * 20);
  }
}

function openOnce(file: string, synchronous: Synchronous): Database.Database {
  if (file !== MEMORY) prepareFile(file);
  const db = new Database(file, { fileMustExist: file !== MEMORY, timeout: LOCK_WAIT_MS });
  try {
    checkSqlite(db.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "");
    db.pragma("trusted_schema = OFF");
    db.pragma("foreign_keys = OFF");
    db.pragma(`synchronous = ${synchronous === "normal" ? "NORMAL" : "FULL"}`);
    prepareLayout(db, file);
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${LOG_BYTES}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Refuses an SQLite that may damage the file. */
export function checkSqlite(version: string): void {
  if (version.localeCompare(OLDEST_SQLITE, "en", { numeric: true }) >= 0) return;
  const advice = `use ${OLDEST_SQLITE} or later, as the better-sqlite3 that qless asks for has it`;
  throw new Unreachable("OLD_SQLITE", `SQLite ${version} can damage files: ${advice}`);
}
