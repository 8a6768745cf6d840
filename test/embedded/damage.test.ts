import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { Bench, jidsOf, refused } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { freshFile } from "./support.ts";

/** Rows of an SQLite file that were spoilt behind the engine's back. */

const LONG = "x".repeat(3000);
const long = JSON.stringify({ text: LONG });

/** A file with rows of every kind, some with long values. */
async function furnished(): Promise<{ bench: Bench; db: Database.Database }> {
  const file = freshFile();
  const engine = await EmbeddedEngine.open(file, { synchronous: "normal" });
  const bench = new Bench(engine, "sqlite");
  for (const state of STATES) {
    await jobIn(bench, state, { jid: state, queue: `q-${state}`, tags: ["x"], source: "s" });
  }
  await bench.put("q", "first", { data: long });
  await bench.put("q", "later", { depends: ["first"], data: long });
  await bench.call("track", "track", "first");
  await bench.call("log", "first", "note", long);
  await bench.call("recur", "q", "r", "klass", long, "interval", 60, 60, "tags", '["x"]');
  await bench.call("cron.put", "c", "q", "klass", long, "0 9 * * *", "UTC", bench.now + 3600);
  await bench.request("id", "put", "w", "q", "a", "klass", "{}", 0);
  await bench.put("q", "keyed", { unique: "key", for: 1000 });
  await bench.call("config.set", "q-heartbeat", 10);
  await bench.call("worker.present", "w", 60, long);
  await bench.put("z", "timed");
  await bench.pop("z", "w");
  expect(await bench.problems()).toEqual([]);
  return { bench, db: new Database(file) };
}

/** Spoils each row in turn, and expects that it is found, and mended by one repair. */
async function eachIsMended(
  rowsOf: string,
  spoil: (db: Database.Database, key: string) => void,
  told: string | RegExp,
): Promise<void> {
  const { bench, db } = await furnished();
  const tables = ["records", "texts", "rankings", "members"];
  const saved = tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all() as object[]);
  const keys = db.prepare<[], string>(rowsOf).pluck().all();
  expect(keys.length).toBeGreaterThan(3);
  for (const key of keys) {
    spoil(db, key);
    const problem = expect.stringMatching(told);
    const expected = expect.objectContaining({ about: key, problem });
    expect(await bench.problems(), key).toContainEqual(expected);
    expect(await bench.problems(true)).toContainEqual(expected);
    expect(await bench.problems(), `${key} after its repair`).toEqual([]);
    tables.forEach((table, i) => {
      db.exec(`DELETE FROM ${table}`);
      for (const row of saved[i]!) {
        const names = Object.keys(row);
        const marks = names.map((name) => `@${name}`).join(", ");
        db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(row);
      }
    });
  }
  expect(await bench.problems()).toEqual([]);
  await bench.engine.close();
  db.close();
}

const RECORDS = "SELECT key FROM records";
const RANKINGS = "SELECT key FROM rankings";
const WITH_TEXTS =
  "SELECT DISTINCT records.key FROM records, json_each(fields) AS each WHERE each.type = 'integer'";

const write = (fields: string) => (db: Database.Database, key: string) =>
  void db.prepare("UPDATE records SET fields = ? WHERE key = ?").run(fields, key);
const resize = (size: number) => (db: Database.Database, key: string) =>
  void db.prepare("UPDATE rankings SET size = size + ? WHERE key = ?").run(size, key);

describe("check mends in one repair", () => {
  test.each(["x", "{}", '["a"]', "[1,2]", '["a",null]', ""])("each record that is %o", (fields) =>
    eachIsMended(RECORDS, write(fields), /cannot be read/),
  );

  test("each record without fields", () => eachIsMended(RECORDS, write("[]"), /cannot be read/));

  test("each record that names a long value that is gone", () =>
    eachIsMended(WITH_TEXTS, (db) => db.exec("DELETE FROM texts"), /has lost a value/));

  test.each([-1, 1, -1000, 1000])("each ranking whose size is wrong by %i", (by) =>
    eachIsMended(RANKINGS, resize(by), /wrong count of members/),
  );

  test("each record under the key of a ranking", () =>
    eachIsMended(
      RANKINGS,
      (db, key) =>
        db.prepare('INSERT INTO records (key, fields) VALUES (?, \'["a","b"]\')').run(key),
      /is a hash and sorted set, not a sorted set/,
    ));

  test("each ranking under the key of a record", () =>
    eachIsMended(
      RECORDS,
      (db, key) => {
        db.prepare("DELETE FROM records WHERE key = ?").run(key);
        const { lastInsertRowid } = db
          .prepare("INSERT INTO rankings (key, size) VALUES (?, 1)")
          .run(key);
        db.prepare("INSERT INTO members VALUES (?, 'a', 1)").run(lastInsertRowid);
      },
      /is a sorted set, not a (hash|string)/,
    ));
});

test("one record that cannot be read is refused by name, and does not stop the others", async () => {
  const file = freshFile();
  const engine = await EmbeddedEngine.open(file, { synchronous: "normal" });
  const bench = new Bench(engine, "sqlite");
  for (let i = 0; i < 5; i++) await bench.put("q", `x${i}`);
  const db = new Database(file);
  write("x")(db, "ql:j:x3");
  const told = 'Key ql:j:x3 cannot be read: "qless check --repair" mends the namespace';
  await refused(bench.call("get", "x3"), "DAMAGED_KEY", told);
  await refused(bench.put("q", "x3"), "DAMAGED_KEY", told);
  const found = await bench.json("multiget", "x2", "x3", "x4");
  expect(found.map(({ jid }: { jid: string }) => jid)).toEqual(["x2", "x4"]);
  expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["x0", "x1", "x2", "x4"]);
  await bench.problems(true);
  expect(await bench.problems()).toEqual([]);
  await engine.close();
  db.close();
});
