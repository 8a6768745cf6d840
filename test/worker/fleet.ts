import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { freshNamespace, redisUrl } from "../engines.ts";

/** Workers in processes of their own, which a test may kill, freeze or replace. */

const CHILD = fileURLToPath(new URL("./child.mjs", import.meta.url));

/** What a child is to do; child.mjs says what each means. */
export interface How {
  point?: string;
  signal?: "SIGKILL" | "SIGSTOP";
  klasses?: string[];
  queues?: string[];
  ahead?: number;
  skew?: number;
  hangs?: boolean;
  freezes?: boolean;
}

/** When each job was begun, under which lease and where. */
type Runs = Map<string, { at: number; lease: number; pid: number }[]>;

export class Fleet {
  readonly runs: Runs = new Map();
  /** Jids of runs whose outcome was refused, by process. */
  readonly lost: { jid: string; pid: number }[] = [];
  /** When which process was killed or frozen, the last time. */
  readonly deaths = new Map<number, number>();
  /** When which process began to take jobs. */
  readonly ready = new Map<number, number>();
  readonly #children = new Set<ChildProcess>();
  readonly #args: [url: string, namespace: string];

  constructor(url: string, namespace: string) {
    this.#args = [url, namespace];
  }

  start(how: How = {}): ChildProcess {
    const child = spawn(process.execPath, [CHILD, ...this.#args, JSON.stringify(how)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    });
    this.#children.add(child);
    child.once("exit", (_code, signal) => {
      this.#children.delete(child);
      if (signal !== null) this.deaths.set(child.pid!, Date.now());
    });
    createInterface(child.stdout!).on("line", (line) => this.#heard(child.pid!, line));
    return child;
  }

  /** Starts one, and waits until it takes jobs. */
  async started(how: How = {}): Promise<ChildProcess> {
    const child = this.start(how);
    await expect.poll(() => this.ready.has(child.pid!), { timeout: 30_000 }).toBe(true);
    return child;
  }

  #heard(pid: number, line: string): void {
    const [what, jid, lease] = line.split(" ");
    if (what === "ready") this.ready.set(pid, Date.now());
    else if (what === "frozen") this.deaths.set(pid, Date.now());
    else if (what === "lost") this.lost.push({ jid: jid!, pid });
    else {
      const run = { at: Date.now(), lease: Number(lease), pid };
      this.runs.set(jid!, [...(this.runs.get(jid!) ?? []), run]);
    }
  }

  /**
   * Of those that may be killed, the one that has begun a job last, and so most likely runs it; on a
   * slow machine, none yet.
   */
  busiest(spared: ChildProcess): ChildProcess | undefined {
    const last = [...this.runs.values()].flat().toSorted((a, b) => b.at - a.at);
    const mayDie = (pid: number) =>
      [...this.#children].find((child) => child.pid === pid && child !== spared);
    return last.map(({ pid }) => mayDie(pid)).find((child) => child !== undefined);
  }

  /** Stops one as SIGSTOP does, between two of its turns. */
  async freeze(child: ChildProcess): Promise<void> {
    const before = this.deaths.get(child.pid!);
    child.stdin!.write("freeze\n");
    const isFrozen = () => this.deaths.get(child.pid!) !== before;
    await expect.poll(isFrozen, { timeout: 20_000, interval: 5 }).toBe(true);
  }

  /** Lets one end what it has, as a deploy does. */
  async retire(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGCONT");
    child.stdin!.end();
    await once(child, "exit");
  }

  /** Lets all end what they have. */
  async stop(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.retire(child)));
  }

  kill(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** A client and a fleet on a namespace of their own, which end with the test. */
export async function openFleet(
  place: "sqlite" | "redis",
  { heartbeat, grace }: { heartbeat: number; grace: number },
): Promise<{ client: Client; fleet: Fleet }> {
  const dir = mkdtempSync(join(tmpdir(), "qless-fleet-"));
  const url = place === "sqlite" ? `sqlite:${join(dir, "jobs.db")}` : redisUrl();
  const namespace = freshNamespace();
  const client = await connect(url, { namespace, onWarning: () => {} });
  const fleet = new Fleet(url, namespace);
  onTestFinished(async () => {
    fleet.kill();
    await client.close();
    rmSync(dir, { recursive: true, force: true });
  });
  await client.config.set("heartbeat", heartbeat);
  await client.config.set("grace-period", grace);
  return { client, fleet };
}
