import { expect, test } from "vitest";
import type { JobContext } from "../../src/worker/context.ts";
import { everyClient } from "../client/every-client.ts";
import { everySite } from "./site.ts";
import { sleep, workerOf } from "./support.ts";

/** What handlers say of how far they are, and where people see it. */

type Work = (job: unknown, context: JobContext) => Promise<unknown>;

everyClient("a check-in", (open) => {
  /** Runs one job, and returns what it has said, with the time of each entry in milliseconds. */
  async function said(work: Work, options: object = {}) {
    const client = await open();
    const heard: unknown[] = [];
    await client.events.on({ event: "progress" }, (event) => heard.push(event));
    const { jid } = await client.queue("q").put("k", {}, { retries: 0, ...options });
    const worker = workerOf(client).handle("k", work as never);
    await worker.drain({ timeout: "20s" });
    const job = (await client.get(jid))!;
    const usual = ["put", "popped", "done", "failed"];
    const entries = job.history.filter(({ what }) => !usual.includes(what));
    return { jid, job, heard, entries, whats: job.history.map(({ what }) => what) };
  }

  test("that is the last of its run is in the history, before the outcome", async () => {
    const { entries, whats, job } = await said(async (_, { checkin }) => {
      for (let i = 0; i <= 20; i++) await checkin(`step ${i}`, i / 20);
    });
    expect(job.state).toBe("complete");
    expect(whats).toEqual(["put", "popped", "step 0", "step 20", "done"]);
    expect(entries.map(({ details }) => details)).toEqual([{ progress: 0 }, { progress: 1 }]);
  });

  test("that is the last of a run that fails is in the history as well", async () => {
    const { whats } = await said(async (_, { checkin }) => {
      for (const message of ["first", "second", "third"]) await checkin(message);
      throw new Error("no good");
    });
    expect(whats).toEqual(["put", "popped", "first", "third", "failed"]);
  });

  test("that is the last of its second is written when the second is over", async () => {
    const { entries } = await said(async (_, { checkin }) => {
      await checkin("starting", 0.01);
      await checkin("loading", 0.2);
      await checkin("loaded", 0.5);
      await sleep(2500);
      await checkin("done with it", 1);
    });
    expect(entries.map(({ what }) => what)).toEqual(["starting", "loaded", "done with it"]);
    const [starting, loaded] = entries.map(({ when }) => when.getTime()) as [number, number];
    expect(loaded - starting).toBeGreaterThan(900);
    expect(loaded - starting).toBeLessThan(2400);
  });

  test("is written once a second at most, however many there are", async () => {
    const begun = performance.now();
    const { entries } = await said(async (_, { checkin }) => {
      for (let i = 0; i < 60; i++) {
        await checkin(`step ${i}`, i / 60);
        await sleep(50);
      }
    });
    const seconds = (performance.now() - begun) / 1000;
    expect(entries.length).toBeGreaterThanOrEqual(4);
    // The first, one for each second, and the last.
    expect(entries.length).toBeLessThanOrEqual(seconds + 2);
    expect(entries.at(-1)?.what).toBe("step 59");
  });

  test("is announced as progress as often as it is written", async () => {
    const { jid, heard } = await said(async (_, { checkin }) => {
      await checkin("half", 0.5);
      await checkin("no number");
    });
    const event = { channel: "log", event: "progress", jid, queue: "q" };
    await expect
      .poll(() => heard)
      .toMatchObject([
        { ...event, message: "half", progress: 0.5 },
        { ...event, message: "no number" },
      ]);
    expect(heard[1]).not.toHaveProperty("progress");
  });

  test.each([
    [1.01, 1],
    [-3, 0],
    [Number.POSITIVE_INFINITY, 1],
    [Number.NaN, undefined],
    ["half", undefined],
    [undefined, undefined],
  ])("with the progress %s is kept as %s, and costs no retry", async (given, kept) => {
    const { job, entries } = await said((_, { checkin }) => checkin("x", given as number));
    expect(job.state).toBe("complete");
    expect(entries[0]?.details).toEqual(kept === undefined ? {} : { progress: kept });
  });

  test("of any length and any type is kept, cut to 1,000 characters", async () => {
    const { entries, job } = await said((_, { checkin }) => checkin("é\ud800".repeat(50_000)));
    expect(job.state).toBe("complete");
    expect(entries[0]?.what).toBe("é\ufffd".repeat(500));
    const other = await said((_, { checkin }) => checkin(7 as never));
    expect(other.entries[0]?.what).toBe("7");
  });

  test("tells a handler at once that the lock was lost", async () => {
    const client = await open();
    const codes: unknown[] = [];
    const worker = workerOf(client).handle("k", async (job, { checkin }) => {
      await client.cancel([job.jid]);
      await checkin("still here").catch(({ code }) => codes.push(code));
    });
    await client.queue("q").put("k", {});
    await worker.drain({ timeout: "10s" });
    expect(codes).toEqual(["NO_SUCH_JOB"]);
  });

  test("reaches watchers of a tracked job", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    await (await client.get(jid))!.track();
    const heard: unknown[] = [];
    await client.events.on({ channel: "tracked", event: "progress" }, (one) => heard.push(one));
    const worker = workerOf(client).handle("k", (_, { checkin }) => checkin("half", 0.5));
    await worker.drain({ timeout: "10s" });
    await expect.poll(() => heard).toMatchObject([{ event: "progress", jid }]);
  });
});

everySite("check-ins of children", (open) => {
  test.each(["processes", "threads"] as const)("in %s are not lost either", async (model) => {
    const site = await open();
    await site.worker({ model, children: { count: 1 } }).start();
    const jid = await site.behave({ way: "reports", count: 20 });
    const job = await site.ended(jid);
    const whats = job.history.map(({ what }) => what);
    expect(whats).toEqual(["put", "popped", "step 0", "step 19", "done"]);
  });
});
