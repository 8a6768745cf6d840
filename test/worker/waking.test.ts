import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { everyClient } from "../client/every-client.ts";
import { deferred, sleep, workerOf } from "./support.ts";

/** What a job rests before it is tried again. */
const REST_MS = 60;

const ROUNDS = 5;

const medianOf = (some: readonly number[]) =>
  some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)]!;

/** How late jobs began, in milliseconds, by what they had waited after. */
async function latenessOf(client: Client) {
  const late = { delay: [] as number[], retry: [] as number[], throw: [] as number[] };
  const tried = new Map<string, { after: "retry" | "throw"; due: number }>();
  const worker = workerOf(client, { concurrency: 10 }).handle("k", (job, context) => {
    const again = tried.get(job.jid);
    if (again !== undefined) {
      late[again.after].push(performance.now() - again.due);
      return;
    }
    const { due, after } = job.data as { due: number; after: "retry" | "throw" };
    late.delay.push(performance.now() - due);
    tried.set(job.jid, { after, due: performance.now() + REST_MS });
    if (after === "throw") throw new Error("not yet");
    context.retry({ delay: REST_MS });
  });
  await worker.start();
  await sleep(50);
  for (let i = 0; i < 40; i++) {
    const delay = 20 + Math.random() * 80;
    const data = { due: performance.now() + delay, after: i % 2 === 0 ? "retry" : "throw" };
    await client.queue("q").put("k", data, { delay, backoff: `fixed ${REST_MS / 1000}` });
  }
  const all = () => Object.values(late).flat();
  await expect.poll(() => all().length, { timeout: 5000 }).toBe(80);
  return late;
}

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

  // Other tests run at the same time, so the best of some rounds counts: noise only adds to a round.
  test("starts jobs when they are due, by delay or by retry", async () => {
    const medians: number[] = [];
    for (let round = 0; round < ROUNDS && !(Math.min(...medians) < 10); round++) {
      const late = await latenessOf(await open());
      expect(late.retry).toHaveLength(20);
      expect(late.throw).toHaveLength(20);
      const all = Object.values(late).flat();
      expect(Math.min(...all)).toBeGreaterThan(-5);
      expect(Math.max(...all)).toBeLessThan(1000);
      medians.push(Math.max(...Object.values(late).map(medianOf)));
    }
    expect(Math.min(...medians)).toBeLessThan(10);
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
