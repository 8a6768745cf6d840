import { expect, test } from "vitest";
import { everyClient } from "./every-client.ts";

everyClient("a queue", (open) => {
  test("counts and lists its jobs by state", async () => {
    const client = await open();
    const queue = client.queue("q");
    for (const jid of ["a", "b", "c"]) await queue.put("k", {}, { jid });
    await queue.put("k", {}, { jid: "d", delay: "1h" });
    await queue.put("k", {}, { jid: "e", depends: ["a"] });
    await queue.pop({ worker: "w" });
    const counts = { waiting: 2, running: 1, stalled: 0, scheduled: 1, depends: 1, recurring: 0 };
    const nextSince = expect.any(Date);
    expect(await queue.counts()).toEqual({ name: "q", ...counts, paused: false, nextSince });
    expect(await client.queues()).toMatchObject([{ name: "q", ...counts }]);
    expect(await queue.length()).toBe(4);
    expect(await queue.jobs("waiting")).toEqual(["b", "c"]);
    expect(await queue.jobs("waiting", { offset: 1, count: 1 })).toEqual(["c"]);
    expect((await queue.peek(5)).map(({ jid }) => jid)).toEqual(["b", "c"]);
    expect(await client.workers.list()).toEqual([{ name: "w", jobs: 1, stalled: 0 }]);
    expect(await client.workers.get("w")).toEqual({ jobs: ["a"], stalled: [] });
    await client.workers.deregister("w");
    expect(await client.workers.list()).toEqual([]);
  });

  test("has statistics of a day, in milliseconds", async () => {
    const client = await open();
    const queue = client.queue("q");
    for (let i = 0; i < 3; i++) await queue.put("k", i);
    for (const job of await queue.pop({ count: 3 })) await job.complete();
    const { wait, run, failed } = await queue.statistics();
    expect([wait.count, run.count, failed]).toEqual([3, 3, 0]);
    expect(run.meanMs).toBeLessThan(60_000);
    expect(run.histogram).toHaveLength(148);
    expect((await queue.statistics("2020-01-01")).run.count).toBe(0);
  });

  test("is forgotten when it is empty", async () => {
    const client = await open();
    await client.queue("q").put("k", {}, { jid: "a" });
    await client.cancel(["a"]);
    await client.queue("q").forget();
    expect(await client.queues()).toEqual([]);
  });

  test("has settings of its own, checked", async () => {
    const client = await open();
    await client.config.set("heartbeat", "90s");
    expect(await client.config.get("heartbeat")).toBe("90");
    await client.config.setQueue("q", "backoff", { kind: "linear", base: "30s", cap: "10m" });
    expect(await client.config.all()).toMatchObject({ "q-backoff": "linear 30 cap 600" });
    await client.config.unsetQueue("q", "backoff");
    await client.config.unset("heartbeat");
    expect(await client.config.all()).not.toHaveProperty("q-backoff");
    const misspelt = "hartbeat" as "heartbeat";
    const sentence = /There is no setting "hartbeat"; the settings are .*heartbeat/;
    await expect(client.config.set(misspelt, "5s")).rejects.toThrow(sentence);
    await expect(client.config.setQueue("q", misspelt, "5s")).rejects.toThrow(sentence);
    await expect(client.config.unset(misspelt)).rejects.toThrow(sentence);
    expect(await client.config.all()).not.toHaveProperty("hartbeat");
    expect(await client.config.get("heartbeat")).toBe("60");
    const wrong = client.config.set("heartbeat", "never");
    await expect(wrong).rejects.toThrow(/^heartbeat must be milliseconds/);
  });

  test("gets jobs at an interval", async () => {
    const client = await open();
    await client.recurring.set("nightly", "report", { a: 1 }, { interval: "1h", tags: ["t"] });
    const [job] = await client.queue("report").pop();
    expect(job).toMatchObject({ jid: "nightly-1", klass: "report", data: { a: 1 }, tags: ["t"] });
    expect(await client.recurring.get("nightly")).toMatchObject({
      intervalMs: 3_600_000,
      count: 1,
      data: { a: 1 },
      queue: "report",
      next: expect.any(Date),
    });
    await client.recurring.remove("nightly");
    expect(await client.recurring.get("nightly")).toBeUndefined();
    expect((await client.get("nightly-1"))!.spawnedFrom).toBe("nightly");
  });

  test("rests from jobs at an interval while they are paused", async () => {
    const client = await open();
    const { recurring } = client;
    await recurring.set("nightly", "report", {}, { interval: "1h", offset: "30m" });
    const { next } = (await recurring.get("nightly"))!;
    await recurring.pause("nightly");
    const paused = { paused: true, next: undefined };
    expect(await recurring.get("nightly")).toMatchObject(paused);
    expect((await recurring.list()).recurring).toMatchObject([paused]);
    await recurring.unpause("nightly");
    expect(await recurring.get("nightly")).toMatchObject({ paused: false, next });
    for (const action of ["pause", "unpause"] as const) {
      await expect(recurring[action]("none")).rejects.toMatchObject({ name: "NoSuchJob" });
    }
  });

  test("needs looking after, which is done a slice at a time", async () => {
    const client = await open();
    await client.put("k", {}, { delay: "1h" });
    const { more, next } = await client.maintenance.tick();
    expect(more).toBe(false);
    expect(next?.getTime()).toBeGreaterThan(Date.now());
    const progress: number[] = [];
    const onProgress = ({ looked }: { looked: number }) => progress.push(looked);
    expect(await client.maintenance.check({ onProgress, repair: true })).toEqual([]);
    expect(progress.length).toBeGreaterThan(0);
  });
});
