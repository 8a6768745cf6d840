import { expect, test } from "vitest";
import { everyClient } from "../client/every-client.ts";
import { deferred, sleep, workerOf } from "./support.ts";

everyClient("an idle worker", (open) => {
  test("starts every job soon that is put, however they fall between its calls", async () => {
    const client = await open();
    const started: number[] = [];
    let begun = deferred();
    const worker = workerOf(client).handle("k", () => {
      started.push(performance.now());
      begun.resolve();
    });
    await worker.start();
    let slowest = 0;
    for (let i = 0; i < 300; i++) {
      begun = deferred();
      const at = performance.now();
      await client.queue("q").put("k", i);
      await begun.promise;
      slowest = Math.max(slowest, performance.now() - at);
      // Sometimes before it waits again, sometimes while, sometimes after.
      if (i % 3 > 0) await sleep(Math.random() * 4);
    }
    expect(started).toHaveLength(300);
    expect(slowest).toBeLessThan(1000);
  });

  test("starts jobs when they are due, by delay or by retry", async () => {
    const client = await open();
    const late: number[] = [];
    const worker = workerOf(client, { concurrency: 10 }).handle("k", (job, context) => {
      const { due, again } = job.data as { due: number; again: boolean };
      late.push(performance.now() - due);
      if (again) {
        const next = { due: performance.now() + 60, again: false };
        context.complete({ next: "q", delay: 60, data: next });
      }
    });
    await worker.start();
    await sleep(50);
    for (let i = 0; i < 20; i++) {
      const delay = 20 + Math.random() * 80;
      const data = { due: performance.now() + delay, again: i % 2 === 0 };
      await client.queue("q").put("k", data, { delay });
    }
    await expect.poll(() => late.length, { timeout: 3000 }).toBe(30);
    expect(Math.min(...late)).toBeGreaterThan(-5);
    expect(Math.max(...late)).toBeLessThan(500);
  });

  test("leaves jobs to another when it has no hands free", async () => {
    const client = await open();
    const gate = deferred();
    const ran: string[] = [];
    const busy = workerOf(client, { concurrency: 1, name: "busy" });
    const idle = workerOf(client, { concurrency: 5, name: "idle" });
    for (const worker of [idle, busy]) {
      worker.handle("k", async (job) => {
        ran.push(job.worker);
        if (job.worker === "busy") await gate.promise;
      });
      await worker.start();
      await sleep(30);
    }
    for (let i = 0; i < 20; i++) {
      await client.queue("q").put("k", i);
      await expect.poll(() => ran.length, { timeout: 1000, interval: 5 }).toBe(i + 1);
    }
    gate.resolve();
    expect(ran.filter((name) => name === "busy").length).toBeLessThanOrEqual(1);
  });
});
