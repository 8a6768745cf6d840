import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { EngineClock } from "../../src/client/engine-clock.ts";
import { QueueHistory } from "../../src/http/history.ts";
import { HistoryRing } from "../../src/http/history-ring.ts";
import { everyServer } from "./support.ts";

const point = (waiting: number, completed = 0) => ({
  ...{ waiting, running: 0, open: waiting },
  ...{ completed, failed: 0 },
});

describe("a stretch of history", () => {
  test("tells the last of each step, and what ended in it added up", () => {
    const ring = new HistoryRing(10, 3);
    ring.note(100, point(5, 1));
    ring.note(109, point(7, 2));
    ring.note(110, point(1, 4));
    expect(ring.told("waiting", 119)).toEqual([null, 7, 1]);
    expect(ring.told("completed", 119)).toEqual([null, 3, 4]);
  });

  test("leaves out what nobody looked at, and what is too long ago", () => {
    const ring = new HistoryRing(10, 4);
    ring.note(100, point(1));
    ring.note(130, point(4));
    expect(ring.told("waiting", 130)).toEqual([1, null, null, 4]);
    expect(ring.told("waiting", 150)).toEqual([null, 4, null, null]);
    ring.note(1000, point(9));
    expect(ring.told("waiting", 1000)).toEqual([null, null, null, 9]);
    expect(ring.told("waiting", 5000)).toEqual([null, null, null, null]);
  });

  test("passes over a look that comes from before the last", () => {
    const ring = new HistoryRing(10, 2);
    ring.note(200, point(1));
    ring.note(150, point(2));
    expect(ring.told("waiting", 200)).toEqual([null, 1]);
  });
});

/** Half a minute before a midnight, in milliseconds. */
const LATE = 1_800_000_000_000 - (1_800_000_000_000 % 86_400_000) - 30_000;

/** A history by a clock that the test sets, and jobs that are put and completed by it. */
function watched(client: Client) {
  const clock = { at: LATE, now: async () => clock.at };
  const history = new QueueHistory(client, clock as object as EngineClock, undefined);
  const call = (command: "put" | "pop" | "complete", ...words: (string | number)[]) =>
    client.engine.call(command, words, { now: clock.at });
  const put = (queue: string, jid: string) => call("put", "w", queue, jid, "k", "{}", 0);
  return {
    history,
    clock,
    put,
    async complete(queue: string, jid: string) {
      await put(queue, jid);
      await call("pop", queue, "w", 1);
      await call("complete", jid, "w", queue, "{}");
    },
    last: (queue: string, series: "waiting" | "open" | "completed", count: number) =>
      history
        .ring(queue, "10m")!
        .told(series, clock.at / 1000)
        .slice(-count),
  };
}

everyServer("the history", (open) => {
  test("counts what ended between two looks, over midnight too", async () => {
    const { client } = await open({ history: false });
    const { history, clock, put, complete, last } = watched(client);
    await complete("q", "before");
    await history.look();
    for (const jid of ["a", "b"]) await complete("q", jid);
    await put("r", "waits");
    clock.at += 10_000;
    await history.look();
    await complete("q", "c");
    clock.at += 25_000;
    await complete("q", "d");
    await history.look();
    expect(last("q", "completed", 4)).toEqual([0, 2, null, 2]);
    expect(last("r", "waiting", 3)).toEqual([1, null, 1]);
    expect(
      history
        .ring("q", "24h")!
        .told("completed", clock.at / 1000)
        .slice(-2),
    ).toEqual([2, 2]);
  });

  test("forgets queues that are forgotten, and keeps no more than a hundred", async () => {
    const { client } = await open({ history: false });
    const { history, put } = watched(client);
    for (let i = 0; i < 102; i++) await put(`q${i}`, `j${i}`);
    await history.look();
    expect(history.names()).toHaveLength(100);
    expect(history.queues).toBeGreaterThan(100);
    await client.cancel(["j0"]);
    await client.queue("q0").forget();
    await history.look();
    expect(history.names()).not.toContain("q0");
    expect(history.names()).toHaveLength(100);
  });

  test("is there soon after the server has started, of all queues and of one", async () => {
    const bench = await open();
    await bench.client.queue("q").put("k", {});
    await expect
      .poll(async () => (await bench.get("/api/v1/history")).body.queues.length, {
        timeout: 15_000,
      })
      .toBe(1);
    const { body } = await bench.get("/api/v1/history?span=10m&count=100");
    expect(body).toMatchObject({ step: 10, is_cut: false, queues: [{ name: "q" }] });
    expect(body.queues[0].waiting).toHaveLength(60);
    expect(body.queues[0].waiting.filter((n: number | null) => n !== null)).toEqual([1]);
    const one = await bench.get("/api/v1/queues/q/history?span=24h");
    expect(one.body).toMatchObject({ step: 60, is_kept: true, history: { name: "q" } });
    expect(one.body.history.waiting).toHaveLength(1440);
    const ago = Date.now() / 1000 - one.body.begin;
    expect(Math.floor(ago / 3600)).toBe(23);
    const none = await bench.get("/api/v1/queues/none/history");
    expect(none.body).toMatchObject({ is_kept: false, history: { name: "none" } });
  });

  test("of a span that there is not is refused", async () => {
    const bench = await open();
    const refused = await bench.get("/api/v1/history?span=1y");
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    expect(refused.body.error.message).toBe("span must be one of 10m, 24h");
  });
});
