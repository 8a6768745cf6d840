import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { everySite, JOBS, lives, type Site, soon, untilChildren } from "./site.ts";

/** What a worker does about children that die, swell, block, or do not stop when they are told to. */

const ONE = { model: "processes", concurrency: 1, children: { count: 1 } } as const;
const pidOf = (job: { data: unknown }) => (job.data as { pid: number }).pid;

/** The process that has begun a job and written so. */
async function begunBy(site: Site, nth = 0): Promise<number> {
  await expect.poll(() => begun(site).length, soon).toBeGreaterThan(nth);
  return begun(site)[nth]!;
}

const begun = (site: Site) =>
  site.notes().flatMap((line) => (line.startsWith("begun ") ? [Number(line.slice(6))] : []));

everySite("children", (open) => {
  test("are replaced when they are killed, and their job counts as tried", async () => {
    const site = await open();
    const worker = site.worker(ONE);
    await worker.start();
    const data = { way: "rests", ms: 300, note: site.note };
    const jid = await site.behave(data, { retries: 3, backoff: "fixed 0" });
    process.kill(await begunBy(site), "SIGKILL");
    const job = await site.ended(jid);
    expect([job.state, job.history.filter(({ what }) => what === "popped")]).toMatchObject([
      "complete",
      [{}, {}],
    ]);
    expect(pidOf(job)).toBe(await begunBy(site, 1));
    const ended = site.logged.find(({ sentence }) => sentence.startsWith("A child has ended"));
    expect(String(ended?.facts.err)).toMatch(/ended by SIGKILL/);
  });

  test("that die and die are started again later and later", async () => {
    const site = await open();
    const worker = site.worker(ONE);
    await worker.start();
    for (let i = 0; i < 3; i++)
      await site.behave({ way: "exits", note: site.note }, { retries: 0 });
    const after = await site.behave({ way: "rests", ms: 1 }, { priority: 9 });
    const began = performance.now();
    expect((await site.ended(after)).state).toBe("complete");
    // One at once, one after 0.25 s at least, one after 0.5 s at least.
    expect(performance.now() - began).toBeGreaterThan(700);
    expect(new Set(begun(site)).size).toBe(3);
  });

  test("are replaced after so many jobs, and none is missed meanwhile", async () => {
    const site = await open();
    const worker = site.worker({ ...ONE, children: { count: 2, maxJobs: 3 } });
    const jids: string[] = [];
    for (let i = 0; i < 12; i++) jids.push(await site.behave({ way: "rests", ms: 1 }));
    await worker.start();
    const runs = new Map<number, number>();
    for (const jid of jids) {
      const pid = pidOf(await site.ended(jid));
      runs.set(pid, (runs.get(pid) ?? 0) + 1);
    }
    expect(Math.max(...runs.values())).toBeLessThanOrEqual(3);
    expect(runs.size).toBeGreaterThanOrEqual(4);
  });

  test.each(["processes", "threads"] as const)("in %s that swell are replaced", async (model) => {
    const site = await open();
    const worker = site.worker({ ...ONE, model, children: { count: 1, maxMemory: 200 } });
    await worker.start();
    const hoards = () => site.behave({ way: "hoards", megabytes: 60 });
    for (let i = 0; i < 6; i++) expect((await site.ended(await hoards())).state).toBe("complete");
    const replaced = site.logged.filter(({ sentence }) => /too much memory/.test(sentence));
    expect(replaced.length).toBeGreaterThanOrEqual(1);
    await untilChildren(worker, ([child]) => child !== undefined && child.memory < 200);
  });

  test.each(["processes", "threads"] as const)(
    "in %s that run too long are ended",
    async (model) => {
      const site = await open();
      const worker = site.worker({ ...ONE, model, children: { count: 1, patience: "200ms" } });
      await worker.start();
      const { jid } = await site.client.queue("q").put("cut", {}, { retries: 0 });
      const job = await site.ended(jid);
      expect(job.failure).toMatchObject({ group: "cut:CUTOFF" });
      expect(job.failure?.message).toMatch(/has run as long as it may.*its process was ended/);
      const after = await site.behave({ way: "rests", ms: 1 });
      expect((await site.ended(after)).state).toBe("complete");
    },
  );

  test("are told by a signal, then by SIGTERM, and killed when they heed neither", async () => {
    const site = await open();
    const worker = site.worker({ ...ONE, children: { count: 1, patience: "300ms" } });
    await worker.start();
    const lost = new Promise((resolve) => void worker.on("lost", resolve));
    const persists = { way: "persists", ms: 60_000, note: site.note };
    const canceled = await site.behave(persists);
    const first = await begunBy(site);
    await site.client.cancel([canceled]);
    await lost;
    expect(lives(first)).toBe(false);
    expect(site.notes().slice(1)).toEqual(["CANCELED", "SIGTERM"]);
    const blocks = await site.behave({ way: "blocks", ms: 60_000, note: site.note });
    const second = await begunBy(site, 1);
    await site.client.cancel([blocks]);
    await expect.poll(() => lives(second), soon).toBe(false);
  });

  test("that are ended for one job give back the others untouched", async () => {
    const site = await open();
    const children = { count: 1, patience: "200ms" };
    await site.worker({ ...ONE, concurrency: 2, children }).start();
    const guilty = await site.behave({ way: "persists", ms: 60_000, note: site.note });
    const neighbour = await site.behave({ way: "rests", ms: 2000, note: site.note });
    await begunBy(site, 1);
    await site.client.cancel([guilty]);
    await expect.poll(() => begun(site).length, soon).toBe(3);
    const { state, remaining } = (await site.client.get(neighbour))!;
    expect([state, remaining]).toEqual(["running", 5]);
    expect((await site.ended(neighbour)).state).toBe("complete");
    expect(begun(site)).toHaveLength(3);
  });

  test.each(["processes", "threads"] as const)(
    "in %s keep locks while they block",
    async (model) => {
      const site = await open();
      await site.client.config.setQueue("q", "heartbeat", "1s");
      await site.worker({ ...ONE, model }).start();
      const jid = await site.behave({ way: "blocks", ms: 2500, note: site.note }, { retries: 0 });
      expect((await site.ended(jid)).state).toBe("complete");
      expect(begun(site)).toHaveLength(1);
    },
  );

  test("lose the lock of a job that blocks, where that is asked, and are ended", async () => {
    const site = await open();
    await site.client.config.setQueue("q", "heartbeat", "1s");
    await site.client.config.set("grace-period", 0);
    const children = { count: 1, patience: "100ms", whenBlocked: "lose" } as const;
    await site.worker({ ...ONE, children }).start();
    const jid = await site.behave(
      { way: "blocks", ms: 60_000, note: site.note },
      { retries: 0, backoff: "fixed 0" },
    );
    const pid = await begunBy(site);
    await expect.poll(() => site.state(jid), soon).toBe("failed");
    await expect.poll(() => lives(pid), soon).toBe(false);
  });

  test("are ended by a stop whose grace is over, and their jobs are free at once", async () => {
    const site = await open();
    const worker = site.worker(ONE);
    await worker.start();
    const jid = await site.behave({ way: "blocks", ms: 60_000, note: site.note });
    const pid = await begunBy(site);
    const began = performance.now();
    expect(await worker.stop({ grace: 200 })).toEqual({ left: [jid] });
    expect(performance.now() - began).toBeLessThan(4000);
    expect(lives(pid)).toBe(false);
    const { state, remaining } = (await site.client.get(jid))!;
    expect([state, remaining]).toEqual(["waiting", 5]);
    await worker.start();
    expect(worker.isRunning).toBe(true);
  });

  test("lose no job and complete each once though they are killed at random", async () => {
    const site = await open();
    const children = { count: 3 };
    const worker = site.worker({ model: "processes", concurrency: 4, children });
    const data = { way: "rests", ms: 10, note: site.note };
    const retries = { retries: 100, backoff: "fixed 0" };
    const jobs = Array.from({ length: 150 }, () => ({ klass: "behaves", data, ...retries }));
    const jids = (await site.client.queue("q").putMany(jobs)).map(({ jid }) => jid);
    await worker.start();
    for (let i = 0; i < 8; i++) {
      await begunBy(site, i * 15);
      const living = [...new Set(begun(site))].filter(lives);
      const victim = living[Math.floor(Math.random() * living.length)];
      if (victim !== undefined) process.kill(victim, "SIGKILL");
    }
    for (const jid of jids) {
      const { state, history } = await site.ended(jid, "30s");
      expect([state, history.filter(({ what }) => what === "done").length]).toEqual([
        "complete",
        1,
      ]);
    }
    expect(await site.client.maintenance.check()).toEqual([]);
  });

  test.each(["rests", "blocks"])("die with their parent when a job %s", async (way) => {
    const site = await open();
    const { client, url, folder } = site;
    const { namespace } = client.engine;
    const children = { count: 1, folder };
    const words = JSON.stringify({ url, namespace, ...ONE, jobs: JOBS, children });
    const parent = spawn(process.execPath, [fileURLToPath(PARENT), words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    await once(parent.stdout, "data");
    const breeds = { way: "breeds", next: way, ms: 20_000, note: site.note };
    const jid = await site.behave(breeds);
    const child = await begunBy(site);
    await expect.poll(async () => (await client.get(jid))!.data, soon).toHaveProperty("pid");
    const grandchild = pidOf((await client.get(jid))!);
    expect([lives(child), lives(grandchild)]).toEqual([true, true]);
    parent.kill("SIGKILL");
    const died = performance.now();
    await expect.poll(() => [child, grandchild].filter(lives), soon).toEqual([]);
    expect(performance.now() - died).toBeLessThan(3000);
    await expect.poll(() => readdirSync(folder).filter((name) => /^qless/.test(name))).toEqual([]);
  });
});

test.each(["processes", "process-per-job", "threads"])(
  "The folder of a killed worker with %s is removed when the next one starts",
  async (model) => {
    const folder = mkdtempSync(join(tmpdir(), "site-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const count = model === "process-per-job" ? {} : { count: 1 };
    const url = `sqlite:${join(folder, "jobs.db")}`;
    const start = async () => {
      const words = { url, namespace: "ql", model, jobs: JOBS, concurrency: 1 };
      const given = JSON.stringify({ ...words, children: { ...count, folder } });
      const parent = spawn(process.execPath, [fileURLToPath(PARENT), given], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void parent.kill("SIGKILL"));
      await once(parent.stdout, "data");
      return parent;
    };
    const folders = () => readdirSync(folder).filter((name) => /^qless-/.test(name));
    const living = await start();
    const [own] = folders();
    // Of another machine, and of a person: neither may go.
    for (const name of ["qless-00000000-1-abcdef", "qless-mine"]) mkdirSync(join(folder, name));
    const killed = await start();
    killed.kill("SIGKILL");
    await once(killed, "exit");
    await start();
    const kept = ["qless-00000000-1-abcdef", "qless-mine", own!];
    await expect
      .poll(() => folders().filter((name) => !name.includes(`-${killed.pid}-`)).length, soon)
      .toBe(kept.length + 1);
    expect(folders()).toEqual(expect.arrayContaining(kept));
    await expect
      .poll(() => folders().filter((name) => name.includes(`-${killed.pid}-`)), soon)
      .toEqual([]);
    expect(living.exitCode).toBe(null);
  },
);

const PARENT = new URL("./parent.mjs", import.meta.url);
