import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished } from "vitest";
import { type Client, connect, Worker, type WorkerOptions } from "../../dist/index.js";
import { freshNamespace, redisUrl } from "../engines.ts";

/** Workers with children, from the built package: what they start can only run what is built. */

export const JOBS = fileURLToPath(new URL("./jobs", import.meta.url));

/** A queue, a folder for notes, and workers that are stopped when the test is over. */
export class Site {
  readonly client: Client;
  readonly url: string;
  readonly folder: string;
  readonly logged: { sentence: string; facts: Record<string, unknown> }[] = [];

  constructor(client: Client, url: string, folder: string) {
    this.client = client;
    this.url = url;
    this.folder = folder;
  }

  worker(options: Partial<WorkerOptions>): Worker {
    const hear = (facts: object, sentence: string) => {
      this.logged.push({ sentence, facts: facts as Record<string, unknown> });
    };
    const logger = { debug: () => {}, info: hear, warn: hear, error: hear };
    const worker = new Worker(this.client, { queues: "q", jobs: JOBS, logger, ...options });
    onTestFinished(async () => void (await worker.stop({ grace: 0 })));
    return worker;
  }

  async behave(data: object, options: object = {}): Promise<string> {
    const { jid } = await this.client.queue("q").put("behaves", data, options);
    return jid;
  }

  /** Lines that handlers have written. */
  notes(file = "notes"): string[] {
    try {
      return readFileSync(join(this.folder, file), "utf8").trim().split("\n");
    } catch {
      return [];
    }
  }

  get note(): string {
    return join(this.folder, "notes");
  }

  async ended(jid: string, timeout = "15s") {
    const { job } = await this.client.waitFor(jid, { timeout });
    return job!;
  }

  async state(jid: string): Promise<string | undefined> {
    return (await this.client.get(jid))?.state;
  }
}

/** Runs the tests with queues in a file, and in Redis. */
export function everySite(name: string, tests: (open: () => Promise<Site>) => void): void {
  describe.each(["sqlite", "redis"] as const)(`${name} (%s)`, (place) => {
    tests(async () => {
      const folder = mkdtempSync(join(tmpdir(), "qless-site-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const url = place === "sqlite" ? `sqlite:${join(folder, "jobs.db")}` : redisUrl();
      const client = await connect(url, { namespace: freshNamespace(), onWarning: () => {} });
      onTestFinished(() => client.close());
      return new Site(client, url, folder);
    });
  });
}

/** Whether there is such a process. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended and is not yet buried is there, too.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}

export const soon = { timeout: 15_000, interval: 20 };

/** Whether the facts about children are those of a moment in which this holds. */
export async function untilChildren(
  worker: Worker,
  isSo: (children: { pid: number; done: number; memory: number }[]) => boolean,
): Promise<void> {
  await expect
    .poll(async () => {
      await worker.announce();
      const [self] = (await worker.client.workers.list()).filter(
        ({ name }) => name === worker.name,
      );
      return isSo([...(self?.present?.facts.children ?? [])]);
    }, soon)
    .toBe(true);
}
