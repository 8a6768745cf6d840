import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Unreachable } from "../engine.ts";

/** What can be wrong with a file, and what to do about it. */
const SENTENCES = {
  BUSY: (file) => `${file} is locked by another process: see which one holds it, and call again`,
  CANNOT_OPEN: (file) => `${file} cannot be opened: check that it and its directory are writable`,
  DAMAGED: (file) => `${file} is damaged: restore a backup, or recover it with "sqlite3 .recover"`,
  DISK_ERROR: (file) => `Reading or writing ${file} failed: check its disk, then open it again`,
  DISK_FULL: (file) => `The disk that holds ${file} is full: make room, and call again`,
  FILE_REPLACED: (file) =>
    `${file} was moved, deleted or replaced: close this engine, then open it`,
  NO_DIRECTORY: (file) => `${file} cannot be created: make the directory ${dirname(file)} first`,
  NO_MEMORY: (file) => `There is too little memory to work on ${file}: end something else`,
  NO_WAL: (file) => `${file} is where SQLite cannot keep its log: put it on a local disk`,
  NOT_A_DATABASE: (file) => `${file} is not an SQLite database: choose another file`,
  NOT_A_FILE: (file) => `${file} is not a file: choose another path`,
  NOT_A_QUEUE: (file) =>
    `${file} belongs to another program: choose a file of its own for the queue`,
  READ_ONLY: (file) => `${file} cannot be written: let this user write it and its directory`,
} satisfies Record<string, (file: string) => string>;

export type OutageCode = keyof typeof SENTENCES;

interface Details {
  /** Whether what was to be done may have been done all the same. */
  uncertain?: boolean;
  cause?: unknown;
}

/** By the beginning of SQLite's code, and by the code of the operating system. */
const CAUSES: [start: string, code: OutageCode][] = [
  ["SQLITE_BUSY", "BUSY"],
  ["SQLITE_CANTOPEN", "CANNOT_OPEN"],
  ["SQLITE_CORRUPT", "DAMAGED"],
  ["SQLITE_FULL", "DISK_FULL"],
  ["SQLITE_IOERR", "DISK_ERROR"],
  ["SQLITE_NOMEM", "NO_MEMORY"],
  ["SQLITE_NOTADB", "NOT_A_DATABASE"],
  ["SQLITE_PERM", "READ_ONLY"],
  ["SQLITE_PROTOCOL", "BUSY"],
  ["SQLITE_READONLY", "READ_ONLY"],
  ["EACCES", "READ_ONLY"],
  ["EPERM", "READ_ONLY"],
  ["EROFS", "READ_ONLY"],
  ["EDQUOT", "DISK_FULL"],
  ["ENOSPC", "DISK_FULL"],
  ["ENOENT", "NO_DIRECTORY"],
  ["ENOTDIR", "NO_DIRECTORY"],
];

/** An outage of that kind, in a sentence that says what to do. */
export function outage(code: OutageCode, file: string, details: Details = {}): Unreachable {
  return new Unreachable(code, SENTENCES[code](file), details);
}

/** What SQLite or the file system threw, in words for people; anything else stays as it is. */
export function explained(error: unknown, file: string, uncertain = false): unknown {
  const thrown = codeOf(error);
  const known = CAUSES.find(([start]) => thrown.startsWith(start));
  if (known !== undefined) return outage(known[1], file, { uncertain, cause: error });
  if (!isFromSqlite(error)) return error;
  const what = `SQLite could not work on ${file} (${error.code}: ${error.message})`;
  return new Unreachable("DATABASE_FAILED", what, { uncertain, cause: error });
}

/** Whether this comes from SQLite, and not from a command. */
export function isFromSqlite(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError;
}

/** Whether another connection holds what we need, so that trying again will help. */
export function isBusy(error: unknown): boolean {
  return isFromSqlite(error) && /^SQLITE_(BUSY|PROTOCOL)/.test(error.code);
}

/** The code of an error of SQLite or the operating system, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
