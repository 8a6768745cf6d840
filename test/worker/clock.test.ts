import { expect, onTestFinished, test } from "vitest";
import { everyClient, openClient } from "../client/every-client.ts";
import { clocked, deferred, listening, sleep, workerOf } from "./support.ts";

/**
 * The engine's clock may be set while a worker is at work: by whoever looks after it, by another
 * server that takes over, or because this machine was asleep.
 */

const HOUR_MS = 3_600_000;
const STEPS = [
  ["forward", HOUR_MS],
  ["back", -HOUR_MS],
] as const;

everyClient("a worker whose engine's clock is set", (open) => {
  test.each(STEPS)("%s keeps the locks of jobs that it takes after that", async (_, ms) => {
    const { client, set, calls } = clocked(await open());
    await client.config.set("heartbeat", "1s");
    await client.config.set("grace-period", 0);
    const { logger, told } = listening();
    const runs: string[] = [];
    const worker = workerOf(client, { logger, concurrency: 1 }).handle(
      "k",
      async (job, { signal }) => {
        runs.push(job.jid);
        await sleep(2500);
        expect(signal.aborted).toBe(false);
      },
    );
    await worker.start();
    set(ms);
    const { jid } = await client.queue("q").put("k", {});
    const { job } = await client.waitFor(jid, { timeout: "8s" });
    expect(job).toMatchObject({ state: "complete", remaining: job!.retries });
    expect(runs).toEqual([jid]);
    expect(told.warn).toEqual([]);
    // As often as when nothing had happened, and a few times more.
    expect(calls.get("heartbeat.many")).toBeLessThanOrEqual(8);
    expect(calls.get("cron.due")).toBeLessThanOrEqual(12);
  });

  test("back keeps the locks of jobs that run, and does not take it for their cutoff", async () => {
    const { client, set, calls } = clocked(await open());
    await client.config.set("heartbeat", "1s");
    const begun = deferred();
    const gate = deferred();
    const codes: string[] = [];
    const worker = workerOf(client).handle("k", async (_, { signal }) => {
      signal.addEventListener("abort", () => codes.push(signal.reason.code));
      begun.resolve();
      await gate.promise;
    });
    const { jid } = await client.queue("q").put("k", {});
    await worker.start();
    await begun.promise;
    set(-HOUR_MS);
    // Between two heartbeats: one that is on its way when the job ends is refused.
    await sleep(1750);
    gate.resolve();
    expect((await client.waitFor(jid, { timeout: "5s" })).job).toMatchObject({ state: "complete" });
    expect(codes).toEqual([]);
    expect(calls.get("heartbeat.many")).toBeLessThanOrEqual(8);
  });

  test("back takes the jobs of a dead worker after their heartbeat and grace all the same", async () => {
    const { client, set } = clocked(await open());
    await client.config.set("heartbeat", "3s");
    await client.config.set("grace-period", "1s");
    const worker = workerOf(client).handle("k", () => {});
    await client.queue("q").put("k", {}, { jid: "left" });
    expect(await client.queue("q").pop()).toHaveLength(1);
    await worker.start();
    // Once its first round of upkeep has noted the time.
    await sleep(1300);
    await client.queue("q").put("k", {}, { jid: "other" });
    set(-300_000);
    // A look or the next job shows that the clock was set; a round of upkeep follows.
    const { job } = await client.waitFor("left", { timeout: "20s" });
    expect(job!.state).toBe("complete");
    expect(job!.history.map(({ what }) => what)).toContain("timed-out");
  }, 30_000);

  test.each([
    ["forward", 50_000],
    ["back", -HOUR_MS],
  ] as const)("%s starts jobs when they are due, however many queues it has", async (_, ms) => {
    const { client, set } = clocked(await open());
    const queues = Array.from({ length: 50 }, (_, i) => `q${i}`);
    const started: number[] = [];
    const worker = workerOf(client, { queues }).handle("k", () => {
      started.push(performance.now());
    });
    await worker.start();
    await sleep(1200);
    set(ms);
    const due = performance.now() + 500;
    await client.queue("q7").put("k", {}, { delay: 500 });
    await expect.poll(() => started.length, { timeout: 5000 }).toBe(1);
    expect(started[0]! - due).toBeGreaterThan(-20);
    expect(started[0]! - due).toBeLessThan(500);
  });

  test("and whose locks are shorter than anybody could keep them does not ask all the time", async () => {
    const { client, calls } = clocked(await open());
    await client.config.set("heartbeat", "1ms");
    const worker = workerOf(client, { concurrency: 1 }).handle("k", () => sleep(500));
    const { jid } = await client.queue("q").put("k", {});
    await worker.start();
    await client.waitFor(jid, { timeout: "5s" });
    expect(calls.get("heartbeat.many")).toBeLessThanOrEqual(30);
  });
});

test("A worker sees by itself that the clock was set so far that it seems to wait for nothing", async () => {
  const own = await openClient("redis");
  onTestFinished(() => own.close());
  const { client, set } = clocked(own);
  const queues = Array.from({ length: 50 }, (_, i) => `q${i}`);
  const worker = workerOf(client, { queues }).handle("k", () => {});
  await worker.start();
  await sleep(1200);
  set(HOUR_MS);
  const { jid } = await client.queue("q7").put("k", {});
  expect((await client.waitFor(jid, { timeout: "8s" })).job).toMatchObject({
    state: "complete",
  });
}, 20_000);
