import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { pythonPath } from "../../tools/python.mjs";
import { openClient } from "../client/every-client.ts";
import { redisUrl } from "../engines.ts";
import { served, TOKENS, tokens } from "../http/support.ts";
import { ROOT } from "../sources.ts";

/** Starts Python with these words, where it finds the clients. */
export function startPython(words: readonly string[]): ChildProcess {
  return spawn(pythonPath(), words, {
    cwd: ROOT,
    // Nothing of the surroundings of the tests, such as a proxy.
    env: {
      PATH: process.env.PATH ?? "",
      PYTHONPATH: join(ROOT, "clients/python"),
      PYTHONDONTWRITEBYTECODE: "1",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer is in its assertion.
export type Told = any;

/** What was raised, as it comes out of Python; only refusals have a code. */
export interface Thrown {
  error: string;
  code: string;
  message: string;
}

/** A Python client that a test calls, in a process of its own. */
export class Python {
  readonly child: ChildProcess;
  said = "";
  readonly #lines: AsyncIterator<string>;

  constructor(module: string) {
    this.child = startPython([join(ROOT, "test/python/driver.py"), module]);
    const lines: Interface = createInterface({ input: this.child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.said += text;
    });
  }

  /** Calls a method; tells its value, or what it raises. */
  async attempt(method: string, args: readonly unknown[], options: object = {}) {
    this.child.stdin!.write(`${JSON.stringify([method, args, options])}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`Python ended: ${this.said}`);
    return JSON.parse(value) as { value: Told } | Thrown;
  }

  /** Calls a method; what it raises is thrown. */
  async call(method: string, args: readonly unknown[] = [], options: object = {}): Promise<Told> {
    const told = await this.attempt(method, args, options);
    if ("error" in told) throw new Error(`${told.error} ${told.code}: ${told.message}`);
    return told.value;
  }

  /** Calls a method that must be refused; tells with which class and code, once the sentence is one. */
  async refused(method: string, args: readonly unknown[] = [], options: object = {}) {
    const told = await this.attempt(method, args, options);
    if ("value" in told) throw new Error(`${method} gave ${JSON.stringify(told.value)}`);
    if (/\n|Traceback/.test(told.message) || told.message.length < 10) {
      throw new Error(`${told.message} is no sentence`);
    }
    return `${told.error} ${told.code}`.trim();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

/** A job that was told, for a call. */
export const held = ({ lease }: { lease: number }) => ({ $job: lease });

export const WAYS = ["redis", "http on sqlite", "http on redis"] as const;
export type Way = (typeof WAYS)[number];

export interface Pair {
  /** Looks at the same queues from TypeScript. */
  client: Client;
  python: Python;
  /** What a Python client needs to get there. */
  options: { url: string } & Record<string, unknown>;
}

/** Runs the tests with each Python client, on each engine it can reach; what they leave must agree. */
export function everyPython(
  name: string,
  tests: (open: (more?: object) => Promise<Pair>, way: Way) => void,
): void {
  describe.each(WAYS)(`${name} (%s)`, (way) => {
    let python: Python;
    beforeAll(() => {
      python = new Python(way === "redis" ? "qless" : "qless_http");
    });
    afterAll(() => python.kill());
    tests(async (more = {}) => {
      const client = await openClient(way === "http on sqlite" ? "sqlite" : "redis");
      onTestFinished(async () => {
        const problems = await client.maintenance.check();
        await client.close();
        if (problems.length > 0) throw new Error(`check found ${JSON.stringify(problems)}`);
      });
      const options = { ...(await reached(client, way)), name: "py", ...more };
      await python.call("open", [], options);
      return { client, python, options };
    }, way);
  });
}

async function reached(client: Client, way: Way) {
  if (way === "redis") return { url: redisUrl(), namespace: client.engine.namespace };
  const bench = await served(client, { tokens: tokens() });
  return { url: bench.url, token: TOKENS.admin };
}

/** Runs a program to its end; tells what it prints. */
export async function pythonRun(code: string, words: readonly string[] = []): Promise<string> {
  const child = startPython(["-c", code, ...words]);
  let printed = "";
  let said = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`Python ended with ${status}: ${said}`);
  return printed;
}
