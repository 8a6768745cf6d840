import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Command } from "../../src/core/command.ts";
import type { Reply } from "../../src/core/text.ts";
import { openDatabase } from "../../src/embedded/database.ts";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { SqliteStore } from "../../src/embedded/sqlite-store.ts";
import type { Announcement, CommandName, Engine } from "../../src/engine.ts";

/** A directory that is gone after the test. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "qless-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export const freshFile = () => join(freshDirectory(), "queue.db");

/** A database that is closed after the test. */
export async function freshDatabase(path = ":memory:") {
  const db = await openDatabase(path, "normal");
  onTestFinished(() => void db.close());
  return db;
}

/** A store that is already inside a writing transaction. */
export async function freshStore(path = ":memory:"): Promise<SqliteStore> {
  const store = new SqliteStore(await freshDatabase(path), () => {});
  store.begin(true);
  return store;
}

type Run = Command["run"];

/** A command that takes any texts. */
export function stub(writes: boolean, run: (...given: Parameters<Run>) => Reply): Command {
  const takes = [["texts", "rest", "?"]] as const;
  return { says: "Stub", takes, options: [], gives: "text", writes, frees: false, run };
}

/** The words behind the time of the call, in whose place the list itself stands. */
const textsOf = (args: unknown) => (args as [string[]])[0].slice(1);

/** Commands that do to the store what a test wants to see done. */
export const STUBS: Record<string, Command> = {
  set: stub(true, (store, _now, args) => {
    const [key, value] = textsOf(args);
    store.set(`ql:${key}`, ["value", value!]);
    return value!;
  }),
  get: stub(false, (store, _now, args) => store.field(`ql:${textsOf(args)[0]}`, "value")),
  announce: stub(true, (store, _now, args) => {
    for (const message of textsOf(args)) store.announce("ql:log", message);
    return false;
  }),
  refuse: stub(true, () => {
    throw { err: "NO_SUCH_JOB There is no such job" };
  }),
  refuseLate: stub(true, (store, _now, args) => {
    store.set(`ql:${textsOf(args)[0]}`, ["value", "late"]);
    store.rank("ql:late", [1, "late"]);
    store.announce("ql:log", "late");
    throw { err: "LOCK_LOST It was lost too late" };
  }),
  stumble: stub(true, () => {
    throw new TypeError("A bug");
  }),
  writeWhileReading: stub(false, (store) => {
    store.set("ql:sneaky", ["value", "1"]);
    return false;
  }),
};

/** An engine that knows the commands above, closed after the test. */
export async function stubEngine(path = ":memory:", namespace = "ql"): Promise<StubEngine> {
  const db = await openDatabase(path, "full");
  const engine = new EmbeddedEngine({ db, namespace, clock: Date.now, commands: STUBS });
  onTestFinished(() => engine.close());
  return { engine, db, call: (name, ...args) => engine.call(name as CommandName, args) };
}

export interface StubEngine {
  engine: Engine;
  db: Awaited<ReturnType<typeof openDatabase>>;
  call(name: string, ...args: (string | number)[]): Promise<Reply>;
}

/** Listens until the test is over, and returns the growing list of messages heard. */
export async function hear(engine: Engine): Promise<string[]> {
  const heard: string[] = [];
  await engine.subscribe(({ message }: Announcement) => void heard.push(message));
  return heard;
}
