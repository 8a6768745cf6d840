import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { JobContext } from "../../src/worker/context.ts";
import { everyClient } from "../client/every-client.ts";
import { aborted, deferred, sleep, workerOf } from "./support.ts";

everyClient("a worker's locks", (open) => {
  test("are renewed for as long as the job runs, many in one call", async () => {
    const client = await open();
    await client.config.set("heartbeat", "1s");
    await client.config.set("grace-period", 0);
    await client.queue("q").putMany(Array.from({ length: 3 }, () => ({ klass: "k", data: {} })));
    const gate = deferred();
    const worker = workerOf(client).handle("k", () => gate.promise);
    await worker.start();
    await sleep(2600);
    await client.maintenance.tick();
    expect(await client.queue("q").counts()).toMatchObject({ running: 3, stalled: 0, waiting: 0 });
    gate.resolve();
    expect(await worker.drain({ timeout: "5s" })).toMatchObject({ isEmpty: true });
    expect((await client.queue("q").statistics()).retries).toBe(0);
  });

  test("that are lost abort the handler within a second, and its outcome is refused", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", { mine: true });
    const begun = deferred<JobContext>();
    const gate = deferred();
    const lost = deferred<string>();
    const worker = workerOf(client).handle("k", async (_, context) => {
      begun.resolve(context);
      await gate.promise;
      return "too late";
    });
    worker.on("lost", (job) => lost.resolve(job.jid));
    await worker.start();
    const { signal } = await begun.promise;
    worker.pause();
    await (await client.get(jid))!.timeout();
    const [other] = await client.queue("q").pop({ worker: "other" });
    const at = performance.now();
    expect(await aborted(signal)).toMatchObject({ code: "LOCK_LOST", jid });
    expect(performance.now() - at).toBeLessThan(1000);
    await other!.complete({ data: "others" });
    gate.resolve();
    expect(await lost.promise).toBe(jid);
    expect(await client.get(jid)).toMatchObject({ state: "complete", data: "others" });
  });

  test.each([
    ["canceled", "CANCELED", (job: { cancel(): Promise<unknown> }) => job.cancel()],
    ["moved", "MOVED", (job: { move(to: string): Promise<unknown> }) => job.move("elsewhere")],
  ] as const)("end when the job is %s", async (_, code, act) => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const begun = deferred<AbortSignal>();
    const worker = workerOf(client).handle("k", async (_job, { signal }) => {
      begun.resolve(signal);
      throw await aborted(signal);
    });
    await worker.start();
    const signal = await begun.promise;
    await act((await client.get(jid)) as never);
    expect(await aborted(signal)).toMatchObject({ code });
    await worker.drain({ timeout: "5s" });
    if (code === "CANCELED") expect(await client.get(jid)).toBeUndefined();
    else expect(await client.get(jid)).toMatchObject({ queue: "elsewhere", state: "waiting" });
  });

  test("end with the klass's cutoff, and the job is tried again", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {}, { backoff: "fixed 100" });
    const worker = workerOf(client).handle(
      "k",
      async (_, { signal }) => {
        throw await aborted(signal);
      },
      { cutoff: 30 },
    );
    await worker.drain({ timeout: "5s" });
    const job = (await client.get(jid))!;
    expect(job).toMatchObject({ state: "scheduled", remaining: 4 });
    expect(job.failure).toMatchObject({ group: "k:CUTOFF" });
  });
});

