import { describe, expect, test } from "vitest";
import { ticksFor } from "../../src/client/calendar.ts";
import { openTestQueue } from "../../src/testing/index.ts";
import { everyClient } from "./every-client.ts";

everyClient("a schedule", (open) => {
  test("is defined once, however often it is said", async () => {
    const client = await open();
    const set = (data: object) =>
      client.schedules.set("s", "report", data, { cron: "0 9 * * 1-5", zone: "Europe/Berlin" });
    await set({ a: 1 });
    const first = await client.schedules.get("s");
    await set({ a: 1 });
    expect(await client.schedules.get("s")).toEqual(first);
    expect(first).toMatchObject({
      jid: "s",
      klass: "report",
      queue: "report",
      data: { a: 1 },
      cron: "0 9 * * 1-5",
      zone: "Europe/Berlin",
      overlap: "allow",
      missed: "one",
      backlog: 100,
      paused: false,
      runs: 0,
      last: undefined,
    });
    expect(first!.next!.getTime()).toBeGreaterThan(Date.now());
    await set({ a: 2 });
    expect(await client.schedules.list()).toMatchObject([{ jid: "s", data: { a: 2 } }]);
    expect(await client.schedules.remove("s")).toBe(true);
    expect(await client.schedules.remove("s")).toBe(false);
    expect(await client.schedules.get("s")).toBeUndefined();
  });

  test("is fired once by many", async () => {
    const client = await open();
    await client.schedules.set("s", "k", 1, { cron: "* * * * * *", missed: "one" });
    await expect
      .poll(
        async () => {
          const fired = await Promise.all([1, 2, 3, 4].map(() => client.schedules.fireDue()));
          return fired.flat().length;
        },
        { timeout: 5000 },
      )
      .toBeGreaterThan(0);
    const { runs, lastJid } = (await client.schedules.get("s"))!;
    expect(await client.queue("k").length()).toBe(runs);
    expect((await client.get(lastJid!))!.spawnedFrom).toBe("s");
  });

  test.each([
    ["what is no expression", "every day", "UTC", "cannot be read"],
    ["a zone that does not exist", "* * * * *", "Mars/Base", "cannot be read"],
    ["a day that never comes", "0 0 30 2 *", "UTC", "never comes round"],
  ])("is refused for %s", async (_name, cron, zone, sentence) => {
    const client = await open();
    const set = client.schedules.set("s", "k", 1, { cron, zone });
    await expect(set).rejects.toThrow(sentence);
    await expect(set).rejects.toMatchObject({ name: "Invalid" });
    expect(await client.schedules.list()).toEqual([]);
  });

  test("tells when it comes round, in its zone", async () => {
    const client = await open();
    const runs = client.schedules.nextRuns(
      "30 2 * * *",
      3,
      "Europe/Berlin",
      "2031-03-29T00:00:00Z",
    );
    expect(runs.map((run) => run.toISOString().slice(0, 13))).toEqual([
      "2031-03-29T01",
      "2031-03-30T01",
      "2031-03-31T00",
    ]);
  });

  test("rests while it is paused", async () => {
    const client = await open();
    await client.schedules.set("s", "k", 1, { cron: "0 0 1 1 *" });
    await client.schedules.pause("s");
    expect(await client.schedules.get("s")).toMatchObject({ paused: true });
    await client.schedules.unpause("s");
    expect(await client.schedules.get("s")).toMatchObject({ paused: false });
    await expect(client.schedules.pause("none")).rejects.toMatchObject({ name: "NoSuchJob" });
  });
});

