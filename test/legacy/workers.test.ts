import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();
const held = (now: number, worker = "w") =>
  legacy.json<{ jobs: string[]; stalled: string[] }>("workers", now, worker);
const all = (now: number) =>
  legacy.json<{ name: string; jobs: number; stalled: number }[]>("workers", now);

async function given(...jids: string[]): Promise<void> {
  for (const jid of jids) await legacy.put(0, "q", jid);
  await legacy.pop(1, "q", "w");
}

describe("workers", () => {
  test("are none before anybody asked for work", async () => {
    await legacy.put(0, "q", "a");
    expect(await all(0)).toEqual([]);
    expect(await held(0)).toEqual({ jobs: [], stalled: [] });
  });

  test("tell what a worker holds", async () => {
    await given("a");
    expect(await held(2)).toEqual({ jobs: ["a"], stalled: [] });
    expect(await all(2)).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
  });

  test("list a worker that asked and got nothing", async () => {
    await legacy.pop(0, "q", "w");
    expect(await all(0)).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("list a worker that asked a paused queue", async () => {
    await legacy.call("pause", 0, "q");
    await legacy.pop(0, "q", "w");
    expect(await all(0)).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("are listed by when they were last seen, the latest first", async () => {
    await given("a");
    await legacy.pop(2, "q", "x");
    await legacy.pop(3, "q", "y");
    expect((await all(3)).map(({ name }) => name)).toEqual(["y", "x", "w"]);
    await legacy.call("heartbeat", 4, "a", "w");
    expect((await all(4)).map(({ name }) => name)).toEqual(["w", "y", "x"]);
    await legacy.pop(5, "p", "x");
    expect((await all(5)).map(({ name }) => name)).toEqual(["x", "w", "y"]);
  });

  test("tell jobs whose lock expired as stalled", async () => {
    await given("a");
    await legacy.peek(71, "q");
    expect(await held(71)).toEqual({ jobs: [], stalled: ["a"] });
    expect(await all(71)).toEqual([{ name: "w", jobs: 0, stalled: 1 }]);
  });

  test("tell a job as stalled from the moment its lock expires, and not twice", async () => {
    await given("a");
    expect(await held(60.9)).toEqual({ jobs: ["a"], stalled: [] });
    expect(await held(61)).toEqual({ jobs: [], stalled: ["a"] });
    expect(await all(61)).toEqual([{ name: "w", jobs: 0, stalled: 1 }]);
  });

  test("tell a job with a negative heartbeat as stalled at once", async () => {
    await legacy.call("config.set", 0, "heartbeat", -10);
    await legacy.put(100, "q", "a");
    await legacy.pop(100, "q", "w");
    expect(await held(100)).toEqual({ jobs: [], stalled: ["a"] });
    expect(await all(100)).toEqual([{ name: "w", jobs: 0, stalled: 1 }]);
  });

  test("tell a job that was taken away with its new worker only", async () => {
    await legacy.call("config.set", 0, "grace-period", 0);
    await given("a");
    await legacy.popped(71, "q", "x", ["a"]);
    expect(await held(71, "w")).toEqual({ jobs: [], stalled: [] });
    expect(await held(71, "x")).toEqual({ jobs: ["a"], stalled: [] });
    expect(await all(71)).toEqual([
      { name: "x", jobs: 1, stalled: 0 },
      { name: "w", jobs: 0, stalled: 0 },
    ]);
  });

  test("do not tell a job in its grace period as stalled", async () => {
    await given("a");
    await legacy.popped(71, "q", "x", []);
    expect((await held(71)).stalled).toEqual([]);
  });

  test("no longer tell a job that ended in any way", async () => {
    const ways: [command: string, ...args: (string | number)[]][] = [
      ["complete", "a", "w", "q", "{}"],
      ["complete", "a", "w", "q", "{}", "next", "p"],
      ["fail", "a", "w", "group", "message", "{}"],
      ["retry", "a", "q", "w", 0],
      ["retry", "a", "q", "w", 60],
      ["put", "w", "q", "a", "klass", "{}", 0],
      ["put", "other", "p", "a", "klass", "{}", 0],
      ["cancel", "a"],
      ["timeout", "a"],
    ];
    for (const [command, ...args] of ways) {
      await legacy.redis.flushall();
      await given("a");
      await legacy.call(command, 2, ...args);
      expect(await held(3), command).toEqual({ jobs: [], stalled: [] });
      expect(await all(3), command).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
    }
  });

  test("list their jobs by expiry, the latest first", async () => {
    for (const [i, jid] of ["a", "b", "c"].entries()) {
      await legacy.put(i, "q", jid);
      await legacy.pop(i, "q", "w");
    }
    expect((await held(3)).jobs).toEqual(["c", "b", "a"]);
    expect((await held(100)).stalled).toEqual(["c", "b", "a"]);
    expect(await held(61)).toEqual({ jobs: ["c"], stalled: ["b", "a"] });
  });
});

describe("max-worker-age", () => {
  test("forgets workers that were silent for a day", async () => {
    await legacy.pop(0, "q", "w");
    expect(await all(86_399)).toHaveLength(1);
    expect(await all(86_400)).toEqual([]);
  });

  test("is a setting", async () => {
    await legacy.call("config.set", 0, "max-worker-age", 10);
    await legacy.pop(1, "q", "w");
    expect(await all(10.9)).toHaveLength(1);
    expect(await all(15)).toEqual([]);
  });

  test("is counted from the last heartbeat, too", async () => {
    await legacy.call("config.set", 0, "max-worker-age", 10);
    await given("a");
    await legacy.call("heartbeat", 10, "a", "w");
    expect(await all(15)).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
  });

  test("forgets a worker that completed all it had", async () => {
    await legacy.call("config.set", 0, "max-worker-age", 3600);
    await given("a");
    await legacy.complete(1, "a", "w", "q");
    expect(await all(3601)).toEqual([]);
  });

  test("does not take the locks of a silent worker away", async () => {
    await legacy.call("config.set", 0, "max-worker-age", 10);
    await given("a");
    await all(30);
    expect(await held(30)).toEqual({ jobs: ["a"], stalled: [] });
    expect(await legacy.complete(31, "a", "w", "q")).toBe("complete");
  });
});

describe("worker.deregister", () => {
  test("takes workers off the list until they ask again", async () => {
    for (const worker of ["w", "x", "y"]) await legacy.pop(1, "q", worker);
    expect(await legacy.call("worker.deregister", 2, "w", "x", "missing")).toBeNull();
    expect((await all(2)).map(({ name }) => name)).toEqual(["y"]);
    await legacy.pop(3, "q", "w");
    expect((await all(3)).map(({ name }) => name)).toEqual(["w", "y"]);
  });

  test("lists a worker again that asks in the same moment", async () => {
    await legacy.pop(1, "q", "w");
    await legacy.call("worker.deregister", 1, "w");
    expect(await all(1)).toEqual([]);
    await legacy.pop(1, "q", "w");
    expect((await all(1)).map(({ name }) => name)).toEqual(["w"]);
  });

  test("leaves the jobs it holds", async () => {
    await given("a");
    await legacy.call("worker.deregister", 2, "w");
    expect(await held(2)).toEqual({ jobs: ["a"], stalled: [] });
    expect(await legacy.complete(3, "a", "w", "q")).toBe("complete");
  });

  test("is refused without a name", async () => {
    await expect(legacy.call("worker.deregister", 0)).rejects.toThrow();
  });
});
