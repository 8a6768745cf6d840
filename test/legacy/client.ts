import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type RedisServer, startRedis } from "../redis-server.ts";

/** One of the Lua files that the build makes. */
export const lua = (name: string) =>
  readFileSync(new URL(`../../dist/${name}`, import.meta.url), "utf8");

type Word = string | number;

/** The job object of get, multiget, pop, peek and track. */
export interface LegacyJob {
  jid: string;
  klass: string;
  state: string;
  queue: string;
  worker: string;
  tracked: boolean;
  priority: number;
  expires: number;
  retries: number;
  remaining: number;
  data: string;
  tags: string[];
  history: { what: string; when: number; [detail: string]: unknown }[];
  failure: { group?: string; message?: string; when?: number; worker?: string };
  spawned_from_jid: string | null;
  dependents: string[];
  dependencies: string[];
}

export interface QueueCounts {
  name: string;
  waiting: number;
  running: number;
  stalled: number;
  scheduled: number;
  depends: number;
  recurring: number;
  paused: boolean;
}

/** What the Ruby client takes for the message of an error. */
const RUBY = /user_script:(\d+):\s*(\w+.+$)/;

/**
 * The legacy script on a server of its own, called as clients of qless-core call theirs: EVALSHA
 * without keys, the command, the caller's clock, arguments. Nothing else of this project is between.
 */
export class Legacy {
  server!: RedisServer;
  redis!: Redis;
  private sha = "";
  private checking = "";

  async open(): Promise<void> {
    this.checking = lua("qless.script.lua");
    this.server = await startRedis();
    this.redis = new Redis(this.server.url);
    const script = lua("qless.lua");
    this.sha = createHash("sha1").update(script).digest("hex");
    expect(await this.redis.script("LOAD", script)).toBe(this.sha);
  }

  async close(): Promise<void> {
    this.redis?.disconnect();
    await this.server?.stop();
  }

  /** The reply as Redis sends it. */
  call(command: string, now: Word, ...args: Word[]): Promise<unknown> {
    return this.evalsha(command, now, ...args);
  }

  /** The script with nothing but these words. */
  evalsha(...argv: Word[]): Promise<unknown> {
    return this.redis.call("EVALSHA", this.sha, 0, ...argv);
  }

  /** A reply that is JSON in a bulk string, parsed. */
  async json<T>(command: string, now: Word, ...args: Word[]): Promise<T> {
    const reply = await this.call(command, now, ...args);
    expect(reply, `${command} answers with a text`).toBeTypeOf("string");
    return JSON.parse(reply as string) as T;
  }

  /** Puts a job in one line; what is left out is left out of the call. */
  put(now: Word, queue: string, jid: string, ...options: Word[]): Promise<unknown> {
    return this.call("put", now, "putter", queue, jid, "klass", "{}", 0, ...options);
  }

  /** Puts a job that is due only after the delay. */
  schedule(now: Word, queue: string, jid: string, delay: Word, ...options: Word[]) {
    return this.call("put", now, "putter", queue, jid, "klass", "{}", delay, ...options);
  }

  pop(now: Word, queue: string, worker: string, count = 10): Promise<LegacyJob[]> {
    return this.json("pop", now, queue, worker, count);
  }

  /** Pops and expects to get these, in this order. */
  async popped(now: Word, queue: string, worker: string, jids: string[], count = 10) {
    expect((await this.pop(now, queue, worker, count)).map(({ jid }) => jid)).toEqual(jids);
  }

  async peek(now: Word, queue: string, count = 10): Promise<string[]> {
    const jobs = await this.json<LegacyJob[]>("peek", now, queue, count);
    return jobs.map(({ jid }) => jid);
  }

  job(now: Word, jid: string): Promise<LegacyJob> {
    return this.json("get", now, jid);
  }

  async state(now: Word, jid: string): Promise<string> {
    return (await this.job(now, jid)).state;
  }

  complete(now: Word, jid: string, worker: string, queue: string, ...options: Word[]) {
    return this.call("complete", now, jid, worker, queue, "{}", ...options);
  }

  fail(now: Word, jid: string, worker: string, group = "group", message = "message") {
    return this.call("fail", now, jid, worker, group, message, "{}");
  }

