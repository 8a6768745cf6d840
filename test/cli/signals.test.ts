import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { soon } from "../worker/site.ts";
import { everySite, type Site, type Started } from "./support.ts";

/** Jobs that say so when they begin, and end when a file is there; some hear their signal. */
const JOBS = {
  "jobs/slow.mjs": `import { existsSync, writeFileSync } from "node:fs";
    export default async (job) => {
      writeFileSync("begun-" + job.jid, "");
      while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
    };`,
  "jobs/hangs.mjs": `import { writeFileSync } from "node:fs";
    export default (job) => {
      writeFileSync("begun-" + job.jid, "");
      return new Promise(() => {});
    };`,
};

const stateOf = async ({ client }: Site, jid: string) => (await client.get(jid))?.state;

everySite("a signal", (open) => {
  /** A worker with a job in hand. */
  async function busy(klass: "slow" | "hangs", ...words: string[]) {
    const site = await open(JOBS);
    const { jid } = await site.client.queue("q").put(klass, {});
    const worker = site.work("--queues", "q", "--concurrency", "1", ...words);
    await worker.until("Working");
    const begun = () => existsSync(join(site.folder, `begun-${jid}`));
    await expect.poll(begun, { timeout: 20_000 }).toBe(true);
    const go = () => writeFileSync(join(site.folder, "go"), "");
    return { site, jid, worker, go };
  }

  /** What was said of the end. */
  const endOf = (worker: Started) => worker.lines.at(-1);

  test.each(["SIGTERM", "SIGINT"] as const)("%s lets the running job end", async (signal) => {
    const { site, jid, worker, go } = await busy("slow");
    const next = await site.client.queue("q").put("slow", {});
    worker.signal(signal);
    await worker.until("Stopping; running jobs have their grace");
    expect(await stateOf(site, jid)).toBe("running");
    go();
    expect(await worker.code()).toBe(0);
    expect(await stateOf(site, jid)).toBe("complete");
    expect(await stateOf(site, next.jid)).toBe("waiting");
    expect(endOf(worker)).toMatchObject({ msg: "Stopped", completed: 1, left: [], code: 0 });
  });

  test("INT counts once though the terminal and npx both send it", async () => {
    const { site, jid, worker, go } = await busy("slow");
    worker.signal("SIGINT");
    worker.signal("SIGINT");
    await worker.until("Stopping; running jobs have their grace");
    go();
    expect(await worker.code()).toBe(0);
    expect(await stateOf(site, jid)).toBe("complete");
  });

  test("TERM gives a job back whose grace is over, and the exit code tells", async () => {
    const { site, jid, worker } = await busy("hangs", "--grace", "100ms");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(1);
    expect(endOf(worker)).toMatchObject({ level: "warn", left: [jid], code: 1 });
    const [again] = await site.client.queue("q").pop({ worker: "other" });
    expect(again!.jid).toBe(jid);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("%s stops at once as the second", async (signal, code) => {
    const { site, jid, worker } = await busy("hangs", "--grace", "1h");
    worker.signal(signal === "SIGTERM" ? "SIGINT" : "SIGTERM");
    await worker.until("Stopping; running jobs have their grace");
    worker.signal(signal);
    expect(await worker.code()).toBe(code);
    expect(worker.said("Stopping at once")).toMatchObject({ signal });
    expect(endOf(worker)).toMatchObject({ left: [jid], code });
    const [again] = await site.client.queue("q").pop({ worker: "other" });
    expect(again!.jid).toBe(jid);
  });

  test("QUIT lets the running job end though it takes longer than the grace", async () => {
    const { site, jid, worker, go } = await busy("slow", "--grace", "0ms");
    worker.signal("SIGQUIT");
    await worker.until("Stopping as soon as");
    // Longer than a grace of nothing, and the time to notice it, would take.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await stateOf(site, jid)).toBe("running");
    go();
    expect(await worker.code()).toBe(0);
    expect(await stateOf(site, jid)).toBe("complete");
  });

  test("TERM after QUIT gives the jobs no more than their grace", async () => {
    const { jid, worker } = await busy("hangs", "--grace", "100ms");
    worker.signal("SIGQUIT");
    await worker.until("Stopping as soon as");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(1);
    expect(endOf(worker)).toMatchObject({ left: [jid] });
  });

  test("USR2 pauses, and CONT resumes", async () => {
    const { site, jid, worker, go } = await busy("slow");
    worker.signal("SIGUSR2");
    await worker.until("Paused");
    const next = await site.client.queue("q").put("slow", {});
    go();
    await expect.poll(() => stateOf(site, jid), soon).toBe("complete");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await stateOf(site, next.jid)).toBe("waiting");
    worker.signal("SIGCONT");
    await worker.until("Resumed");
    await expect.poll(() => stateOf(site, next.jid), soon).toBe("complete");
    worker.signal("SIGCONT");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    expect(worker.lines.filter(({ msg }) => msg === "Resumed")).toHaveLength(1);
  });
});
