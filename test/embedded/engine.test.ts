import { copyFileSync, renameSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { type CommandName, Refused, Unreachable } from "../../src/engine.ts";
import { freshFile, hear, stubEngine } from "./support.ts";

/** Another connection, such as another process would have. */
function stranger(file: string): Database.Database {
  const db = new Database(file);
  onTestFinished(() => void db.close());
  return db;
}

describe("engine: calls", () => {
  test("runs the commands of the core", async () => {
    const engine = await EmbeddedEngine.open(":memory:", { clock: () => 1_700_000_000_000 });
    onTestFinished(() => engine.close());
    expect(await engine.call("put", ["w", "q", "jid", "klass", '{"a":1}', 0])).toBe("jid");
    const expires = "1700000060.000";
    expect(await engine.call("pop", ["q", "w", 1])).toEqual([
      `jid\tklass\tq\t1\t${expires}\t\t{"a":1}`,
    ]);
    expect(await engine.call("complete", ["jid", "w", "q", "{}"])).toBe("complete");
  });

  test("takes the time of the call, or else its own clock", async () => {
    const engine = await EmbeddedEngine.open(":memory:", { clock: () => 5_000 });
    onTestFinished(() => engine.close());
    await engine.call("put", ["w", "q", "a", "k", "{}", 60]);
    expect(await engine.call("pop", ["q", "w", 1], { now: 64_999 })).toEqual([]);
    expect(await engine.call("pop", ["q", "w", 1], { now: 65_000 })).toHaveLength(1);
  });

  test("answers a repeated request as the first time", async () => {
    const engine = await EmbeddedEngine.open(":memory:");
    onTestFinished(() => engine.close());
    await engine.call("put", ["w", "q", "a", "k", "{}", 0]);
    const first = await engine.call("pop", ["q", "w", 1], { request: "r1" });
    expect(await engine.call("pop", ["q", "w", 1], { request: "r1" })).toEqual(first);
  });

  test("refuses a command that there is not", async () => {
    const { call } = await stubEngine();
    for (const name of ["nonsense", "constructor", "__proto__", "toString", ""]) {
      const refusal = { name: "Refused", code: "UNKNOWN_COMMAND" };
      await expect(call(name)).rejects.toMatchObject(refusal);
      await expect(call(name)).rejects.toThrow(`There is no command "${name}"`);
    }
  });

  test.each<[unknown, string]>([
    [null, "not null"],
    [undefined, "not undefined"],
    [true, "not boolean"],
    [{}, "not object"],
    [1n, "not bigint"],
    [Number.NaN, "not NaN"],
    [Number.POSITIVE_INFINITY, "not Infinity"],
    ["\ud800", "half of a surrogate pair"],
  ])("refuses the argument %o", async (given, reason) => {
    const { engine } = await stubEngine();
    const call = engine.call("set" as CommandName, ["a", given as string]);
    await expect(call).rejects.toMatchObject({ name: "Invalid", code: "BAD_ARGUMENT" });
    await expect(call).rejects.toThrow(reason);
  });

  test.each([{ now: Number.NaN }, { request: "\udc00" }])(
    "refuses the options %o",
    async (options) => {
      const { engine } = await stubEngine();
      const call = engine.call("set" as CommandName, ["a", "1"], options);
      await expect(call).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    },
  );

  test("carries any Unicode text and numbers as they are written", async () => {
    const { call } = await stubEngine();
    for (const value of ["é\0\n\"'𝒜\uffee", "", " "]) {
      await call("set", "a", value);
      expect(await call("get", "a")).toBe(value);
    }
    expect(await call("set", "a", 1.5)).toBe("1.5");
  });

  test("turns what the core refuses into a refusal, and leaves other errors as they are", async () => {
    const { call } = await stubEngine();
    const refusal = await call("refuse").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refused);
    expect(refusal).toMatchObject({ code: "NO_SUCH_JOB", message: "There is no such job" });
    await expect(call("stumble")).rejects.toThrow(TypeError);
  });

  test("does not let a reading command write", async () => {
    const { call } = await stubEngine();
    await expect(call("writeWhileReading")).rejects.toThrow("declared as reading");
  });
});

