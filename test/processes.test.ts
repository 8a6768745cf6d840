import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openEngine } from "../src/connect.ts";
import { freshNamespace, redisUrl } from "./engines.ts";

const WORKERS = 4;
const PRODUCERS = 2;
const JOBS_EACH = 2_500;
const SCRIPT = fileURLToPath(new URL("./processes/child.mjs", import.meta.url));

interface Done {
  jid: string;
  lease: number;
}

function start(role: string, url: string, namespace: string, index: number): ChildProcess {
  const args = [SCRIPT, role, url, namespace, `${role}-${index}`, String(JOBS_EACH)];
  return spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
}

/** Runs producers and workers at once until every job is complete; returns what was completed. */
async function runAll(url: string, namespace: string): Promise<Done[]> {
  const engine = await openEngine(url, { namespace });
  const done: Done[] = [];
  const workers = Array.from({ length: WORKERS }, (_, i) => start("worker", url, namespace, i));
  const ends = workers.map((worker) => collect(worker, done));
  const producers = Array.from({ length: PRODUCERS }, (_, i) =>
    start("producer", url, namespace, i),
  );
  const codes = await Promise.all(producers.map((producer) => once(producer, "exit")));
  expect(codes.map(([code]) => code)).toEqual(producers.map(() => 0));
  await expect.poll(() => done.length, { timeout: 90_000 }).toBe(PRODUCERS * JOBS_EACH);
  for (const worker of workers) worker.stdin!.end("stop\n");
  await Promise.all(ends);
  expect(await problems(engine)).toEqual([]);
  await engine.close();
  return done;
}

async function collect(worker: ChildProcess, done: Done[]): Promise<void> {
  const ended = once(worker, "exit");
  let rest = "";
  for await (const chunk of worker.stdout!) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const [jid, lease] = line.split(" ");
      done.push({ jid: jid!, lease: Number(lease) });
    }
  }
  expect((await ended)[0]).toBe(0);
}

async function problems(engine: Awaited<ReturnType<typeof openEngine>>): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor = "0";
  do {
    const slice = JSON.parse((await engine.call("check", [cursor])) as string);
    found.push(...slice.problems);
    cursor = slice.cursor;
  } while (cursor !== "0");
  return found;
}

/** Leases are given in the order of pop, so that by lease each producer's jobs are in its order. */
function expectOrder(done: Done[]): void {
  const popped = done.toSorted((a, b) => a.lease - b.lease).map(({ jid }) => jid);
  for (let i = 0; i < PRODUCERS; i++) {
    const own = popped.filter((jid) => jid.startsWith(`producer-${i}-`));
    expect(own).toEqual(Array.from({ length: JOBS_EACH }, (_, n) => `producer-${i}-${n}`));
  }
}

describe("six processes at once", () => {
  test("complete each job once and in order in one SQLite file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "qless-processes-"));
    try {
      const done = await runAll(`sqlite:${join(folder, "jobs.db")}`, freshNamespace());
      expect(new Set(done.map(({ jid }) => jid)).size).toBe(PRODUCERS * JOBS_EACH);
      expectOrder(done);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  test("complete each job once and in order in Redis", async () => {
    const done = await runAll(redisUrl(), freshNamespace());
    expect(new Set(done.map(({ jid }) => jid)).size).toBe(PRODUCERS * JOBS_EACH);
    expectOrder(done);
  }, 120_000);
});
