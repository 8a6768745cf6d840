import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../sources.ts";
import { soon } from "../worker/site.ts";
import { everySite, folderOf, type Site, start } from "./support.ts";

const SEND = `export const options = { retries: 0 };
  export default (job, { log }) => {
    log.info({ to: job.data.to }, "Sending");
    if (job.data.to === undefined) throw new TypeError("to whom?");
    return { sent: job.data.to };
  };`;
const JOBS = { "jobs/email/send.mjs": SEND };

const stateOf = async ({ client }: Site, jid: string) => (await client.get(jid))?.state;

everySite("qless work", (open) => {
  test("runs the jobs of a folder, and says what it does", async () => {
    const site = await open({ ...JOBS, "jobs/more.cjs": "exports.handlers = { noop() {} };" });
    const queue = site.client.queue("emails");
    const { jid } = await queue.put("email.send", { to: "ada" });
    const bad = await queue.put("email.send", {});
    const other = await site.client.queue("other").put("noop", {});
    const worker = site.work("--queues", "emails,other", "--concurrency", "2", "--name", "w1");
    expect(await worker.until("Working")).toMatchObject({
      level: "info",
      name: "w1",
      queues: ["emails", "other"],
      klasses: ["email.send", "noop"],
      concurrency: 2,
      engine: expect.stringMatching(/^(sqlite|redis):/),
    });
    await expect.poll(() => stateOf(site, other.jid), soon).toBe("complete");
    await expect.poll(() => stateOf(site, bad.jid), soon).toBe("failed");
    expect(await site.client.get(jid)).toMatchObject({ state: "complete", data: { sent: "ada" } });
    await worker.until("Job failed");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    expect(worker.said("Sending")).toMatchObject({
      jid,
      klass: "email.send",
      to: "ada",
      worker: "w1",
    });
    const err = { type: "TypeError", message: "to whom?" };
    expect(worker.said("Job failed")).toMatchObject({ level: "error", jid: bad.jid, err });
    const counts = { completed: 2, failed: 1, retried: 0, lost: 0 };
    expect(worker.said("Stopped")).toMatchObject({ ...counts, left: [], code: 0 });
    expect(worker.stderr).toBe("");
    expect(await site.client.workers.list()).toEqual([]);
  });

  test("looks up a klass among its handlers, and nowhere else", async () => {
    const mark = (name: string) =>
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(name)}, ""); export default () => 1;`;
    const site = await open({ ...JOBS, "outside.mjs": mark("loaded-outside") });
    const klasses = [
      "../../etc/passwd",
      "../outside",
      "../outside.mjs",
      "__proto__",
      "constructor",
      "toString",
      "node:fs",
      "email/send",
      "jobs/email/send.mjs",
      join(site.folder, "outside.mjs"),
      `data:text/javascript,${mark("loaded-data")}`.slice(0, 250),
    ];
    const queue = site.client.queue("q");
    const put = await queue.putMany(klasses.map((klass) => ({ klass, data: {} })));
    const last = await queue.put("email.send", { to: "ada" });
    const worker = site.work("--queues", "q");
    await expect.poll(() => stateOf(site, last.jid), soon).toBe("complete");
    for (const { jid } of put) await expect.poll(() => stateOf(site, jid), soon).toBe("scheduled");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    for (const { jid } of put) {
      const job = (await site.client.get(jid))!;
      expect(job.remaining).toBe(job.retries);
      expect(job.failure).toBeUndefined();
    }
    const told = worker.lines.filter(({ msg }) => msg.startsWith("No handler for klass"));
    expect(told.map(({ klass }) => klass).toSorted()).toEqual(klasses.toSorted());
    expect(worker.said("Stopped")).toMatchObject({ completed: 1, retried: 0, failed: 0 });
    for (const name of ["loaded-outside", "loaded-data"]) {
      expect(existsSync(join(site.folder, name))).toBe(false);
    }
  });

  test("reads the folder once", async () => {
    const site = await open(JOBS);
    const worker = site.work("--queues", "q");
    await worker.until("Working");
    writeFileSync(join(site.folder, "jobs/late.mjs"), "export default () => 1;");
    writeFileSync(join(site.folder, "jobs/email/send.mjs"), "throw 1");
    const { jid } = await site.client.queue("q").put("late", {});
    const known = await site.client.queue("q").put("email.send", { to: "ada" });
    await expect.poll(() => stateOf(site, known.jid), soon).toBe("complete");
    await expect.poll(() => stateOf(site, jid), soon).toBe("scheduled");
  });

  test("gives jobs back and ends when an error is caught by nobody", async () => {
    const site = await open({
      "jobs/k.mjs": `export default () => new Promise(() => {
        setTimeout(() => { throw new Error("stray") }, 1);
      });`,
    });
    const { jid } = await site.client.queue("q").put("k", {});
    const worker = site.work("--queues", "q");
    expect(await worker.code()).toBe(1);
    const line = worker.said("An error that nobody caught");
    expect(line).toMatchObject({ level: "error", err: { message: "stray" } });
    expect(worker.said("Stopped;")).toMatchObject({ left: [jid], code: 1 });
    expect(worker.stderr).toBe("");
    expect(await site.client.queue("q").pop({ worker: "other" })).toHaveLength(1);
  });
});

everySite("the settings of qless work", (open) => {
  test("come from flags, then the environment, then the file", async () => {
    const { folder, flags } = await open(JOBS);
    const [, url, , namespace] = flags as [string, string, string, string];
    const config = { url: "redis://127.0.0.1:1", namespace: "file", queues: ["file"] };
    const file = { ...config, concurrency: 3, name: "file", jobs: "./jobs" };
    writeFileSync(join(folder, "qless.config.json"), JSON.stringify(file));
    const env = {
      QLESS_URL: url,
      QLESS_NAMESPACE: namespace,
      QLESS_QUEUES: "x, y",
      QLESS_CONCURRENCY: "4",
    };
    const byEnvironment = start(["work"], { cwd: folder, env });
    const told = { name: "file", queues: ["x", "y"], concurrency: 4 };
    expect(await byEnvironment.until("Working")).toMatchObject(told);
    const words = ["work", "--queues", "f", "--concurrency", "5", "--name", "flag"];
    const byFlags = start(words, { cwd: folder, env });
    const flagged = { name: "flag", queues: ["f"], concurrency: 5 };
    expect(await byFlags.until("Working")).toMatchObject(flagged);
    const empty = { QLESS_URL: "", QLESS_NAMESPACE: "", QLESS_QUEUES: "", QLESS_CONCURRENCY: "" };
    const byFile = start(["work", ...flags], { cwd: folder, env: empty });
    const filed = { name: "file", queues: ["file"], concurrency: 3 };
    expect(await byFile.until("Working")).toMatchObject(filed);
  });

  test("have orders and weights", async () => {
    const { work } = await open(JOBS);
    const words = ["--queues", "a,b", "--weights", "a=3,b=1", "--order", "weighted"];
    const worker = work(...words, "--grace", "5s");
    await worker.until("Working");
    worker.signal("SIGINT");
    expect(await worker.code()).toBe(0);
  });
});

describe("a config file in TypeScript, and jobs", () => {
  const files = {
    "qless.config.ts": `const queues: string[] = ["q"]; export default { queues, url: "sqlite:./q.db" };`,
    "jobs/k.ts": "export default (job: object): number => 1;",
  };
  const loads = process.features as { typescript?: unknown };

  test("load where a loader is registered", async () => {
    const node = ["--import", join(ROOT, "test/cli/ts-loader.mjs")];
    const worker = start(["work"], { cwd: folderOf(files), node });
    expect(await worker.until("Working")).toMatchObject({ queues: ["q"], klasses: ["k"] });
  });

  test("are refused with what to do where Node does not load them", async ({ skip }) => {
    skip(Boolean(loads.typescript), "This Node does");
    const advice =
      "is TypeScript that this Node does not load: build it and name the .js, " +
      "or use Node 22.18 or later, or run with node --import tsx\n";
    const config = start(["work"], { cwd: folderOf(files) });
    expect(await config.code()).toBe(2);
    expect(config.stderr).toBe(`qless: qless.config.ts ${advice}`);
    const jobs = start(["work", "--queues", "q"], { cwd: folderOf({ "jobs/k.mts": "" }) });
    expect(await jobs.code()).toBe(2);
    expect(jobs.stderr).toBe(`qless: jobs/k.mts ${advice}`);
  });
});

describe("qless without a verb", () => {
  test("prints its help", async () => {
    const shown = start([]);
    expect(await shown.code()).toBe(0);
    expect(shown.stdout).toMatch(/^Usage: qless /);
    expect(shown.stdout).toContain("demo [options]");
  });

  test("tells its version", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const shown = start(["--version"]);
    expect(await shown.code()).toBe(0);
    expect(shown.stdout).toBe(`${version}\n`);
  });
});
