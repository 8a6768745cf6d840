import { randomUUID } from "node:crypto";
import type { Legacy } from "./client.ts";

/**
 * The calls that the Ruby client makes and what it does with the replies, method by method: it
 * fetches attributes by name and raises when one is absent, parses JSON unconditionally, and
 * computes with what must be numbers.
 */

type Attributes = { [name: string]: unknown };
type Word = string | number;

/** `Hash#fetch`. */
function fetched<T>(attributes: Attributes, name: string): T {
  if (!(name in attributes)) throw new Error(`key not found: ${name}`);
  return attributes[name] as T;
}

const emptied = <T>(value: T[] | object): T[] => (Array.isArray(value) ? value : []);

export class RubyClient {
  readonly legacy: Legacy;
  readonly workerName: string;
  now = 1389383022.123456;

  constructor(legacy: Legacy, workerName: string) {
    this.legacy = legacy;
    this.workerName = workerName;
  }

  call(command: string, ...args: (Word | Word[])[]): Promise<unknown> {
    return this.legacy.call(command, this.now, ...args.flat());
  }

  async parsed<T>(command: string, ...args: Word[]): Promise<T> {
    return JSON.parse((await this.call(command, ...args)) as string) as T;
  }

  async job(jid: string): Promise<RubyJob | RubyRecurringJob | null> {
    const reply = await this.call("get", jid);
    if (reply !== null) return new RubyJob(this, JSON.parse(reply as string) as Attributes);
    const recurring = await this.call("recur.get", jid);
    if (recurring === null) return null;
    return new RubyRecurringJob(this, JSON.parse(recurring as string) as Attributes);
  }

  async theJob(jid: string): Promise<RubyJob> {
    const job = await this.job(jid);
    if (!(job instanceof RubyJob)) throw new Error(`${jid} is no job`);
    return job;
  }

  async multiget(...jids: string[]): Promise<RubyJob[]> {
    const jobs = await this.parsed<Attributes[]>("multiget", ...jids);
    return jobs.map((attributes) => new RubyJob(this, attributes));
  }

  async failedJobs(group: string, start = 0, limit = 25) {
    const results = await this.parsed<{ total: number; jobs: string[] }>(
      "failed",
      group,
      start,
      limit,
    );
    return { total: results.total, jobs: await this.multiget(...results.jobs) };
  }

  queue(name: string): RubyQueue {
    return new RubyQueue(this, name);
  }
}

export class RubyQueue {
  private readonly client: RubyClient;
  private readonly name: string;

  constructor(client: RubyClient, name: string) {
    this.client = client;
    this.name = name;
  }

  put(klass: string, data: unknown, options: Attributes = {}): Promise<string> {
    const { jid = randomUUID().replaceAll("-", ""), delay = 0, priority = 0 } = options;
    const { tags = [], retries = 5, depends = [] } = options;
    return this.client.call(
      "put",
      this.client.workerName,
      this.name,
      jid as string,
      klass,
      JSON.stringify(data),
      delay as number,
      ...["priority", priority as number, "tags", JSON.stringify(tags)],
      ...["retries", retries as number, "depends", JSON.stringify(depends)],
    ) as Promise<string>;
  }

  recur(klass: string, data: unknown, interval: number, options: Attributes = {}) {
    const { jid = randomUUID().replaceAll("-", ""), offset = 0, priority = 0 } = options;
    const { tags = [], retries = 5, backlog = 0 } = options;
    return this.client.call(
      "recur",
      this.name,
      jid as string,
      klass,
      JSON.stringify(data),
      ...["interval", interval, offset as number, "priority", priority as number],
      ...["tags", JSON.stringify(tags), "retries", retries as number],
      ...["backlog", backlog as number],
    ) as Promise<string>;
  }

  async pop(count = 1): Promise<RubyJob[]> {
    const { client } = this;
    const jobs = await client.parsed<Attributes[]>("pop", this.name, client.workerName, count);
    return jobs.map((attributes) => new RubyJob(client, attributes));
  }

  async peek(count = 1): Promise<RubyJob[]> {
    const jobs = await this.client.parsed<Attributes[]>("peek", this.name, count);
    return jobs.map((attributes) => new RubyJob(this.client, attributes));
  }

