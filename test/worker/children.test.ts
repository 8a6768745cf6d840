import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { WorkerOptions } from "../../dist/index.js";
import { everySite, lives, soon } from "./site.ts";

/** Where each model runs jobs, and what they find there. */

interface Told {
  pid: number;
  thread: number;
  folder: string;
  temporary: string;
  before: string[];
  env: Record<string, string>;
  put: string;
  lease: number;
}

const MODELS: [model: NonNullable<WorkerOptions["model"]>, more: Partial<WorkerOptions>][] = [
  ["processes", { concurrency: 2, children: { count: 2 } }],
  ["process-per-job", { concurrency: 2 }],
  ["threads", { children: { count: 2 } }],
];

everySite("a worker with children", (open) => {
  test.each(MODELS)("runs jobs in %s, with all that a handler is given", async (model, more) => {
    const site = await open();
    const { client } = site;
    const worker = site.worker({ model, ...more });
    const around: string[] = [];
    worker.use(async ({ job }, next) => {
      await next();
      around.push(job.klass);
    });
    const { jid } = await client.queue("q").put("asks", { text: "ä\u0000\u2028" });
    await worker.start();
    expect(worker.klasses).toEqual(["asks", "behaves", "cut"]);
    const job = await site.ended(jid);
    const told = job.data as unknown as Told;
    const isThread = model === "threads";
    expect(told.pid === process.pid).toBe(isThread);
    expect(told.thread > 0).toBe(isThread);
    expect(around).toEqual(["asks"]);
    expect((await client.get(told.put))?.data).toEqual({ by: jid });
    expect(job.history.map(({ what }) => what)).toContain("half way");
    const asked = site.logged.find(({ sentence }) => sentence === "Asked");
    expect(asked?.facts).toMatchObject({ jid, klass: "asks", said: { text: "ä\u0000\u2028" } });
    expect(await client.maintenance.check()).toEqual([]);
  });

  test.each(MODELS)("tells in %s what a handler threw, and retries it", async (model, more) => {
    const site = await open();
    const thrown: unknown[] = [];
    const worker = site.worker({ model, ...more });
    worker.use(async (_, next) => {
      await next().catch((error: unknown) => {
        thrown.push(error);
        throw error;
      });
    });
    await worker.start();
    const job = await site.ended(
      await site.behave({ way: "throws" }, { retries: 1, backoff: "fixed 0" }),
    );
    expect(job.failure).toMatchObject({ group: "behaves:TypeError" });
    expect(job.failure?.message).toMatch(/TypeError: no good\n.*behaves\.mjs/);
    expect(thrown).toMatchObject([{ message: "no good" }, { name: "TypeError" }]);
  });

  test.each(MODELS)("survives in %s a job that ends its child", async (model, more) => {
    const site = await open();
    await site.worker({ model, ...more }).start();
    const deadly = await site.behave({ way: "exits" }, { retries: 1, backoff: "fixed 0" });
    const job = await site.ended(deadly);
    expect(job.failure).toMatchObject({ group: "crashed" });
    expect(job.failure?.message).toMatch(/The process that ran it ended with code 3/);
    if (model !== "threads") expect(job.failure?.message).toMatch(/last words/);
    const after = await site.ended(await site.behave({ way: "rests", ms: 1 }));
    expect(after.state).toBe("complete");
    expect(await site.client.maintenance.check()).toEqual([]);
  });

  test.each(MODELS)("ignores in %s what handlers send to their parent", async (model, more) => {
    const site = await open();
    const worker = site.worker({ model, ...more });
    await worker.start();
    const jids = [
      await site.behave({ way: "speaks" }),
      await site.behave({ way: "rests", ms: 50 }),
    ];
    for (const jid of jids) expect((await site.ended(jid)).state).toBe("complete");
    expect(worker.klasses).toEqual(["asks", "behaves", "cut"]);
  });

  test.each(MODELS)("ends in %s what throws what cannot be read", async (model, more) => {
    const site = await open();
    await site.worker({ model, ...more }).start();
    const proxy = await site.ended(await site.behave({ way: "poisons" }, { retries: 0 }));
    expect(proxy.failure).toMatchObject({ group: "behaves:object" });
    const name = await site.ended(await site.behave({ way: "names" }, { retries: 0 }));
    expect(name.failure).toMatchObject({ group: "behaves:Error" });
    expect(name.failure?.message).toMatch(/no good/);
  });

  test.each(MODELS)("ends in %s a job that its handler has changed", async (model, more) => {
    const site = await open();
    await site.worker({ model, ...more }).start();
    const job = await site.ended(await site.behave({ way: "changes" }));
    expect([job.state, job.data]).toEqual(["complete", {}]);
  });

  test("gives each job a process of its own where that is asked", async () => {
    const site = await open();
    await site.worker({ model: "process-per-job", concurrency: 2 }).start();
    const jids = await Promise.all([1, 2, 3, 4, 5].map(() => site.behave({ way: "rests", ms: 1 })));
    const pids = new Set<number>();
    for (const jid of jids) pids.add(((await site.ended(jid)).data as { pid: number }).pid);
    expect(pids.size).toBe(5);
    await expect.poll(() => [...pids].filter(lives), soon).toEqual([]);
  });

  test("runs as many jobs at a time in each process as it may, and no more", async () => {
    const site = await open();
    const worker = site.worker({ model: "processes", concurrency: 3, children: { count: 2 } });
    const jids: string[] = [];
    const data = { way: "rests", ms: 700, note: site.note };
    for (let i = 0; i < 8; i++) jids.push(await site.behave(data));
    await worker.start();
    await expect.poll(() => site.notes().length, soon).toBeGreaterThanOrEqual(6);
    const { running, waiting } = await site.client.queue("q").counts();
    expect([running, waiting]).toEqual([6, 2]);
    for (const jid of jids) expect((await site.ended(jid)).state).toBe("complete");
    expect(new Set(site.notes()).size).toBe(2);
  });

  test("gives a child a folder of its own, empty for each job, and none of the secrets", async () => {
    const site = await open();
    process.env.SITE_SECRET = "hidden";
    process.env.SITE_REGION = "eu";
    const children = { count: 1, env: ["SITE_R*"], folder: site.folder };
    const worker = site.worker({ model: "processes", concurrency: 1, children });
    await worker.start();
    const told: Told[] = [];
    for (let i = 0; i < 3; i++) {
      const { jid } = await site.client.queue("q").put("asks", {});
      told.push((await site.ended(jid)).data as unknown as Told);
    }
    const [first] = told as [Told];
    expect(told.map(({ before }) => before)).toEqual([[], [], []]);
    expect(first.folder).toBe(first.temporary);
    expect(dirname(dirname(first.folder))).toBe(site.folder);
    expect(first.env).toMatchObject({ SITE_REGION: "eu", PATH: process.env.PATH });
    expect(first.env).not.toHaveProperty("SITE_SECRET");
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(1);
    await worker.stop();
    expect(existsSync(dirname(first.folder))).toBe(false);
    expect(lives(first.pid)).toBe(false);
  });

  test("gives back a klass that no child has, and runs it when one has", async () => {
    const site = await open();
    const worker = site.worker({ model: "threads", children: { count: 1 } });
    const unhandled = new Promise<string>((resolve) => void worker.on("unhandled", resolve));
    const { jid } = await site.client.queue("q").put("unheard-of", {}, { retries: 0 });
    await worker.start();
    expect(await unhandled).toBe("unheard-of");
    await expect.poll(() => site.state(jid), soon).toBe("scheduled");
  });

  test("drains with one process for each job, however long those take to start", async () => {
    const site = await open();
    const worker = site.worker({ model: "process-per-job", concurrency: 1 });
    for (let i = 0; i < 3; i++) await site.behave({ way: "rests", ms: 1 });
    const report = await worker.drain({ timeout: "20s" });
    expect(report).toMatchObject({ isEmpty: true, left: { q: { waiting: 0, running: 0 } } });
    expect(await site.client.completed()).toHaveLength(3);
  });
});