describe("on a clock that the test moves", () => {
  const HOURLY = { cron: "0 * * * *" };

  test("a tick is put at its time, under a jid that says which", async () => {
    await using queue = await openTestQueue();
    const { schedules } = queue.client;
    await schedules.set("s", "k", { a: 1 }, HOURLY);
    expect(await schedules.fireDue()).toEqual([]);
    await queue.advance("1h");
    const tick = queue.clock.now() / 1000;
    expect(await schedules.fireDue()).toEqual([`s-${tick}`]);
    expect(await schedules.fireDue()).toEqual([]);
    expect(await queue.expectPut("k", { a: 1 } as never)).toHaveLength(1);
  });

  test("all that are due at one moment are fired in one round, however many", async () => {
    await using queue = await openTestQueue();
    const { schedules } = queue.client;
    const jids = Array.from({ length: 250 }, (_, i) => `s${100 + i}`);
    await Promise.all(jids.map((jid) => schedules.set(jid, "k", 1, HOURLY)));
    await queue.advance("1h");
    const put = await schedules.fireDue();
    expect(put.map((jid) => jid.split("-")[0]).toSorted()).toEqual(jids);
    expect(await schedules.fireDue()).toEqual([]);
  });

  test("one that cannot be fired does not keep the others from it", async () => {
    await using queue = await openTestQueue();
    const { schedules, engine } = queue.client;
    const next = queue.clock.now() / 1000 + 3600;
    await engine.call("cron.put", ["a", "q", "k", "1", "never", "UTC", next]);
    await schedules.set("b", "k", 1, HOURLY);
    await queue.advance("2h");
    await expect(schedules.fireDue()).rejects.toThrow("cannot be read");
    expect((await schedules.get("b"))!.runs).toBe(1);
  });

  test.each([
    ["skip", 0, {}],
    ["one", 1, {}],
    ["all", 5, {}],
    ["all", 2, { backlog: 2 }],
  ] as const)("of five missed ticks, %s puts %i", async (missed, count, more) => {
    await using queue = await openTestQueue();
    const { schedules } = queue.client;
    await schedules.set("s", "k", 1, { ...HOURLY, missed, ...more });
    await queue.advance("5h 30m");
    expect(await schedules.fireDue()).toHaveLength(count);
    expect(await schedules.fireDue()).toEqual([]);
    const { next } = (await schedules.get("s"))!;
    expect(next!.getTime() - queue.clock.now()).toBe(30 * 60_000);
    // The next one comes on time, whatever was missed before.
    await queue.advance("30m");
    expect(await schedules.fireDue()).toHaveLength(1);
  });

  test("a child that has not ended keeps the next one away, where that was asked for", async () => {
    await using queue = await openTestQueue();
    const { schedules } = queue.client;
    await schedules.set("s", "k", 1, { ...HOURLY, overlap: "skip" });
    await queue.advance("1h");
    expect(await schedules.fireDue()).toHaveLength(1);
    await queue.advance("1h");
    expect(await schedules.fireDue()).toEqual([]);
    const [job] = await queue.client.queue("k").pop();
    await job!.complete();
    await queue.advance("1h");
    expect(await schedules.fireDue()).toHaveLength(1);
    expect(await schedules.get("s")).toMatchObject({ runs: 2, skipped: 1 });
  });

  test("a child is held back by chance, up to the jitter", async () => {
    await using queue = await openTestQueue();
    await queue.client.schedules.set("s", "k", 1, { ...HOURLY, jitter: "10m" });
    await queue.advance("1h");
    const [jid] = await queue.client.schedules.fireDue();
    const { state, scheduled } = (await queue.client.get(jid!))!;
    const late = (scheduled?.getTime() ?? queue.clock.now()) - queue.clock.now();
    expect(["scheduled", "waiting"]).toContain(state);
    expect(late).toBeLessThanOrEqual(600_000);
  });
});

test("a schedule that comes round no more waits for ever", () => {
  const last = new Date("2030-06-01T12:00:00Z");
  const due = { cron: "0 0 12 1 6 * 2030", zone: "UTC", missed: "one", backlog: 1 } as const;
  const [tick] = ticksFor({ ...due, next: last }, new Date("2030-06-01T12:00:30Z"));
  expect(tick).toEqual({ tick: last, next: new Date(4_398_046_511_103) });
});
