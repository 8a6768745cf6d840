import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { Job } from "../../src/client/job.ts";
import { connect } from "../../src/connect.ts";
import { Worker } from "../../src/worker/worker.ts";
import { folderOf, start } from "../cli/support.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { ROOT } from "../sources.ts";
import { startPython } from "./support.ts";

const JOBS = 200;
const soon = { timeout: 20_000, interval: 20 };

interface Data {
  seconds: number;
  /** The worker that never ends this job. */
  holder?: string;
  stages: string[];
}

/** Begins with a stage in TypeScript, ends with one, and has Python between them. */
const stages = (client: Client) =>
  (["first", "last"] as const).map((queue) =>
    new Worker(client, { queues: queue, concurrency: 5 }).handle("part", (job, context) => {
      const { stages: before, ...rest } = job.data as Data;
      const data = { ...rest, stages: [...before, queue] };
      return queue === "first" ? context.complete({ next: "middle", data }) : data;
    }),
  );

/** Where the queues are, and how Python gets there: to a file, by a server over HTTP. */
async function placed(place: "sqlite" | "redis") {
  const namespace = freshNamespace();
  const url = place === "sqlite" ? `sqlite:${join(folderOf(), "jobs.db")}` : redisUrl();
  const client = await connect(url, { namespace, onWarning: () => {} });
  onTestFinished(() => client.close());
  if (place === "redis") return { client, module: "qless", options: { url, namespace } };
  const words = ["serve", "--url", url, "--namespace", namespace, "--port", "0"];
  const server = start(words);
  const { url: address } = await server.until("Serving");
  return { client, module: "qless_http", options: { url: address } };
}

function startStage(module: string, options: object, name: string): ChildProcess {
  const work = { concurrency: 3, ...(module === "qless" ? {} : { poll: 0.5 }) };
  const words = [module, JSON.stringify({ ...options, name }), JSON.stringify(work)];
  const child = startPython([join(ROOT, "test/python/stage.py"), ...words]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A job by itself: every stage has done it once, in order. */
function judge(job: Job): { isDelayed: boolean; by: unknown[] } {
  const { data, state, history } = job;
  expect(state).toBe("complete");
  expect((data as Data).stages).toEqual(["first", "python", "last"]);
  // The server gives back what it took for a worker that was killed while it asked.
  const all = history.map(({ what }) => what).join(" ");
  const words = all.replaceAll("popped retried ", "").split(" ");
  const queues = history.filter(({ what }) => what === "put").map(({ details }) => details.q);
  expect(queues).toEqual(["first", "middle", "last"]);
  const isDelayed = words.includes("timed-out");
  const stage = ["put", "popped", "done"];
  if (isDelayed) expect(words.filter((what) => what === "done")).toHaveLength(3);
  else expect(words).toEqual([...stage, ...stage, ...stage]);
  return { isDelayed, by: history.map(({ details }) => details.worker) };
}

describe.each(["redis", "sqlite"] as const)("a pipeline with Python on %s", (place) => {
  test("does each job once, though a Python worker is killed in the middle", async () => {
    const { client, module, options } = await placed(place);
    await client.config.set("heartbeat", "1s");
    await client.config.set("grace-period", "200ms");
    const doomed = startStage(module, options, "doomed");
    for (const worker of stages(client)) {
      await worker.start();
      onTestFinished(async () => void (await worker.stop({ grace: 0 })));
    }
    const jids = Array.from({ length: JOBS }, (_, n) => `part-${n}`);
    const data: Data = { seconds: 0.01, stages: [] };
    const puts = jids.map((jid) => ({ klass: "part", jid, data }));
    puts[20]!.data = { ...data, holder: "doomed" };
    await client.queue("first").putMany(puts);
    const done = async () => (await client.completed({ count: 500 })).length;
    await expect.poll(done, soon).toBeGreaterThan(20);
    const held = async () => (await client.workers.get("doomed")).jobs;
    await expect.poll(held, soon).toContain("part-20");
    doomed.kill("SIGKILL");
    const heir = startStage(module, options, "heir");
    await expect.poll(done, soon).toBe(JOBS);

    const judged = (await client.getMany(jids)).map(judge);
    expect(judged).toHaveLength(JOBS);
    expect(judged[20]!.isDelayed).toBe(true);
    const workers = new Set(judged.flatMap(({ by }) => by));
    expect([...workers]).toEqual(expect.arrayContaining(["doomed", "heir"]));
    expect(await client.maintenance.check()).toEqual([]);
    await stopped(heir);
  });
});

/** Told to stop, it ends what it has and says so. */
async function stopped(stage: ChildProcess): Promise<void> {
  let said = "";
  stage.stdout!.on("data", (text) => {
    said += text;
  });
  stage.kill("SIGTERM");
  expect(await once(stage, "close")).toEqual([0, null]);
  expect(said).toContain("stopped");
}
