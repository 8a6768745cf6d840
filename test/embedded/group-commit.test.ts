import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { GroupCommit, type Task, type Transactions } from "../../src/embedded/group-commit.ts";

/** Transactions that only note what happens to them, and fail when told to. */
class Noted implements Transactions {
  readonly notes: string[] = [];
  readonly failures: { at: string; error: unknown; times: number }[] = [];
  changes = 0;

  fail(at: string, code: string, times = 1): void {
    this.failures.push({ at, error: new Database.SqliteError("no luck", code), times });
  }

  begin(writing: boolean): void {
    this.#note(writing ? "write" : "read");
  }

  commit(): void {
    this.#note("commit");
  }

  rollback(): void {
    this.notes.push("rollback");
  }

  #note(what: string): void {
    this.notes.push(what);
    const failure = this.failures.find(({ at, times }) => at === what && times > 0);
    if (failure === undefined) return;
    failure.times -= 1;
    throw failure.error;
  }
}

/** A line of calls in which no time passes, lest a slow machine part what belongs together. */
function line() {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const noted = new Noted();
  const group = new GroupCommit(noted, "/q.db");
  const task = (name: string, run: () => void = () => {}, writes = true): Task => ({
    writes,
    run() {
      noted.notes.push(name);
      run();
      return name;
    },
  });
  return { noted, group, task };
}

/** Fails, after writing if told so. */
function failing(noted: Noted, writing: boolean): () => never {
  return () => {
    if (writing) noted.changes += 1;
    throw new Error("refused");
  };
}

describe("group commit", () => {
  test("puts the calls of one turn into one transaction, in their order", async () => {
    const { noted, group, task } = line();
    const calls = ["a", "b", "c"].map((name) => group.add(task(name)));
    expect(await Promise.all(calls)).toEqual(["a", "b", "c"]);
    expect(noted.notes).toEqual(["write", "a", "b", "c", "commit"]);
  });

  test("lets calls from different input of one turn meet", async () => {
    const { noted, group, task } = line();
    const calls: Promise<unknown>[] = [];
    await new Promise<void>((resolve) => {
      setTimeout(() => calls.push(group.add(task("a"))), 5);
      setTimeout(() => resolve(void calls.push(group.add(task("b")))), 5);
      const until = Date.now() + 10;
      while (Date.now() < until);
    });
    await Promise.all(calls);
    expect(noted.notes).toEqual(["write", "a", "b", "commit"]);
  });

  test("answers nobody before the commit", async () => {
    const { noted, group, task } = line();
    const calls = ["a", "b"].map((name) =>
      group.add(task(name)).then(() => noted.notes.push(`${name} answered`)),
    );
    await Promise.all(calls);
    expect(noted.notes).toEqual(["write", "a", "b", "commit", "a answered", "b answered"]);
  });

  test("takes no write lock when everyone only reads", async () => {
    const { noted, group, task } = line();
    await Promise.all(["a", "b"].map((name) => group.add(task(name, undefined, false))));
    expect(noted.notes).toEqual(["read", "a", "b", "commit"]);
  });

  test("takes one write lock for readers and writers together", async () => {
    const { noted, group, task } = line();
    await Promise.all([group.add(task("a", undefined, false)), group.add(task("b"))]);
    expect(noted.notes).toEqual(["write", "a", "b", "commit"]);
  });

  test("cuts a long line into several transactions", async () => {
    const { noted, group, task } = line();
    await Promise.all(Array.from({ length: 1200 }, () => group.add(task("."))));
    expect(noted.notes.filter((note) => note === ".")).toHaveLength(1200);
    expect(noted.notes.filter((note) => note === "commit")).toHaveLength(3);
  });

  test("cuts slow calls into several transactions", async () => {
    const { noted, group, task } = line();
    const slow = () => void vi.advanceTimersByTime(30);
    await Promise.all([group.add(task("a", slow)), group.add(task("b"))]);
    expect(noted.notes).toEqual(["write", "a", "commit", "write", "b", "commit"]);
  });

  test("refuses one call without touching the others", async () => {
    const { noted, group, task } = line();
    const a = group.add(task("a"));
    const b = group.add(task("b", failing(noted, false)));
    const c = group.add(task("c"));
    await expect(b).rejects.toThrow("refused");
    expect(await Promise.all([a, c])).toEqual(["a", "c"]);
    expect(noted.notes).toEqual(["write", "a", "b", "c", "commit"]);
  });

  test("undoes all and makes them again one by one when a call fails after writing", async () => {
    const { noted, group, task } = line();
    const a = group.add(task("a"));
    const b = group.add(task("b", failing(noted, true)));
    const c = group.add(task("c"));
    await expect(b).rejects.toThrow("refused");
    expect(await Promise.all([a, c])).toEqual(["a", "c"]);
    const first = ["write", "a", "b", "rollback"];
    const again = ["write", "a", "commit", "write", "b", "rollback", "write", "c", "commit"];
    expect(noted.notes).toEqual([...first, ...again]);
  });
});

