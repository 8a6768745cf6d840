import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { everyClient } from "../client/every-client.ts";
import { workerOf } from "./support.ts";

/** `npm run test:leak` is the long run. */
const JOBS = Number(process.env.LEAK_JOBS ?? 5000);

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use after everything that can be cleared away was. */
function inUse(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

everyClient("a worker that runs many jobs", (open) => {
  test("keeps nothing of them", async () => {
    const client = await open();
    await client.config.set("jobs-history-count", 10);
    let ran = 0;
    const worker = workerOf(client, { concurrency: 50 }).handle("k", async (job, context) => {
      ran += 1;
      // A signal with a listener that nobody removes, as handlers leave them.
      context.signal.addEventListener("abort", () => {});
      if ((job.data as number) % 7 === 0) throw new Error("now and then");
    });
    await worker.start();
    const batch = async (count: number) => {
      const until = ran + count;
      for (let i = 0; i < count; i += 500) {
        const jobs = Array.from({ length: 500 }, (_, n) => ({ klass: "k", data: n, retries: 0 }));
        await client.queue("q").putMany(jobs);
      }
      await expect.poll(() => ran, { timeout: 60_000, interval: 20 }).toBe(until);
    };
    await batch(1000);
    const before = inUse();
    await batch(JOBS);
    await expect.poll(async () => (await client.queue("q").counts()).running).toBe(0);
    // A run with its job, context and signal is some kilobytes: of these, none may be kept.
    expect((inUse() - before) / JOBS).toBeLessThan(600);
    expect(
      process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length,
    ).toBeLessThan(30);
  }, 120_000);
});
