import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { ROOT } from "../sources.ts";

/** A folder with these files, which goes with the test. */
export function folderOf(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "qless-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export type LogLine = Record<string, unknown> & { level: string; msg: string; time: string };

/** The `qless` command in a process of its own. */
export class Started {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly #exited: Promise<unknown[]>;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    // At `close` all that was written has been read.
    this.#exited = once(child, "close");
  }

  /** Its exit code, or the signal that it died of, once it has ended. */
  async code(): Promise<number | string> {
    const [code, signal] = await this.#exited;
    return (code ?? signal) as number | string;
  }

  /** The log, each line read as JSON. */
  get lines(): LogLine[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
    return whole
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  said(sentence: string): LogLine | undefined {
    return this.lines.find(({ msg }) => msg.startsWith(sentence));
  }

  /** Resolves with the first line that begins so. */
  async until(sentence: string): Promise<LogLine> {
    const soon = { timeout: 20_000, interval: 20 };
    await expect.poll(() => this.said(sentence) ?? this.stderr, soon).toBeTypeOf("object");
    return this.said(sentence)!;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * Its exit code after it was told again and again. What comes within a moment of the last is taken
   * for the same signal, and a busy process may see two at once.
   */
  async insist(signal: NodeJS.Signals): Promise<number | string> {
    const telling = setInterval(() => this.signal(signal), 400);
    const code = await this.code();
    clearInterval(telling);
    return code;
  }
}

export interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Arguments of Node itself. */
  node?: readonly string[];
  /** What it reads on the standard input; left out, there is none. */
  input?: string;
}

/** Starts `qless` with these words; it is killed when the test is over. */
export function start(words: readonly string[], options: StartOptions = {}): Started {
  const { cwd = folderOf(), env = {}, node = [], input } = options;
  const command = join(ROOT, "dist/cli/qless.js");
  const child = spawn(process.execPath, [...node, command, ...words], {
    cwd,
    // Nothing of the surroundings of the tests, such as QLESS_URL.
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // Who has read enough closes it.
  child.stdin?.on("error", () => {}).end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Started(child);
}

/** A project with jobs, a queue of its own, and a client to look into it. */
export interface Site {
  folder: string;
  client: Client;
  /** What says where the queue is. */
  flags: string[];
  work(...words: string[]): Started;
  /** Runs a verb there to its end, with what is on its standard input. */
  qless(words: readonly string[], input?: string): Promise<Ended>;
}

/** How a verb has ended. */
export interface Ended {
  code: number | string;
  stdout: string;
  stderr: string;
}

async function ended(started: Started): Promise<Ended> {
  const code = await started.code();
  return { code, stdout: started.stdout, stderr: started.stderr };
}

/** Whether verbs are tried on both engines, each with everything. */
export const isThorough = process.env.CLI_ENGINES === "all";
export const PLACES = ["sqlite", "redis"] as const;
type Place = (typeof PLACES)[number];

/** Runs the tests with queues in a file, and in Redis. */
export function everySite(name: string, tests: (open: OpenSite, place: Place) => void): void {
  describe.each(PLACES)(`${name} (%s)`, (place) => {
    tests(async (files) => {
      const folder = folderOf(files);
      const url = place === "sqlite" ? `sqlite:${join(folder, "jobs.db")}` : redisUrl();
      const namespace = freshNamespace();
      const client = await connect(url, { namespace, onWarning: () => {} });
      onTestFinished(() => client.close());
      const flags = ["--url", url, "--namespace", namespace];
      const work = (...words: string[]) => start(["work", ...flags, ...words], { cwd: folder });
      const env = { QLESS_URL: url, QLESS_NAMESPACE: namespace };
      const qless = (words: readonly string[], input?: string) =>
        ended(start(words, { cwd: folder, env, ...(input !== undefined && { input }) }));
      return { folder, client, flags, work, qless };
    }, place);
  });
}

export type OpenSite = (files?: Record<string, string>) => Promise<Site>;