describe("engine: transactions", () => {
  test("commits the calls of one turn together", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const file = freshFile();
    const { call } = await stubEngine(file);
    await Promise.all(Array.from({ length: 50 }, (_, i) => call("announce", `${i}`)));
    // Every transaction leaves one row of announcements.
    const rows = stranger(file).prepare("SELECT messages FROM announcements").pluck().all();
    expect(rows).toHaveLength(1);
    expect(JSON.parse(rows[0] as string)).toHaveLength(100);
  });

  test("leaves nothing of a call that is refused late, and all of the calls around it", async () => {
    const file = freshFile();
    const { call } = await stubEngine(file);
    const outcomes = await Promise.allSettled([
      call("set", "a", "1"),
      call("refuseLate", "b"),
      call("refuse"),
      call("set", "c", "1"),
      call("refuseLate", "a"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
    expect(await Promise.all(["a", "b", "c"].map((key) => call("get", key)))).toEqual([
      "1",
      false,
      "1",
    ]);
    const other = stranger(file);
    expect(other.prepare("SELECT count(*) FROM members").pluck().get()).toBe(0);
  });

  test("reads while another process writes", async () => {
    const file = freshFile();
    const { call } = await stubEngine(file);
    await call("set", "a", "1");
    const other = stranger(file);
    other.exec("BEGIN IMMEDIATE; INSERT INTO texts (text) VALUES ('x')");
    expect(await call("get", "a")).toBe("1");
    other.exec("COMMIT");
  });

  test("waits for another process that writes, without stopping the event loop", async () => {
    const file = freshFile();
    const { call } = await stubEngine(file);
    const other = stranger(file);
    other.exec("BEGIN IMMEDIATE");
    const answered = vi.fn();
    const writing = call("set", "a", "1").then(answered);
    const began = performance.now();
    for (let turns = 0; turns < 10; turns++) await wait(10);
    expect(performance.now() - began).toBeLessThan(1500);
    expect(answered).not.toHaveBeenCalled();
    other.exec("COMMIT");
    await writing;
    expect(await call("get", "a")).toBe("1");
  });

  test("loses no call when several engines write one file", async () => {
    const file = freshFile();
    const engines = await Promise.all([1, 2, 3].map(() => stubEngine(file)));
    const work = engines.map(async ({ call }, who) => {
      for (let i = 0; i < 40; i++) await call("set", `${who}-${i}`, i);
    });
    await Promise.all(work);
    const records = stranger(file)
      .prepare("SELECT count(*) FROM records WHERE key <> 'ql'")
      .pluck();
    expect(records.get()).toBe(120);
  });
});

describe("engine: outages", () => {
  test("says that the disk is full, changes nothing, and goes on when there is room", async () => {
    const file = freshFile();
    const { call, db, engine } = await stubEngine(file);
    const heard = await hear(engine);
    await call("set", "a", "1");
    const pages = db.pragma("page_count", { simple: true });
    db.pragma(`max_page_count = ${pages}`);
    const long = "x".repeat(100_000);
    const calls = [call("set", "a", "2"), call("set", "b", long), call("announce", "never")];
    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(Unreachable);
      expect(reason).toMatchObject({
        code: "DISK_FULL",
        uncertain: false,
        message: `The disk that holds ${file} is full: make room, and call again`,
      });
    }
    expect(await call("get", "a")).toBe("1");
    expect(await call("get", "b")).toBe(false);
    db.pragma("max_page_count = 1000000");
    expect(await call("set", "b", long)).toBe(long);
    expect(heard).toEqual([]);
  });

  test("says that the file was deleted, since nobody would find what is written there", async () => {
    const file = freshFile();
    const { call } = await stubEngine(file);
    rmSync(file);
    await expect(call("set", "a", "1")).rejects.toMatchObject({ code: "FILE_REPLACED" });
  });

  test("says that the file was replaced, within moments", async () => {
    const file = freshFile();
    const { call } = await stubEngine(file);
    await call("set", "a", "1");
    copyFileSync(file, `${file}.new`);
    renameSync(`${file}.new`, file);
    const code = () =>
      call("get", "a").then(
        () => "",
        (outage: Unreachable) => outage.code,
      );
    await expect.poll(code, { timeout: 5000 }).toBe("FILE_REPLACED");
  });
});

describe("engine: closing", () => {
  test("waits for the calls that were made", async () => {
    const file = freshFile();
    const { engine, call } = await stubEngine(file);
    const calls = Array.from({ length: 700 }, (_, i) => call("set", `k${i}`, i));
    await engine.close();
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === "fulfilled")).toBe(true);
  });

  test("waits for calls that wait for another process", async () => {
    const file = freshFile();
    const { engine, call } = await stubEngine(file);
    const other = stranger(file);
    other.exec("BEGIN IMMEDIATE");
    const writing = call("set", "a", "1");
    setTimeout(() => other.exec("COMMIT"), 30);
    await engine.close();
    expect(await writing).toBe("1");
  });

  test("refuses calls and subscriptions from then on", async () => {
    const { engine, call } = await stubEngine();
    const closing = engine.close();
    const closed = { name: "Unreachable", code: "CLOSED" };
    await expect(call("set", "a", "1")).rejects.toMatchObject(closed);
    await expect(engine.subscribe(() => {})).rejects.toMatchObject(closed);
    await closing;
    await expect(call("get", "a")).rejects.toThrow("is closed: open another one");
  });

  test("may be asked for twice, and by listeners who have not left", async () => {
    const { engine } = await stubEngine();
    const leave = await engine.subscribe(() => {});
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    await leave();
  });

  test("leaves one file, without a log beside it", async () => {
    const file = freshFile();
    const { engine, call } = await stubEngine(file);
    await call("set", "a", "1");
    await engine.close();
    const db = stranger(file);
    expect(db.prepare("SELECT count(*) FROM records").pluck().get()).toBe(2);
  });
});
