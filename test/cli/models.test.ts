import { expect, test } from "vitest";
import { lives, soon } from "../worker/site.ts";
import { everySite, folderOf, start } from "./support.ts";

/** `qless work` with children. */

const JOBS = {
  "jobs/tell.mjs": `
    import { setTimeout as rest } from "node:timers/promises";
    export default async (job, { checkin, log }) => {
      log.info({ pid: process.pid }, "Begun");
      await rest(job.data.ms ?? 0);
      return { pid: process.pid, folder: process.cwd() };
    };`,
};

everySite("qless work with children", (open) => {
  test.each(["processes", "process-per-job", "threads"])("runs jobs in %s", async (model) => {
    const { client, work } = await open(JOBS);
    const words = model === "process-per-job" ? [] : ["--children", "2"];
    const worker = work("--queues", "q", "--model", model, ...words, "--concurrency", "1");
    const working = await worker.until("Working");
    expect(working).toMatchObject({ klasses: ["tell"], model, concurrency: 1 });
    const { jid } = await client.queue("q").put("tell", {});
    const { job } = await client.waitFor(jid, { timeout: "15s" });
    const { pid } = job!.data as { pid: number };
    expect(pid === worker.child.pid).toBe(model === "threads");
    expect(await worker.until("Begun")).toMatchObject({ jid, klass: "tell", pid });
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    await expect.poll(() => lives(pid), soon).toBe(false);
    expect(worker.said("Stopped")).toMatchObject({ completed: 1, left: [] });
  });

  test("lets jobs end when the whole service is told to stop", async () => {
    const { client, work } = await open(JOBS);
    const worker = work("--queues", "q", "--model", "processes", "--children", "1");
    const { jid } = await client.queue("q").put("tell", { ms: 700 });
    const { pid } = await worker.until("Begun");
    process.kill(pid as number, "SIGTERM");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    expect((await client.get(jid))?.state).toBe("complete");
  });

  test("takes what the config file says of children", async () => {
    const config = { queues: "q", model: "processes", children: { count: 1, maxJobs: 1 } };
    const { client, work } = await open({
      ...JOBS,
      "qless.config.json": JSON.stringify(config),
    });
    const worker = work();
    expect(await worker.until("Working")).toMatchObject({ model: "processes", children: 1 });
    const pids = new Set<number>();
    for (let i = 0; i < 2; i++) {
      const { jid } = await client.queue("q").put("tell", {});
      const { job } = await client.waitFor(jid, { timeout: "15s" });
      pids.add((job!.data as { pid: number }).pid);
    }
    expect(pids.size).toBe(2);
  });
});

test.each([
  [["--model", "forks"], 2, /argument 'forks' is invalid.*coroutines, processes, process-per-job/],
  [["--model", "threads", "--children", "0"], 2, /children\.count must be a whole number from 1/],
  [["--model", "threads", "--children", "x"], 2, /--children must be a whole number, not "x"/],
  [["--children", "2"], 2, /children are for handlers elsewhere: say a model too/],
  [["--model", "process-per-job", "--children", "2"], 2, /concurrency.*leave out children\.count/],
  [["--model", "processes", "--env", "A,,B"], 2, /--env must be names with commas/],
  [["--model", "processes", "--jobs", "./none"], 2, /There is no .*none/],
  [["--model", "processes"], 1, /jobs\/broken\.mjs could not be loaded: Error: not today/],
] as const)("qless work %s exits with %i and says why", async (words, code, sentence) => {
  const cwd = folderOf({ "jobs/broken.mjs": 'throw new Error("not today");' });
  const worker = start(["work", "--queues", "q", ...words], { cwd });
  expect(await worker.code()).toBe(code);
  expect(worker.stderr).toMatch(sentence);
  expect(worker.stderr.trim().split("\n")).toHaveLength(1);
});
