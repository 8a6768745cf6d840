import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { WorkerEvents } from "../../src/worker/reports.ts";
import { everyClient } from "../client/every-client.ts";
import { deferred, listening, sleep, workerOf } from "./support.ts";

const JOBS = 30;

/** Jobs that complete, fail or are retried once, as it takes to bring an event about. */
async function putFor(client: Client, event: string): Promise<void> {
  const retries = event === "failed" ? 0 : 1;
  const jobs = Array.from({ length: JOBS }, (_, i) => {
    return { klass: event === "unhandled" ? `k${i}` : "k", data: {}, retries, backoff: "fixed 0" };
  });
  await client.queue("q").putMany(jobs);
}

const THROWING = ["completed", "failed", "retried", "unhandled"] as const;

let printed: MockInstance;
beforeEach(() => {
  printed = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => printed.mockRestore());

everyClient("a listener of a worker", (open) => {
  test.each(THROWING)("of %s that throws holds up no job", async (event) => {
    const client = await open();
    await putFor(client, event);
    let runs = 0;
    let calls = 0;
    const errors: unknown[] = [];
    const worker = workerOf(client).handle("k", () => {
      runs += 1;
      if (event !== "completed") throw new Error("no");
    });
    worker.on(event as "completed", () => {
      calls += 1;
      throw new Error("the listener's own");
    });
    worker.on("error", (error, name) => errors.push([(error as Error).message, name]));
    await worker.drain({ timeout: "10s" });
    expect(runs).toBe(event === "unhandled" ? 0 : event === "retried" ? 2 * JOBS : JOBS);
    expect(calls).toBe(JOBS);
    expect(errors).toEqual(Array(JOBS).fill(["the listener's own", event]));
    expect(await client.queue("q").counts()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("is called once the jobs that came with the outcome have begun", async () => {
    const client = await open();
    await client.queue("q").put("k", {}, { jid: "a" });
    await client.queue("q").put("k", {}, { jid: "b" });
    const order: string[] = [];
    const worker = workerOf(client, { concurrency: 1 }).handle("k", async (job) => {
      order.push(`begin ${job.jid}`);
      if (job.jid === "b") await sleep(50);
    });
    worker.on("completed", (job) => order.push(`completed ${job.jid}`));
    await worker.drain({ timeout: "5s" });
    expect(order).toEqual(["begin a", "begin b", "completed a", "completed b"]);
  });

  test("that rejects is reported, and the other listeners are called", async () => {
    const client = await open();
    await client.queue("q").put("k", {});
    const errors: unknown[] = [];
    const worker = workerOf(client).handle("k", () => {});
    const heard: string[] = [];
    worker.on("completed", async () => Promise.reject(new Error("later")));
    worker.once("completed", () => {
      heard.push("once");
      throw new Error("at once");
    });
    worker.on("completed", () => heard.push("last"));
    worker.on("error", (error) => errors.push((error as Error).message));
    await worker.drain({ timeout: "5s" });
    expect(heard).toEqual(["once", "last"]);
    expect(errors.toSorted()).toEqual(["at once", "later"]);
    expect(worker.listenerCount("completed")).toBe(2);
  });

  test("of lost that throws keeps nobody from taking the next job", async () => {
    const client = await open();
    await client.queue("q").put("k", {}, { jid: "a" });
    const begun = deferred();
    const gate = deferred();
    const worker = workerOf(client, { concurrency: 1 }).handle("k", async (job) => {
      if (job.jid === "b") return;
      begun.resolve();
      await gate.promise;
    });
    worker.on("lost", () => {
      throw new Error("no");
    });
    await worker.start();
    await begun.promise;
    await client.cancel(["a"]);
    await client.queue("q").put("k", {}, { jid: "b" });
    gate.resolve();
    expect((await client.waitFor("b", { timeout: "5s" })).state).toBe("complete");
  });

  test("of error that throws is logged and not called for its own errors", async () => {
    const client = await open();
    await client.queue("q").putMany(Array.from({ length: 5 }, () => ({ klass: "k", data: {} })));
    const { logger, told } = listening();
    const worker = workerOf(client, { logger }).handle("k", () => {});
    let calls = 0;
    worker.on("completed", () => {
      throw new Error("first");
    });
    worker.on("error", () => {
      calls += 1;
      throw new Error("second");
    });
    worker.on("error", async () => Promise.reject(new Error("third")));
    await worker.drain({ timeout: "5s" });
    expect(calls).toBe(5);
    await expect.poll(() => told.error.length).toBe(10);
    expect(new Set(told.error)).toEqual(new Set(['A listener of "error" threw an error']));
  });

  const EVENT: keyof WorkerEvents = "completed";
  const SENTENCE = `A listener of "${EVENT}" threw an error`;

  test("that throws is logged where nobody listens to error", async () => {
    const client = await open();
    await client.queue("q").put("k", {});
    const { logger, told } = listening();
    const worker = workerOf(client, { logger }).handle("k", () => {});
    worker.on(EVENT, () => {
      throw new Error("no");
    });
    await worker.drain({ timeout: "5s" });
    expect(told.error).toEqual([SENTENCE]);
    expect(printed).not.toHaveBeenCalled();
  });

  test("that throws is printed where there is no logger either", async () => {
    const client = await open();
    await client.queue("q").put("k", {});
    const worker = workerOf(client).handle("k", () => {});
    const error = new Error("no");
    worker.on(EVENT, () => {
      throw error;
    });
    await worker.drain({ timeout: "5s" });
    expect(printed.mock.calls).toEqual([[`qless: ${SENTENCE}`, error]]);
  });

  test("may stop the worker", async () => {
    const client = await open();
    await client.queue("q").put("k", {});
    const worker = workerOf(client).handle("k", () => {});
    const stopped = deferred<unknown>();
    worker.on("completed", () => void worker.stop().then(stopped.resolve));
    await worker.start();
    expect(await stopped.promise).toEqual({ left: [] });
  });
});

everyClient("a logger that throws", (open) => {
  test("holds up no job, and is reported once", async () => {
    const broken = () => {
      throw new Error("the disk of the log is full");
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const client = await open({ logger });
    await client.queue("q").put("k", {}, { jid: "a" });
    await client.queue("q").put("unheard-of", {});
    const worker = workerOf(client, { logger }).handle("k", (_, { log }) => log.info({}, "Here"));
    worker.on("completed", () => {
      throw new Error("no");
    });
    await worker.drain({ timeout: "5s" });
    expect((await client.get("a"))!.state).toBe("complete");
    // Once for the logger of the client, once for that of the worker.
    expect(printed.mock.calls.map(([sentence]) => sentence)).toEqual(
      Array(2).fill("qless: The logger threw an error; further errors of it are not reported"),
    );
  });
});