describe("group commit: outages", () => {
  test("tells every call of the group when the commit fails, and goes on", async () => {
    const { noted, group, task } = line();
    noted.fail("commit", "SQLITE_FULL");
    const calls = ["a", "b"].map((name) => group.add(task(name)));
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ name: "Unreachable", code: "DISK_FULL" });
    }
    expect(noted.notes).toEqual(["write", "a", "b", "commit", "rollback"]);
    expect(await group.add(task("c"))).toBe("c");
  });

  test("tells every call of the group when SQLite fails in one of them", async () => {
    const { noted, group, task } = line();
    const a = group.add(task("a"));
    const b = group.add(
      task("b", () => {
        throw new Database.SqliteError("no luck", "SQLITE_IOERR_WRITE");
      }),
    );
    await expect(a).rejects.toMatchObject({ code: "DISK_ERROR" });
    await expect(b).rejects.toMatchObject({ code: "DISK_ERROR" });
    expect(noted.notes).toEqual(["write", "a", "b", "rollback"]);
  });

  test.each(["write", "commit"])("tries again when others are busy at %s", async (at) => {
    const { noted, group, task } = line();
    noted.fail(at, "SQLITE_BUSY", 3);
    expect(await Promise.all([group.add(task("a")), group.add(task("b"))])).toEqual(["a", "b"]);
    expect(noted.notes.slice(-4)).toEqual(["write", "a", "b", "commit"]);
  });

  test("keeps the order of calls that come while others are busy", async () => {
    const { noted, group, task } = line();
    noted.fail("write", "SQLITE_BUSY", 2);
    const a = group.add(task("a"));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([a, group.add(task("b"))]);
    expect(noted.notes.filter((note) => note.length === 1)).toEqual(["a", "b"]);
  });

  test("gives up waiting for others after five seconds, call by call", async () => {
    const { noted, group, task } = line();
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setImmediate"] });
    noted.fail("write", "SQLITE_BUSY", Number.POSITIVE_INFINITY);
    const early = group.add(task("a")).catch((outage: unknown) => outage);
    await vi.advanceTimersByTimeAsync(4000);
    const late = group.add(task("b"));
    const answered = vi.fn();
    late.then(answered);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await early).toMatchObject({
      name: "Unreachable",
      code: "BUSY",
      message: "/q.db is locked by another process: see which one holds it, and call again",
    });
    expect(answered).not.toHaveBeenCalled();
    noted.failures.length = 0;
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toBe("b");
    expect(noted.notes.slice(-3)).toEqual(["write", "b", "commit"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("rests when nobody waits any more", async () => {
    const { noted, group, task } = line();
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setImmediate"] });
    noted.fail("write", "SQLITE_BUSY", Number.POSITIVE_INFINITY);
    const call = group.add(task("a")).catch(() => "given up");
    await vi.advanceTimersByTimeAsync(6000);
    expect(await call).toBe("given up");
    expect(vi.getTimerCount()).toBe(0);
  });
});
