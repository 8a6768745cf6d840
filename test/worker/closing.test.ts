import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Worker } from "../../src/worker/worker.ts";
import { openClient, PLACES } from "../client/every-client.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { deferred, sleep } from "./support.ts";

describe.each(PLACES)("closing a client (%s)", (place) => {
  async function opened() {
    const client = await openClient(place);
    onTestFinished(() => client.close({ grace: 0 }));
    return client;
  }

  test("lets its workers finish the jobs in hand, and takes no others", async () => {
    const client = await opened();
    const begun = deferred();
    const gate = deferred();
    const worker = new Worker(client, { queues: "q", concurrency: 1 });
    let ended: string | undefined;
    worker.handle("k", async (job) => {
      begun.resolve();
      await gate.promise;
      ended = job.jid;
    });
    const completed: string[] = [];
    worker.on("completed", (job) => completed.push(job.jid));
    await worker.start();
    await client.queue("q").put("k", {}, { jid: "a" });
    await client.queue("q").put("k", {}, { jid: "b" });
    await begun.promise;
    const closed = client.close();
    await sleep(20);
    gate.resolve();
    await closed;
    expect([ended, completed]).toEqual(["a", ["a"]]);
    expect(worker.isRunning).toBe(false);
  });

  test("gives back what runs on when the grace is over", async () => {
    const client = await opened();
    const begun = deferred<AbortSignal>();
    const worker = new Worker(client, { queues: "q" });
    worker.handle("k", (_, { signal }) => {
      begun.resolve(signal);
      return new Promise(() => {});
    });
    await worker.start();
    await client.queue("q").put("k", {});
    const signal = await begun.promise;
    const at = performance.now();
    await client.close({ grace: 50 });
    expect(performance.now() - at).toBeLessThan(5000);
    expect(signal.reason).toMatchObject({ code: "STOPPING" });
  });

  test("may be done twice, and while a worker starts or stops", async () => {
    const client = await opened();
    const workers = [1, 2].map(() => new Worker(client, { queues: "q" }).handle("k", () => {}));
    await workers[0]!.start();
    const stopping = workers[0]!.stop();
    const starting = workers[1]!.start();
    const closes = [client.close(), client.close()];
    await starting;
    await Promise.all([...closes, stopping]);
    await client.close();
    expect(workers.map(({ isRunning }) => isRunning)).toEqual([false, false]);
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual(
      Array(2).fill({ left: [] }),
    );
  });

  test("ends a drain", async () => {
    const client = await opened();
    const begun = deferred();
    const worker = new Worker(client, { queues: "q" }).handle("k", async () => {
      begun.resolve();
      await sleep(50);
    });
    await client.queue("q").put("k", {});
    const drained = worker.drain().then(
      ({ isEmpty }) => isEmpty,
      (error: { code: string }) => error.code,
    );
    await begun.promise;
    await client.close();
    // Counting what is left needs the engine, which may be closed by then.
    expect([true, "CLOSED"]).toContain(await drained);
  });

  test("keeps workers from being started", async () => {
    const client = await opened();
    await client.close();
    const worker = new Worker(client, { queues: "q" }).handle("k", () => {});
    await expect(worker.start()).rejects.toMatchObject({
      code: "CLOSED",
      message: "The client is closed, so its workers cannot be started",
    });
    expect(worker.isRunning).toBe(false);
  });

  test("leaves nothing that keeps the process alive", async () => {
    const folder = mkdtempSync(join(tmpdir(), "qless-closing-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const url = place === "sqlite" ? `sqlite:${join(folder, "jobs.db")}` : redisUrl();
    const built = new URL("../../dist/index.js", import.meta.url);
    const program = `
      import { connect, Worker } from ${JSON.stringify(built.href)};
      const options = { namespace: ${JSON.stringify(freshNamespace())}, onWarning: () => {} };
      const client = await connect(${JSON.stringify(url)}, options);
      const worker = new Worker(client, { queues: "q" }).handle("k", () => {});
      await worker.start();
      await client.put("q", {});
      await client.close();
      console.log("closed");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    const [code] = await once(child, "exit");
    expect([code, printed]).toEqual([0, "closed\n"]);
  });
});
