import { hostname } from "node:os";
import { expect, test } from "vitest";
import { everyClient } from "../client/every-client.ts";
import { deferred, workerOf } from "./support.ts";

everyClient("a worker's presence", (open) => {
  test("tells where and what it is, and ends with it", async () => {
    const client = await open();
    const worker = workerOf(client, { queues: ["q", "r"], concurrency: 7 })
      .handle("a", () => {})
      .handle("b", () => {});
    await worker.start();
    const find = async () => (await client.workers.list()).find(({ name }) => name === worker.name);
    await expect.poll(find).toMatchObject({ jobs: 0, stalled: 0, present: {} });
    const { present } = (await find())!;
    expect(present).toMatchObject({ queues: ["q", "r"], klasses: ["a", "b"] });
    expect(present!.until.getTime()).toBeGreaterThan(Date.now());
    expect(present!.facts).toMatchObject({
      host: hostname(),
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      concurrency: 7,
      paused: false,
      memory: expect.any(Number),
      lag: expect.any(Number),
      running: 0,
      runs: [],
      unhandled: [],
    });
    await worker.stop();
    expect(await find()).toBeUndefined();
  });

  test("of two workers in one process has two names", async () => {
    const client = await open();
    const [one, two] = [workerOf(client), workerOf(client)];
    for (const worker of [one, two]) await worker.handle("k", () => {}).start();
    expect(one.name).not.toBe(two.name);
    await expect.poll(async () => (await client.workers.list()).length).toBe(2);
    await one.stop();
    await expect.poll(async () => (await client.workers.list()).length).toBe(1);
  });

  test("of another make is told as it is", async () => {
    const client = await open();
    await client.engine.call("worker.present", ["other", 60, "no JSON"]);
    await client.engine.call("worker.present", ["third", 60, '{"host":"h"}']);
    const facts = (await client.workers.list()).map(({ present }) => present?.facts);
    expect(facts).toEqual(expect.arrayContaining([{}, { host: "h" }]));
  });

  test("explains that nobody handles a klass", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("strange", {});
    const worker = workerOf(client).handle("known", () => {});
    await worker.start();
    const why = async () => (await client.explain(jid)).reasons.at(-1);
    await expect.poll(why).toEqual({ reason: "no-handler", klass: "strange", workers: 1 });
    await worker.announce();
    const [{ present } = {}] = await client.workers.list();
    expect(present!.facts.unhandled).toEqual(["strange"]);
    const able = workerOf(client).handle("strange", () => {});
    await able.start();
    await able.announce();
    expect((await client.explain(jid)).reasons.map(({ reason }) => reason)).toEqual(["scheduled"]);
  });

  test("tells what it does", async () => {
    const client = await open();
    const gate = deferred();
    const said = deferred();
    const worker = workerOf(client).handle("k", async (_, context) => {
      await context.checkin("half of it", 0.5);
      said.resolve();
      await gate.promise;
    });
    const { jid } = await client.queue("q").put("k", {});
    await worker.start();
    await said.promise;
    await worker.announce();
    const [{ present } = {}] = await client.workers.list();
    const runs = [{ jid, klass: "k", queue: "q", said: "half of it", progress: 0.5 }];
    expect(present!.facts).toMatchObject({ running: 1, runs });
    gate.resolve();
  });
});
