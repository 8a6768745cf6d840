import { randomBytes } from "node:crypto";
import { afterAll, afterEach, describe, expect } from "vitest";
import { EmbeddedEngine } from "../src/embedded/engine.ts";
import type { Announcement, CommandName, Engine, Reply } from "../src/engine.ts";
import { RedisEngine } from "../src/redis/engine.ts";
import { redisUrl } from "./redis-url.ts";

export { redisUrl } from "./redis-url.ts";

/** Where the core runs: over SQLite, in Redis as functions, in Redis as scripts. */
export const HOMES = ["sqlite", "functions", "scripts"] as const;
export type Home = (typeof HOMES)[number];

/** An engine with a namespace of its own, and the time that its calls are made at. */
export class Bench {
  readonly engine: Engine;
  readonly home: Home;
  /** Seconds. */
  now = 1_000_000;

  constructor(engine: Engine, home: Home) {
    this.engine = engine;
    this.home = home;
  }

  /** Sets the time of the calls that follow, in seconds. */
  at(seconds: number): this {
    this.now = seconds;
    return this;
  }

  /** Lets seconds go by. */
  later(seconds: number): this {
    return this.at(this.now + seconds);
  }

  call(command: CommandName, ...args: (string | number)[]): Promise<Reply> {
    return this.engine.call(command, args, { now: Math.round(this.now * 1000) });
  }

  /** Calls under a request id. */
  request(request: string, command: CommandName, ...args: (string | number)[]): Promise<Reply> {
    return this.engine.call(command, args, { now: Math.round(this.now * 1000), request });
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of JSON is in its assertion.
  async json(command: CommandName, ...args: (string | number)[]): Promise<any> {
    const reply = await this.call(command, ...args);
    return reply === false || reply === null ? null : JSON.parse(reply as string);
  }

  /** Puts a job in one line and tells the answer: `await bench.put("q", "a", { priority: 1, tags: ["x"] })`. */
  async put(queue: string, jid: string, options: PutOptions = {}): Promise<Reply> {
    const { delay = 0, data = "{}", klass = "klass", worker = "putter", ...rest } = options;
    return this.call("put", worker, queue, jid, klass, data, delay, ...optionWords(rest));
  }

  /** Pops, and tells each job as an object by the names of the protocol. */
  async pop(queue: string, worker: string, count = 1): Promise<PoppedJob[]> {
    return popped(await this.call("pop", queue, worker, count));
  }

  /** Everything announced while the work is done. */
  async hearing(work: () => Promise<unknown>): Promise<Announcement[]> {
    const heard: Announcement[] = [];
    const end = await this.engine.subscribe((announcement) => heard.push(announcement));
    await work();
    // Whatever was announced before this arrives before it.
    const last = `last-${randomBytes(6).toString("hex")}`;
    await this.engine.call("config.unset", [last]);
    await expect.poll(() => heard.some(({ message }) => message.includes(last))).toBe(true);
    await end();
    return heard.filter(({ message }) => !message.includes(last));
  }

  /** Walks the whole namespace and returns every disagreement found. */
  async problems(repair = false): Promise<unknown[]> {
    const problems: unknown[] = [];
    let cursor = "0";
    do {
      const found = await this.json("check", cursor, ...(repair ? [1] : []));
      problems.push(...found.problems);
      cursor = found.cursor;
    } while (cursor !== "0");
    return problems;
  }
}

export interface PutOptions {
  delay?: number;
  data?: string;
  klass?: string;
  worker?: string;
  priority?: number;
  tags?: string[];
  retries?: number;
  depends?: string[];
  source?: string;
  backoff?: string;
  cutoff?: number;
  unique?: string;
  until?: string;
  for?: number;
  conflict?: string;
  exists?: string;
  protect?: number;
  context?: string;
  at?: number;
}

/** Options as the words that travel: `name value ...`, lists as JSON. */
export function optionWords(options: object): (string | number)[] {
  return Object.entries(options).flatMap(([name, value]) => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ]);
}

export interface PoppedJob {
  jid: string;
  klass: string;
  queue: string;
  data: string;
  lease: number;
  expires: number;
  priority: number;
  retries: number;
  remaining: number;
  tags: string[];
  source: string;
  spawned_from_jid: string;
  cutoff: number | undefined;
  tracked: boolean;
  context: string;
  history: { what: string; when: number }[] | undefined;
}

export const popped = (reply: Reply): PoppedJob[] => (reply as string[]).map(poppedJob);

/** A popped job as the protocol tells it. */
export function poppedJob(told: string): PoppedJob {
  const [jid, klass, queue, lease, expires, more, ...data] = told.split("\t") as [
    string,
    ...string[],
  ];
  const { retries = 5, ...said } = JSON.parse(more || "{}") as Partial<PoppedJob>;
  return {
    jid,
    klass: klass!,
    queue: queue!,
    data: data.join("\t"),
    lease: Number(lease),
    expires: Number(expires),
    priority: 0,
    retries,
    remaining: retries,
    tags: [],
    source: "",
    spawned_from_jid: "",
    cutoff: undefined,
    tracked: false,
    context: "",
    history: undefined,
    ...said,
  };
}

export const jidsOf = (jobs: PoppedJob[]) => jobs.map(({ jid }) => jid);

/** Opens an engine in one of the homes; on Redis, in the server that the whole run shares. */
export async function openEngine(home: Home, namespace = freshNamespace()): Promise<Engine> {
  if (home === "sqlite") return EmbeddedEngine.open(":memory:", { namespace });
  return RedisEngine.open(redisUrl(), { namespace, mode: home, onWarning: () => {} });
}

export const freshNamespace = () => `t${randomBytes(8).toString("hex")}`;

/**
 * Declares the same behaviour for every home of the core. `open` gives each test a bench with an
 * empty namespace; when the test is over, its namespace must pass `check`.
 */
export function everyEngine(
  subject: string,
  declare: (open: () => Promise<Bench>) => void,
  homes: readonly Home[] = HOMES,
): void {
  for (const home of homes) {
    describe(`${subject} (${home})`, () => {
      const benches: Bench[] = [];
      afterEach(async () => {
        for (const bench of benches.splice(0)) {
          try {
            expect(await bench.problems(), "check after the test").toEqual([]);
          } finally {
            await bench.engine.close();
          }
        }
      });
      afterAll(() => expect(benches).toEqual([]));
      declare(async () => {
        const bench = new Bench(await openEngine(home), home);
        benches.push(bench);
        return bench;
      });
    });
  }
}

/** Expects a refusal by its code; the reason must be a sentence on one line that names something. */
export async function refused(call: Promise<unknown>, code: string, reason?: string | RegExp) {
  const error = await call.then(
    (reply) => expect.fail(`expected ${code}, got ${JSON.stringify(reply)}`),
    (thrown: unknown) => thrown as { code?: string; message: string },
  );
  expect(`${error.code} ${error.message}`).toMatch(new RegExp(`^${code} `));
  expect(error.message).not.toMatch(/[\r\n]/);
  if (typeof reason === "string") expect(error.message).toBe(reason);
  if (reason instanceof RegExp) expect(error.message).toMatch(reason);
}
