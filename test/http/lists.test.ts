import { expect, test } from "vitest";
import type { Announcement } from "../../src/engine.ts";
import { everyServer } from "./support.ts";

everyServer("lists", (open) => {
  test("tell of failures since when they are, in which queues, and what was said", async () => {
    const bench = await open();
    const queue = bench.client.queue("mail");
    for (const jid of ["a", "b"]) await queue.put("k", {}, { jid });
    for (const job of await queue.pop({ count: 2 })) {
      await job.fail("Smtp", `421 too many for ${job.jid}\n    at send`);
    }
    const { body } = await bench.get("/api/v1/failures?count=1");
    expect(body).toMatchObject({ total: 1, jobs: 2 });
    const [{ first, last, ...group }] = body.groups;
    expect(group).toEqual({
      ...{ group: "Smtp", count: 2, jid: "b", message: "421 too many for b" },
      queues: ["mail"],
    });
    expect(last).toBeGreaterThanOrEqual(first);
    expect(Math.abs(Date.now() / 1000 - first)).toBeLessThan(60);
    expect((await bench.get("/api/v1/failures?offset=1")).body.groups).toEqual([]);
  });

  test("tell since when the next in line waits", async () => {
    const bench = await open();
    await bench.client.queue("q").put("k", {});
    const { body } = await bench.get("/api/v1/queues/q");
    expect(Math.abs(Date.now() / 1000 - body.next_since)).toBeLessThan(60);
    expect((await bench.get("/api/v1/queues/none")).body.next_since).toBeNull();
  });

  test("give tracked jobs and recurring ones some at a time", async () => {
    const bench = await open();
    for (let i = 0; i < 5; i++) {
      await bench.client.queue("q").put("k", {}, { jid: `j${i}` });
      await bench.put(`/api/v1/jobs/j${i}/tracked`, { tracked: true });
      const options = { interval: 60, offset: 60, queue: `q${i % 2}` };
      await bench.put(`/api/v1/recurring/r${i}`, { klass: "k", ...options });
    }
    const jids = (jobs: { jid: string }[]) => jobs.map(({ jid }) => jid);
    const page = await bench.get("/api/v1/tracked?offset=1&count=2");
    expect(jids(page.body.jobs)).toHaveLength(2);
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let calls = 0; cursor !== null && calls < 10; calls++) {
      const { body } = await bench.get(`/api/v1/recurring?count=2&cursor=${cursor}`);
      seen.push(...jids(body.recurring));
      cursor = body.cursor;
    }
    expect(seen.toSorted()).toEqual(["r0", "r1", "r2", "r3", "r4"]);
    const refused = await bench.get("/api/v1/recurring?cursor=x");
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.body.error.message).toBe("The cursor is not one that a list has given");
  });

  test("show whether what recurs is paused, whichever way it comes again", async () => {
    const bench = await open();
    await bench.put("/api/v1/recurring/r", { klass: "k", interval: 60, offset: 60 });
    await bench.put("/api/v1/schedules/s", { klass: "k", cron: "0 3 * * *" });
    for (const path of ["/api/v1/recurring/r", "/api/v1/schedules/s"]) {
      const before = (await bench.get(path)).body;
      expect(before).toMatchObject({ paused: false, next: expect.any(Number) });
      await bench.post(`${path}/pause`, {});
      expect((await bench.get(path)).body).toMatchObject({ paused: true });
      await bench.post(`${path}/unpause`, {});
      expect((await bench.get(path)).body).toEqual(before);
    }
    await bench.post("/api/v1/recurring/r/pause", {});
    expect((await bench.get("/api/v1/recurring/r")).body.next).toBeNull();
    const { status, body } = await bench.post("/api/v1/recurring/none/pause", {});
    expect([status, body.error.code]).toEqual([404, "NO_SUCH_RECURRING"]);
  });

  test("show of a schedule all that it was given, so that an edit can keep it", async () => {
    const bench = await open();
    const given = {
      ...{ cron: "0 3 * * *", queue: "q", priority: -3, tags: ["x"], retries: 2, source: "shop" },
      ...{ backoff: "fixed 5", backlog: 7, jitter: 3 },
    };
    await bench.put("/api/v1/schedules/s", { klass: "k", data: { n: 1 }, ...given });
    await bench.put("/api/v1/schedules/plain", { klass: "k", cron: "0 3 * * *" });
    expect((await bench.get("/api/v1/schedules/s")).body).toMatchObject(given);
    const plain = { priority: 0, tags: [], retries: null, source: null, backoff: null };
    expect((await bench.get("/api/v1/schedules/plain")).body).toMatchObject(plain);
  });

  test("take a moment of any fineness", async () => {
    const bench = await open();
    for (const day of ["1763228312.1234567", "1763228312.12345678901234567", "0.1"]) {
      expect((await bench.get(`/api/v1/queues/q/stats?day=${day}`)).status, day).toBe(200);
      expect((await bench.get(`/api/v1/jobs?from=${day}`)).status, day).toBe(200);
    }
  });

  test("of what operators did are on the engine's log channel, for whoever listens there", async () => {
    const bench = await open();
    const heard: Announcement[] = [];
    const leave = await bench.client.engine.subscribe((one) => heard.push(one));
    await bench.post("/api/v1/queues/mail/pause", { reason: "a move" });
    await bench.client.queue("q").put("k", {}, { jid: "a" });
    await bench.put("/api/v1/jobs/a/priority", { priority: 1 });
    const told = () =>
      heard
        .filter(({ channel, message }) => channel === "log" && message.includes('"audit"'))
        .map(({ message }) => JSON.parse(message));
    await expect.poll(() => told().length).toBe(2);
    expect(told()).toEqual([
      {
        ...{ event: "audit", by: "anonymous", action: "pause", to: "mail", queue: "mail" },
        facts: { reason: "a move" },
      },
      {
        ...{ event: "audit", by: "anonymous", action: "priority", to: "a", count: 1 },
        facts: { priority: 1 },
      },
    ]);
    await leave();
  });
});
