import { expect, onTestFinished, test } from "vitest";
import { Worker } from "../../src/worker/worker.ts";
import { everyClient } from "../client/every-client.ts";
import { deferred, listening, workerOf } from "./support.ts";

everyClient("a worker", (open) => {
  test("runs what was put before and after it started, and completes it", async () => {
    const client = await open();
    const queue = client.queue("q");
    const before = await queue.put("greet", { name: "Ann" });
    const ran: unknown[] = [];
    const worker = workerOf(client).handle("greet", (job) => {
      ran.push(job.data);
    });
    await worker.start();
    expect((await client.waitFor(before.jid, { timeout: "5s" })).state).toBe("complete");
    const after = await queue.put("greet", { name: "Bob" });
    expect((await client.waitFor(after.jid, { timeout: "5s" })).state).toBe("complete");
    expect(ran).toEqual([{ name: "Ann" }, { name: "Bob" }]);
    const history = (await client.get(after.jid))!.history.map(({ what }) => what);
    expect(history).toEqual(["put", "popped", "done"]);
  });

  test("keeps what a handler returns as the job's data", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("add", [1, 2]);
    await workerOf(client)
      .handle("add", (job) => (job.data as number[]).reduce((a, b) => a + b))
      .start();
    const { job } = await client.waitFor(jid, { timeout: "5s" });
    expect(job?.data).toBe(3);
  });

  test("runs as many jobs at a time as it may, and takes no more", async () => {
    const client = await open();
    await client.queue("q").putMany(Array.from({ length: 5 }, () => ({ klass: "k", data: {} })));
    const gate = deferred();
    const three = deferred();
    let running = 0;
    let most = 0;
    const worker = workerOf(client).handle("k", async () => {
      most = Math.max(most, ++running);
      if (running === 3) three.resolve();
      await gate.promise;
      running--;
    });
    await worker.start();
    await three.promise;
    expect(await client.queue("q").counts()).toMatchObject({ running: 3, waiting: 2 });
    gate.resolve();
    expect(await worker.drain({ timeout: "5s" })).toMatchObject({ isEmpty: true });
    expect(most).toBe(3);
    expect(await client.queue("q").counts()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("keeps the first failure of a job whose later tries fail otherwise, each with its stack", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("bad", {}, { retries: 2, backoff: "fixed 0" });
    const failed = deferred();
    const worker = workerOf(client).handle("bad", (job) => {
      if (job.remaining === 2) throw new RangeError("the cause");
      throw new TypeError("a consequence");
    });
    worker.on("failed", () => failed.resolve());
    await worker.start();
    await failed.promise;
    const { failure, firstFailure } = (await client.get(jid))!;
    expect(firstFailure).toMatchObject({ group: "bad:RangeError", worker: worker.name });
    expect(firstFailure?.message).toMatch(/RangeError: the cause.*worker\.test\.ts/s);
    expect(failure).toMatchObject({ group: "bad:TypeError" });
  });

  test("tries again what throws, and then fails it with its stack in its klass's group", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("bad", {}, { retries: 2, backoff: "fixed 0" });
    const attempts: number[] = [];
    const failed = deferred<string>();
    const worker = workerOf(client).handle("bad", (job) => {
      attempts.push(job.remaining);
      throw new TypeError("no good", { cause: new Error("deeper") });
    });
    worker.on("failed", (job) => failed.resolve(job.jid));
    await worker.start();
    expect(await failed.promise).toBe(jid);
    expect(attempts).toEqual([2, 1, 0]);
    const job = (await client.get(jid))!;
    expect(job.state).toBe("failed");
    expect(job.failure).toMatchObject({ group: "bad:TypeError" });
    expect(job.failure?.message).toMatch(
      /TypeError: no good.*worker\.test\.ts.*Caused by: Error: deeper/s,
    );
  });

  test("rests before a retry as the klass says, unless the job says so", async () => {
    const client = await open();
    const own = await client.queue("q").put("bad", {}, { backoff: "fixed 100" });
    const other = await client.queue("q").put("bad", {});
    const decided = await client.queue("q").put("decided", {});
    let left = 3;
    const all = deferred();
    const worker = workerOf(client)
      .handle("bad", () => Promise.reject(new Error("x")), {
        backoff: { kind: "fixed", base: "50s" },
      })
      .handle("decided", () => Promise.reject(new Error("x")), { backoff: (n) => n * 20_000 });
    worker.on("retried", () => --left === 0 && all.resolve());
    await worker.start();
    await all.promise;
    const rests: number[] = [];
    for (const { jid } of [own, other, decided]) {
      const { scheduled } = (await client.get(jid))!;
      rests.push(Math.round((scheduled!.getTime() - Date.now()) / 1000));
    }
    expect(rests).toEqual([100, 50, 20]);
  });

  test("fails at once what a klass does not try again, and throws away what it says", async () => {
    const client = await open();
    const kept = await client.queue("q").put("kept", {});
    const thrown = await client.queue("q").put("thrown", {});
    const worker = workerOf(client)
      .handle("kept", () => Promise.reject(new Error("x")), { retries: 0 })
      .handle("thrown", () => Promise.reject(new Error("x")), { retries: 0, whenSpent: "discard" });
    await worker.start();
    expect((await client.waitFor(kept.jid, { timeout: "5s" })).state).toBe("failed");
    await expect.poll(() => client.get(thrown.jid)).toBeUndefined();
  });

  test("does what the handler says: on to the next queue, failed, or again without cost", async () => {
    const client = await open();
    const queue = client.queue("q");
    const next = await queue.put("next", { a: 1 });
    const failed = await queue.put("failed", {});
    const again = await queue.put("again", {});
    const worker = workerOf(client)
      .handle("next", (_, context) => context.complete({ next: "r", data: { b: 2 }, delay: "1h" }))
      .handle("failed", (_, context) => context.fail("group", "because"))
      .handle("again", (_, context) => context.retry({ delay: "1h", spend: false }));
    expect(await worker.drain({ timeout: "5s" })).toMatchObject({
      isEmpty: true,
      left: { q: { scheduled: 1 } },
    });
    expect(await client.get(next.jid)).toMatchObject({
      queue: "r",
      state: "scheduled",
      data: { b: 2 },
    });
    expect((await client.get(failed.jid))!.failure).toMatchObject({
      group: "group",
      message: "because",
    });
    expect(await client.get(again.jid)).toMatchObject({ state: "scheduled", remaining: 5 });
  });

  test("gives back a job of a klass that it does not know, and says so once", async () => {
    const client = await open();
    for (let i = 0; i < 3; i++) await client.queue("q").put("strange", i);
    const { jid } = await client.queue("q").put("known", {});
    const strange: string[] = [];
    const { logger, told } = listening();
    const worker = workerOf(client, { logger }).handle("known", () => {});
    worker.on("unhandled", (klass) => strange.push(klass));
    await worker.start();
    await client.waitFor(jid, { timeout: "5s" });
    await expect.poll(() => client.queue("q").counts()).toMatchObject({ scheduled: 3, running: 0 });
    expect(strange).toEqual(["strange"]);
    expect(told.warn).toEqual([expect.stringContaining('No handler for klass "strange"')]);
    const [given] = await client.queue("q").jobs("scheduled");
    expect(await client.get(given!)).toMatchObject({ remaining: 5, retries: 5 });
  });

  test("fails malformed data in a group of its own, without running it", async () => {
    const client = await open();
    await client.engine.call("put", ["me", "q", "broken", "k", "{not json", 0]);
    let ran = false;
    await workerOf(client)
      .handle("k", () => {
        ran = true;
      })
      .start();
    expect((await client.waitFor("broken", { timeout: "5s" })).state).toBe("failed");
    const failed = await client.failures.groups();
    expect([...failed.keys()]).toEqual(["k:INVALID_DATA"]);
    expect(ran).toBe(false);
  });

  test("runs middleware from the outside in, which adds to the context", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const told: unknown[] = [];
    const worker = new Worker(client, { queues: ["q"], context: () => ({ db: "the database" }) })
      .use<{ user: string }>(async (context, next) => {
        told.push(["outer", context.db]);
        await next({ user: "Ann" });
        told.push("outer end");
      })
      .use(async (context, next) => {
        told.push(["inner", context.user, context.job.klass]);
        await next();
      })
      .handle("k", (_, context) => void told.push([context.user, context.db]), {
        use: [
          (context, next) => {
            told.push(["own", context.user]);
            return next();
          },
        ],
      });
    onTestFinished(async () => void (await worker.stop()));
    await worker.start();
    await client.waitFor(jid, { timeout: "5s" });
    expect(told).toEqual([
      ["outer", "the database"],
      ["inner", "Ann", "k"],
      ["own", "Ann"],
      ["Ann", "the database"],
      "outer end",
    ]);
  });

  test("starts and stops as often as one likes", async () => {
    const client = await open();
    let runs = 0;
    const worker = workerOf(client).handle("k", () => void runs++);
    await Promise.all([worker.start(), worker.start()]);
    await client.queue("q").put("k", {});
    await expect.poll(() => runs).toBe(1);
    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
    await client.queue("q").put("k", {});
    await worker.start();
    await expect.poll(() => runs).toBe(2);
    expect(worker.isRunning).toBe(true);
  });

  test("takes nothing while it is paused", async () => {
    const client = await open();
    let runs = 0;
    const worker = workerOf(client).handle("k", () => void runs++);
    await worker.start();
    worker.pause();
    await client.queue("q").put("k", {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(runs).toBe(0);
    worker.resume();
    await expect.poll(() => runs).toBe(1);
  });

  test("takes from a klass's queue by the weight of the klass", async () => {
    const client = await open();
    const many = Array.from({ length: 60 }, () => ({ data: {} }));
    for (const klass of ["rare", "often"]) {
      await client.queue(klass).putMany(many.map((job) => ({ ...job, klass })));
    }
    const begun: string[] = [];
    const options = { queues: ["rare", "often"], order: "weighted", concurrency: 1 } as const;
    const worker = workerOf(client, options);
    const note = (job: { klass: string }) => void begun.push(job.klass);
    worker.handle("rare", note).handle("often", note, { weight: 100_000 });
    await worker.drain({ timeout: "10s" });
    expect(begun).toHaveLength(120);
    // Fewer are drawn less often than once in a million million runs.
    expect(begun.slice(0, 40).filter((klass) => klass === "often").length).toBeGreaterThan(37);
    const ordered = workerOf(client, { queues: ["often"] });
    ordered.handle("often", note, { weight: 3 });
    await expect(ordered.start()).rejects.toThrow("weight of often needs the order weighted");
  });

  test("runs more at a time, or fewer, when it is told so", async () => {
    const client = await open();
    const gate = deferred();
    const put = (n: number) =>
      client.queue("q").putMany(Array.from({ length: n }, () => ({ klass: "k", data: {} })));
    const worker = workerOf(client, { concurrency: 1 }).handle("k", () => gate.promise);
    await put(3);
    await worker.start();
    const running = async () => (await client.queue("q").counts()).running;
    await expect.poll(running).toBe(1);
    worker.concurrency = 3;
    await expect.poll(running).toBe(3);
    worker.concurrency = 2;
    await put(1);
    gate.resolve();
    expect(await worker.drain({ timeout: "5s" })).toMatchObject({ isEmpty: true });
    expect(() => {
      worker.concurrency = 0;
    }).toThrow("concurrency must be a whole number");
  });

  test("runs no more of a klass at a time than it may, in all workers together", async () => {
    const client = await open();
    await client.putMany(Array.from({ length: 12 }, (_, n) => ({ klass: "narrow", data: n })));
    let running = 0;
    let most = 0;
    let ran = 0;
    for (let i = 0; i < 2; i++) {
      const worker = workerOf(client, { queues: ["narrow"], concurrency: 5 });
      const handler = async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running -= 1;
        ran += 1;
      };
      await worker.handle("narrow", handler, { maxConcurrency: 2 }).start();
    }
    await expect.poll(() => ran, { timeout: 10_000 }).toBe(12);
    expect(most).toBe(2);
    const other = workerOf(client).handle("narrow", () => {}, { maxConcurrency: 2 });
    await expect(other.start()).rejects.toThrow("maxConcurrency of narrow is about the queue of");
  });

  test("refuses what cannot work, with a sentence", async () => {
    const client = await open();
    const made = (options: unknown) => () => new Worker(client, options as never);
    expect(made({ queues: [] })).toThrow("A worker needs queues: { queues: ['emails'] }");
    expect(made(undefined)).toThrow("A worker needs queues");
    expect(made({ queues: "a\nb" })).toThrow("queues must be names of 1 to 255 bytes");
    expect(made({ queues: "q", name: "" })).toThrow("name must be a text of 1 to 255 bytes");
    expect(made({ queues: "q", concurrency: 0 })).toThrow("concurrency must be a whole number");
    expect(made({ queues: "q", grace: "soon" })).toThrow("grace must be milliseconds or a text");
    const worker = new Worker(client, { queues: "q" });
    await expect(worker.start()).rejects.toThrow("A worker needs a handler");
    expect(() => worker.handle("k", 5 as never)).toThrow('The handler of "k" must be a function');
    expect(() => worker.handle("k", () => {}, { cutoff: "soon" })).toThrow(
      'cutoff of k must be milliseconds or a text such as "30s" or "1h 30m", not "soon"',
    );
    worker.handle("k", () => {});
    await worker.start();
    await worker.stop();
    expect(() => worker.handle("k", () => {})).toThrow("There is a handler for k already");
  });
});