everyClient("a run that reaches its cutoff", (open) => {
  const putWith = {
    job: (client: Client) => client.queue("q").put("k", {}, { cutoff: "1s" }),
    queue: async (client: Client) => {
      await client.config.setQueue("q", "cutoff", "1s");
      return client.queue("q").put("k", {});
    },
    "job that had been renewed": async (client: Client) => {
      await client.config.set("heartbeat", "600ms");
      return client.queue("q").put("k", {}, { cutoff: "1s" });
    },
  };

  test.each(Object.keys(putWith) as (keyof typeof putWith)[])(
    "of the %s keeps what its handler returns then, also if other slots are idle",
    async (whose) => {
      const client = await open();
      const codes: string[] = [];
      const lost: string[] = [];
      for (const name of ["one", "two"]) {
        const worker = workerOf(client, { concurrency: 10, name });
        worker.handle("k", async (_, { signal }) => {
          codes.push((await aborted(signal)).code);
          // The other slots and the other worker look for jobs meanwhile.
          await sleep(300);
          return { part: 1 };
        });
        worker.on("lost", (job) => lost.push(job.jid));
        await worker.start();
      }
      const { jid } = await putWith[whose](client);
      const { job } = await client.waitFor(jid, { timeout: "10s" });
      expect(job).toMatchObject({ state: "complete", data: { part: 1 }, remaining: 5 });
      expect([codes, lost]).toEqual([["CUTOFF"], []]);
    },
  );

  test("is tried again by another if its handler does not stop", async () => {
    const client = await open();
    await client.config.set("grace-period", "300ms");
    const { jid } = await client.queue("q").put("k", {}, { cutoff: "500ms" });
    const gate = deferred();
    const worker = workerOf(client).handle("k", async (job) => {
      if (job.remaining === 5) await gate.promise;
      return job.remaining;
    });
    await worker.start();
    const { job } = await client.waitFor(jid, { timeout: "10s" });
    expect(job).toMatchObject({ state: "complete", data: 4 });
    gate.resolve();
  });
});

everyClient("stopping a worker", (open) => {
  test("lets jobs end that run, and takes no others", async () => {
    const client = await open();
    const first = await client.queue("q").put("k", {});
    const begun = deferred();
    const gate = deferred();
    const worker = workerOf(client, { concurrency: 1 }).handle("k", async (_, context) => {
      begun.resolve();
      await gate.promise;
      return { stopping: context.isStopping, checkin: await context.checkin("half", 0.5) };
    });
    await worker.start();
    await begun.promise;
    const second = await client.queue("q").put("k", {});
    const stopped = worker.stop();
    gate.resolve();
    expect(await stopped).toEqual({ left: [] });
    expect((await client.get(first.jid))!.data).toEqual({ stopping: true, checkin: true });
    expect((await client.get(second.jid))!.state).toBe("waiting");
    expect(await client.workers.list()).toEqual([]);
  });

  test("hurries when it is told again, and never slows down", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const begun = deferred();
    const worker = workerOf(client).handle("k", () => {
      begun.resolve();
      return new Promise(() => {});
    });
    await worker.start();
    await begun.promise;
    const at = performance.now();
    // More than a timer takes, which would then not wait at all.
    const first = worker.stop({ grace: "30d" });
    await sleep(50);
    expect(worker.isRunning).toBe(true);
    const second = worker.stop({ grace: 50 });
    const third = worker.stop({ grace: "1h" });
    expect(await Promise.all([first, second, third])).toEqual(Array(3).fill({ left: [jid] }));
    expect(performance.now() - at).toBeLessThan(5000);
    expect((await client.get(jid))!.state).toBe("stalled");
  });

  test("returns by the deadline though a handler hangs, and others can have the job at once", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const begun = deferred<AbortSignal>();
    const worker = workerOf(client).handle("k", (_, { signal }) => {
      begun.resolve(signal);
      return new Promise(() => {});
    });
    await worker.start();
    const signal = await begun.promise;
    const at = performance.now();
    expect(await worker.stop({ grace: 100 })).toEqual({ left: [jid] });
    expect(performance.now() - at).toBeLessThan(2000);
    expect(signal.reason).toMatchObject({ code: "STOPPING" });
    const [job] = await client.queue("q").pop({ worker: "other" });
    expect(job).toMatchObject({ jid, remaining: 5 });
    await job!.complete();
  });

  test("gives a job back without cost when its handler stops as it is told", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const begun = deferred();
    const worker = workerOf(client).handle("k", async (_, { signal }) => {
      begun.resolve();
      throw await aborted(signal);
    });
    await worker.start();
    await begun.promise;
    expect(await worker.stop({ grace: 20 })).toEqual({ left: [] });
    expect(await client.get(jid)).toMatchObject({ state: "waiting", remaining: 5 });
  });
});
