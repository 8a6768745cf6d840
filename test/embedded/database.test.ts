import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkSqlite, openDatabase } from "../../src/embedded/database.ts";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { APPLICATION_ID, LAYOUT_VERSION } from "../../src/embedded/layout.ts";
import { explained } from "../../src/embedded/outage.ts";
import { Unreachable } from "../../src/engine.ts";
import { freshDatabase, freshDirectory, freshFile, stubEngine } from "./support.ts";

/** What opening that path says. */
async function outageOf(path: string): Promise<Unreachable> {
  const outcome = await openDatabase(path, "full").catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Unreachable);
  return outcome as Unreachable;
}

/** Makes a database that is not ours, or no longer. */
function foreign(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

describe("opening", () => {
  test("makes a file that only its owner may read, whatever the umask", async () => {
    const file = freshFile();
    const before = process.umask(0o777);
    const { call } = await stubEngine(file).finally(() => process.umask(before));
    await call("set", "a", "1");
    for (const suffix of ["", "-wal", "-shm"]) {
      expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
    }
  });

  test("keeps the mode that somebody gave an existing file", async () => {
    const file = freshFile();
    (await openDatabase(file, "full")).close();
    chmodSync(file, 0o640);
    await freshDatabase(file);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("marks the file as ours and keeps a synchronous log", async () => {
    const db = await openDatabase(freshFile(), "full");
    onTestFinished(() => void db.close());
    const pragma = (name: string) => db.pragma(name, { simple: true });
    expect(pragma("application_id")).toBe(APPLICATION_ID);
    expect(pragma("user_version")).toBe(LAYOUT_VERSION);
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(0);
    expect(pragma("trusted_schema")).toBe(0);
  });

  test("waits for the disk less often when asked to", async () => {
    const db = await freshDatabase(freshFile());
    expect(db.pragma("synchronous", { simple: true })).toBe(1);
  });

  test("takes an empty file", async () => {
    const file = freshFile();
    writeFileSync(file, "");
    const db = await freshDatabase(file);
    expect(db.pragma("application_id", { simple: true })).toBe(APPLICATION_ID);
  });

  test("does not take a path for a URI", async () => {
    const directory = freshDirectory();
    const before = process.cwd();
    process.chdir(directory);
    onTestFinished(() => process.chdir(before));
    await freshDatabase("file:x?mode=memory");
    expect(readdirSync(directory)).toContain("file:x?mode=memory");
  });

  test("by several at once makes one queue", async () => {
    const file = freshFile();
    const dbs = await Promise.all(Array.from({ length: 5 }, () => freshDatabase(file)));
    for (const db of dbs) expect(db.pragma("user_version", { simple: true })).toBe(LAYOUT_VERSION);
  });

  test("finds again what was there before", async () => {
    const file = freshFile();
    const one = await stubEngine(file);
    await one.call("set", "a", "1");
    await one.engine.close();
    const two = await stubEngine(file);
    expect(await two.call("get", "a")).toBe("1");
  });

  test("refuses a namespace that could not begin a key", async () => {
    const opening = EmbeddedEngine.open(":memory:", { namespace: "a:b" });
    await expect(opening).rejects.toMatchObject({ name: "Invalid", code: "BAD_ARGUMENT" });
  });
});

describe("opening what cannot be used", () => {
  test("names a file that is not a database", async () => {
    const file = freshFile();
    writeFileSync(file, "Dear diary, ".repeat(1000));
    expect(await outageOf(file)).toMatchObject({
      code: "NOT_A_DATABASE",
      message: `${file} is not an SQLite database: choose another file`,
    });
  });

  test("names a database of another program, and leaves it alone", async () => {
    const file = freshFile();
    foreign(file, "CREATE TABLE theirs (a)");
    expect(await outageOf(file)).toMatchObject({
      code: "NOT_A_QUEUE",
      message: `${file} belongs to another program: choose a file of its own for the queue`,
    });
    const db = new Database(file);
    onTestFinished(() => void db.close());
    expect(db.pragma("journal_mode", { simple: true })).toBe("delete");
  });

  test("takes an empty database with another mark for another program's", async () => {
    const file = freshFile();
    foreign(file, "PRAGMA application_id = 77");
    expect((await outageOf(file)).code).toBe("NOT_A_QUEUE");
  });

  test("names a file of a newer version", async () => {
    const file = freshFile();
    (await openDatabase(file, "full")).close();
    foreign(file, "PRAGMA user_version = 2");
    const newer =
      "was written by a newer qless (layout 2, this one knows 1): update qless to use it";
    expect(await outageOf(file)).toMatchObject({
      code: "NEWER_LAYOUT",
      message: `${file} ${newer}`,
    });
  });

  test("names the directory that is missing", async () => {
    const file = join(freshDirectory(), "no", "queue.db");
    expect(await outageOf(file)).toMatchObject({
      code: "NO_DIRECTORY",
      message: `${file} cannot be created: make the directory ${join(file, "..")} first`,
    });
  });

  test("names a directory in the place of the file, and of a link to nothing", async () => {
    const directory = freshDirectory();
    const link = join(directory, "link");
    symlinkSync(join(directory, "nothing"), link);
    mkdirSync(join(directory, "sub"));
    for (const path of [join(directory, "sub"), link, directory]) {
      const message = `${path} is not a file: choose another path`;
      expect(await outageOf(path)).toMatchObject({ code: "NOT_A_FILE", message });
    }
    expect(readdirSync(directory).sort()).toEqual(["link", "sub"]);
  });

  test("names a damaged file", async () => {
    const file = freshFile();
    (await openDatabase(file, "full")).close();
    const bytes = new Uint8Array(statSync(file).size).fill(0xff);
    bytes.set(Buffer.from("SQLite format 3\0"));
    bytes.set([0x10, 0, 2, 2, 0, 64, 32, 32], 16);
    writeFileSync(file, bytes);
    expect(["DAMAGED", "NOT_A_DATABASE"]).toContain((await outageOf(file)).code);
  });

  test("says what SQLite says when tables are missing", async () => {
    const file = freshFile();
    (await openDatabase(file, "full")).close();
    foreign(file, "DROP TABLE members");
    const message = `SQLite could not work on ${file} (SQLITE_ERROR: no such table: members)`;
    const opening = EmbeddedEngine.open(file);
    await expect(opening).rejects.toMatchObject({ code: "DATABASE_FAILED", message });
  });

  test("refuses an SQLite that can damage files", () => {
    for (const version of ["3.51.3", "3.53.2", "3.100.0", "4.0.0"]) checkSqlite(version);
    for (const version of ["3.51.2", "3.9.1", "3.40.1"]) {
      expect(() => checkSqlite(version)).toThrow(`SQLite ${version} can damage files`);
    }
  });
});

describe("what SQLite says", () => {
  test.each([
    ["SQLITE_BUSY_SNAPSHOT", "BUSY"],
    ["SQLITE_CANTOPEN_ISDIR", "CANNOT_OPEN"],
    ["SQLITE_CORRUPT_INDEX", "DAMAGED"],
    ["SQLITE_FULL", "DISK_FULL"],
    ["SQLITE_IOERR_FSYNC", "DISK_ERROR"],
    ["SQLITE_NOMEM", "NO_MEMORY"],
    ["SQLITE_NOTADB", "NOT_A_DATABASE"],
    ["SQLITE_READONLY_DIRECTORY", "READ_ONLY"],
    ["SQLITE_ERROR", "DATABASE_FAILED"],
  ])("%s is explained as %s, in a sentence that names the file", (code, ours) => {
    const outage = explained(new Database.SqliteError("no luck", code), "/q.db") as Unreachable;
    expect(outage).toBeInstanceOf(Unreachable);
    expect(outage.code).toBe(ours);
    expect(outage.message).toMatch(/^[^\n]*\/q\.db[^\n]*$/);
    expect(outage.message).not.toContain("    at ");
  });

  test.each([
    ["EACCES", "READ_ONLY"],
    ["EROFS", "READ_ONLY"],
    ["ENOSPC", "DISK_FULL"],
    ["ENOTDIR", "NO_DIRECTORY"],
  ])("%s of the file system is explained as %s", (code, ours) => {
    const error = Object.assign(new Error("no luck"), { code });
    expect(explained(error, "/q.db")).toMatchObject({ name: "Unreachable", code: ours });
  });

  test("is left alone when it is something else", () => {
    const error = new TypeError("A bug");
    expect(explained(error, "/q.db")).toBe(error);
  });
});
