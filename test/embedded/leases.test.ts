import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { type PoppedJob, popped } from "../engines.ts";

/** Leases stay unique when a file goes back to an earlier state. */

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "qless-leases-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(file: string): Promise<EmbeddedEngine> {
  const engine = await EmbeddedEngine.open(file, { namespace: "ql", synchronous: "normal" });
  onTestFinished(() => engine.close());
  return engine;
}

const put = (engine: EmbeddedEngine, ...jids: string[]) =>
  engine.call("put.many", ["p", ...jids.flatMap((jid) => ["q", jid, "k", "{}", 0, 0])]);

async function take(engine: EmbeddedEngine): Promise<PoppedJob> {
  return popped(await engine.call("pop", ["q", "w", 1]))[0]!;
}

async function expectRefused(engine: EmbeddedEngine, { jid, lease }: PoppedJob): Promise<void> {
  const complete = engine.call("complete", [jid, "w", "q", "{}", "lease", lease]);
  await expect(complete).rejects.toMatchObject({ code: "LOCK_LOST" });
  const beat = engine.call("heartbeat", [jid, "w", "", "lease", lease]);
  await expect(beat).rejects.toMatchObject({ code: "LOCK_LOST" });
}

/** Makes the file's contents those of the other again, as a restored backup does. */
function copyBack(file: string, older: string): void {
  const database = new Database(file);
  database.prepare("ATTACH ? AS older").run(older);
  const tables = database
    .prepare(
      "SELECT name FROM older.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all() as string[];
  database.transaction(() => {
    for (const table of tables) {
      database.exec(
        `DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM older.${table}`,
      );
    }
  })();
  database.close();
}

function backUp(file: string, to: string): void {
  const database = new Database(file);
  database.prepare("VACUUM INTO ?").run(to);
  database.close();
}

test("a process that lives while its file is copied back gives new leases", async () => {
  const folder = newFolder();
  const [file, older] = [join(folder, "q.db"), join(folder, "older.db")];
  const engine = await open(file);
  await put(engine, "a", "b");
  await take(engine);
  backUp(file, older);
  const first = await take(engine);
  copyBack(file, older);
  const second = await take(engine);
  expect(second.jid).toBe(first.jid);
  expect(second.lease).toBeGreaterThan(first.lease);
  await expectRefused(engine, first);
});

test("a process that opens an older copy of a file gives new leases", async () => {
  const folder = newFolder();
  const [file, older] = [join(folder, "q.db"), join(folder, "older.db")];
  const engine = await open(file);
  await put(engine, "a", "b");
  await take(engine);
  backUp(file, older);
  const first = await take(engine);
  await engine.close();
  const again = await open(older);
  const second = await take(again);
  expect(second.jid).toBe(first.jid);
  expect(second.lease).toBeGreaterThan(first.lease);
  await expectRefused(again, first);
});

test("two engines on one file give growing leases in turns", async () => {
  const file = join(newFolder(), "q.db");
  const engines = [await open(file), await open(file)];
  await put(engines[0]!, ..."abcdef");
  const leases: number[] = [];
  for (let i = 0; i < 6; i++) leases.push((await take(engines[i % 2]!)).lease);
  expect(leases).toEqual([...new Set(leases)].toSorted((a, b) => a - b));
});