  /** Reads keys of its own, in a transaction. */
  async length(): Promise<number> {
    const replies = await this.client.legacy.redis
      .multi()
      .zcard(`ql:q:${this.name}-locks`)
      .zcard(`ql:q:${this.name}-work`)
      .zcard(`ql:q:${this.name}-scheduled`)
      .zcard(`ql:q:${this.name}-depends`)
      .exec();
    return (replies ?? []).reduce((sum, [, size]) => sum + Number(size), 0);
  }

  async pauseAndStop(): Promise<void> {
    await this.client.call("pause", this.name);
    const running = (await this.client.call("jobs", "running", this.name, 0, -1)) as string[];
    await this.client.call("timeout", running);
  }
}

export class RubyJob {
  readonly client: RubyClient;
  readonly jid: string;
  readonly klass: string;
  readonly queue: string;
  readonly worker: string;
  readonly state: string;
  readonly priority: number;
  readonly tags: string[];
  readonly dependencies: string[];
  readonly dependents: string[];
  readonly retries: number;
  readonly retriesLeft: number;
  readonly tracked: boolean;
  readonly failure: Attributes;
  readonly history: Attributes[];
  readonly spawnedFrom: unknown;
  data: Attributes;
  expiresAt: number;

  constructor(client: RubyClient, attributes: Attributes) {
    this.client = client;
    this.jid = fetched(attributes, "jid");
    this.klass = fetched(attributes, "klass");
    this.queue = fetched(attributes, "queue");
    this.worker = fetched(attributes, "worker");
    this.state = fetched(attributes, "state");
    this.priority = fetched(attributes, "priority");
    this.tags = emptied(fetched(attributes, "tags"));
    this.dependencies = emptied(fetched(attributes, "dependencies"));
    this.dependents = emptied(fetched(attributes, "dependents"));
    this.retries = fetched(attributes, "retries");
    this.retriesLeft = fetched(attributes, "remaining");
    this.tracked = fetched(attributes, "tracked");
    this.failure = fetched(attributes, "failure");
    this.history = fetched(attributes, "history");
    this.spawnedFrom = fetched(attributes, "spawned_from_jid");
    this.data = JSON.parse(fetched(attributes, "data")) as Attributes;
    this.expiresAt = fetched(attributes, "expires");
  }

  get ttl(): number {
    return this.expiresAt - this.client.now;
  }

  async heartbeat(): Promise<number> {
    const { client, jid, worker, data } = this;
    this.expiresAt = (await client.call("heartbeat", jid, worker, JSON.stringify(data))) as number;
    return this.expiresAt;
  }

  complete(next?: string, options: Attributes = {}): Promise<unknown> {
    const { client, jid, worker, queue, data } = this;
    const words: Word[] = [jid, worker, queue, JSON.stringify(data)];
    if (next === undefined) return client.call("complete", ...words);
    const { delay = 0, depends = [] } = options;
    words.push("next", next, "delay", delay as number, "depends", JSON.stringify(depends));
    return client.call("complete", ...words);
  }

  fail(group: string, message: string): Promise<unknown> {
    const { client, jid, worker, data } = this;
    return client.call("fail", jid, worker, group, message, JSON.stringify(data));
  }

  retry(delay = 0, ...why: [group: string, message: string] | []): Promise<unknown> {
    return this.client.call("retry", this.jid, this.queue, this.worker, delay, ...why);
  }

  requeue(queue: string, delay = 0): Promise<unknown> {
    return this.client.call(
      "requeue",
      this.client.workerName,
      queue,
      this.jid,
      this.klass,
      JSON.stringify(this.data),
      delay,
      ...["priority", this.priority, "tags", JSON.stringify(this.tags)],
      ...["retries", this.retries, "depends", JSON.stringify(this.dependencies)],
    );
  }
}

export class RubyRecurringJob {
  readonly count: number;
  readonly interval: number;
  readonly attributes: Attributes;

  constructor(_client: RubyClient, attributes: Attributes) {
    for (const name of [
      "jid",
      "data",
      "priority",
      "tags",
      "retries",
      "backlog",
      "klass",
      "queue",
    ]) {
      fetched(attributes, name);
    }
    JSON.parse(fetched(attributes, "data"));
    this.count = fetched(attributes, "count");
    this.interval = fetched(attributes, "interval");
    this.attributes = attributes;
  }
}