  recur(now: Word, queue: string, jid: string, interval: Word, ...rest: Word[]) {
    const [offset = 0, ...options] = rest;
    return this.call(
      "recur",
      now,
      queue,
      jid,
      "klass",
      "{}",
      "interval",
      interval,
      offset,
      ...options,
    );
  }

  counts(now: Word, queue: string): Promise<QueueCounts> {
    return this.json("queues", now, queue);
  }

  /** What the Ruby client computes a queue's length from. */
  async sizes(queue: string): Promise<{ [index: string]: number }> {
    const sizes: { [index: string]: number } = {};
    for (const index of ["work", "locks", "scheduled", "depends"]) {
      sizes[index] = await this.redis.zcard(`ql:q:${queue}-${index}`);
    }
    return sizes;
  }

  /** Expects an error that the Ruby client can read, and returns its sentence. */
  async refused(call: Promise<unknown>, sentence: string | RegExp): Promise<string> {
    const error = await call.then(
      (reply) => expect.fail(`expected an error, got ${JSON.stringify(reply)}`),
      (thrown: unknown) => thrown as Error,
    );
    expect(error.message).toMatch(RUBY);
    expect(error.message).not.toMatch(/[\r\n]/);
    const told = RUBY.exec(error.message)![2]!.replace(/ script: [0-9a-f]{40}, on @.*$/, "");
    if (typeof sentence === "string") expect(told).toBe(sentence);
    else expect(told).toMatch(sentence);
    return told;
  }

  /** Expects a refusal that leaves everything as it was. */
  async refusedWhole(call: () => Promise<unknown>, sentence: string | RegExp): Promise<void> {
    const before = await this.contents();
    await this.refused(call(), sentence);
    expect(await this.contents()).toEqual(before);
  }

  /** Every key with its serialised value. */
  async contents(): Promise<[string, string][]> {
    const keys = (await this.redis.keys("*")).sort();
    const dumps = await Promise.all(keys.map((key) => this.redis.dumpBuffer(key)));
    return keys.map((key, i) => [key, String(dumps[i]?.toString("base64"))]);
  }

  /** Every message that arrives on a channel of ours while the work is done, in order. */
  async hearing(work: () => Promise<unknown>): Promise<[channel: string, message: string][]> {
    const subscriber = new Redis(this.server.url);
    const heard: [string, string][] = [];
    subscriber.on("pmessage", (_pattern, channel, message) => heard.push([channel, message]));
    await subscriber.psubscribe("ql:*");
    try {
      await work();
      const last = randomBytes(8).toString("hex");
      await this.redis.publish("ql:last", last);
      await expect.poll(() => heard.at(-1)?.[1]).toBe(last);
    } finally {
      subscriber.disconnect();
    }
    return heard.slice(0, -1);
  }

  /** As `hearing`, with messages that are JSON parsed. */
  async hearingEvents(work: () => Promise<unknown>): Promise<[channel: string, event: unknown][]> {
    const heard = await this.hearing(work);
    return heard.map(([channel, message]) => [
      channel,
      message.startsWith("{") ? JSON.parse(message) : message,
    ]);
  }

  /** Every disagreement between jobs and indexes that `check` finds. */
  async problems(): Promise<unknown[]> {
    const problems: unknown[] = [];
    let cursor = "0";
    do {
      const reply = await this.redis.eval(this.checking, 1, "ql", "check", "", cursor);
      const found = JSON.parse(reply as string) as { cursor: string; problems: unknown[] };
      problems.push(...found.problems);
      cursor = found.cursor;
    } while (cursor !== "0");
    return problems;
  }
}

/** A server for the test file: emptied before each test, and consistent after it. */
export function useLegacy(): Legacy {
  const legacy = new Legacy();
  beforeAll(() => legacy.open());
  afterAll(() => legacy.close());
  beforeEach(() => legacy.redis.flushall());
  afterEach(async () => expect(await legacy.problems(), "check after the test").toEqual([]));
  return legacy;
}

export const jidsOf = (jobs: { jid: string }[]) => jobs.map(({ jid }) => jid);

/** `0`, `1`, ... as jids that sort by bytes as they do by number. */
export const jids = (count: number, prefix = "j") =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(4, "0")}`);
