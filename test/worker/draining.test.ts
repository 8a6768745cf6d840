import { expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { everyClient } from "../client/every-client.ts";
import { sleep, workerOf } from "./support.ts";

/** What a drain must see before it reports an empty queue. */

everyClient("a drain", (open) => {
  test("waits for the dependents that the worker itself has freed", async () => {
    const client = await open();
    const wrong: string[] = [];
    for (let n = 0; n < 200; n++) {
      const queue = `q${n}`;
      const jobs = Array.from({ length: 12 }, (_, i) => ({
        klass: "k",
        data: {},
        jid: `${n}-${i}`,
        ...(i % 6 === 5 ? { depends: [`${n}-${i - 1}`] } : {}),
      }));
      await client.queue(queue).putMany(jobs);
      const worker = workerOf(client, { queues: queue, concurrency: 5 });
      worker.handle("k", () => sleep(Math.random() * 5));
      const { isEmpty, left } = await worker.drain();
      if (isEmpty && left[queue]!.waiting > 0) wrong.push(queue);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  test("waits for jobs that the worker itself has sent on to another of its queues", async () => {
    const client = await open();
    const wrong: string[] = [];
    for (let n = 0; n < 200; n++) {
      const [first, second] = [`a${n}`, `b${n}`];
      const jobs = Array.from({ length: 4 }, () => ({ klass: "k", data: {} }));
      await client.queue(first).putMany(jobs);
      const worker = workerOf(client, { queues: [second, first], concurrency: 5 });
      worker.handle("k", async (job, { complete }) => {
        await sleep(Math.random() * 3);
        if (job.queue === first) complete({ next: second });
      });
      const { isEmpty, left } = await worker.drain();
      if (isEmpty && left[second]!.waiting > 0) wrong.push(second);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  test("looks once more only where the last outcomes may have brought something", async () => {
    const { engine } = await open();
    const calls: string[] = [];
    const client = new Client({
      namespace: engine.namespace,
      call: (command, ...rest) => {
        calls.push(command);
        return engine.call(command, ...rest);
      },
      subscribe: (...words) => engine.subscribe(...words),
      close: async () => {},
    });
    const waits = () => calls.filter((command) => command === "wait").length;
    await workerOf(client)
      .handle("k", () => {})
      .drain();
    // One before it is quiet, and one that takes it off the list when it stops.
    expect(waits()).toBeLessThanOrEqual(2);
    calls.length = 0;
    await client.queue("q").put("k", {});
    await workerOf(client)
      .handle("k", () => {})
      .drain();
    // And one more after the outcome.
    expect(waits()).toBeLessThanOrEqual(3);
  });
});
