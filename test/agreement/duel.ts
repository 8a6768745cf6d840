import assert from "node:assert";
import type Database from "better-sqlite3";
import { commands } from "../../src/core/commands/index.ts";
import { openDatabase } from "../../src/embedded/database.ts";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import type { Announcement, CommandName, Engine } from "../../src/engine.ts";
import { Refused } from "../../src/engine.ts";
import { KEYS, QUEUES } from "./alphabet.ts";
import { same } from "./compare.ts";
import { redisContents, redisFingerprint, sqliteContents } from "./contents.ts";
import type { Coverage } from "./coverage.ts";
import { Memory } from "./memory.ts";
import { parts } from "./model/call.ts";
import { type Ended, Model } from "./model.ts";
import { refusingFirst } from "./recording.ts";
import type { RedisSide } from "./redis-side.ts";
import type { Seen, Step } from "./step.ts";

interface Call {
  command: CommandName;
  args: string[];
  request: string | undefined;
}

/** A few minutes before a midnight, so that histories go on into the next day. */
const START_MS = 1_800_057_300_000;
/** How long a request id may be sent again: it is remembered for ten minutes. */
const REMEMBERED_MS = 590_000;
/** Contents are compared after this many steps. */
const COMPARED = 10;

const WATCHED = Object.fromEntries(
  Object.entries(commands).map(([name, command]) => [name, refusingFirst(name, command as never)]),
);

/** One history, played on SQLite, on Redis and by the model in step. */
export class Duel {
  readonly #db: Database.Database;
  readonly #sqlite: Engine;
  readonly #redis: RedisSide;
  readonly #coverage: Coverage;
  readonly #model = new Model();
  readonly #memory = new Memory();
  readonly #heard: Announcement[] = [];
  readonly #trace: string[] = [];
  #now = START_MS;
  #played = 0;
  #requests = 0;
  /** The last call under a request id, its time and how it ended. */
  #named: { call: Call; at: number; ended: Ended } | undefined;
  /** What Redis holds, if nothing has been written since it was asked. */
  #fingerprint: string | undefined;

  private constructor(db: Database.Database, redis: RedisSide, coverage: Coverage) {
    const { namespace } = redis.engine;
    this.#db = db;
    this.#redis = redis;
    this.#coverage = coverage;
    this.#sqlite = new EmbeddedEngine({ db, namespace, clock: () => 0, commands: WATCHED });
  }

  static async play(steps: Step[], redis: RedisSide, coverage: Coverage): Promise<void> {
    await redis.clear();
    const duel = new Duel(await openDatabase(":memory:", "full"), redis, coverage);
    try {
      await duel.#sqlite.subscribe((announcement) => duel.#heard.push(announcement));
      for (const step of steps) await duel.#step(step);
      await duel.#end();
    } catch (error) {
      throw duel.#explained(error);
    } finally {
      await duel.#sqlite.close();
    }
  }

  async #step({ later, request, draft }: Step): Promise<void> {
    this.#now += later;
    const again = request === "again" ? this.#named : undefined;
    if (again !== undefined && this.#now - again.at < REMEMBERED_MS) {
      const ended = await this.#both(again.call);
      same(ended, again.ended, "gives the first answer to a request sent again");
    } else {
      const { jids, args } = this.#memory.resolve(draft, this.#model, this.#now);
      const states = jids.map((jid) => this.#model.stateOf(jid, this.#now) as Seen);
      const id = request === "new" ? `request-${++this.#requests}` : undefined;
      const call = { command: draft.command, args, request: id };
      const ended = await this.#both(call);
      this.#coverage.note(call.command, states, "code" in ended);
      this.#judge(call, ended, draft.bad);
    }
    this.#played += 1;
    if (this.#played % COMPARED === 0) await this.#compareContents();
  }

  #judge(call: Call, ended: Ended, bad: boolean): void {
    const { command, args, request } = call;
    if (bad) {
      assert.equal("code" in ended ? ended.code : "answered", "BAD_ARGUMENT");
      return;
    }
    this.#model.play({ command, args, now: this.#now }, ended);
    if ("code" in ended) return;
    if (command === "pop") this.#memory.learn(args[1]!, ended.reply as string[]);
    if (command === "finish") {
      const outcomes = parts(args.slice(3), 4).length;
      this.#memory.learn(args[0]!, (ended.reply as string[]).slice(outcomes));
    }
    if (request !== undefined && commands[command].writes) {
      this.#named = { call, at: this.#now, ended };
    }
  }

  /** Makes the call on both engines, which must agree, and change nothing when they refuse. */
  async #both(call: Call): Promise<Ended> {
    const before = this.#changes();
    const ended = await this.#call(this.#sqlite, call);
    this.#note(call, ended);
    const refused = "code" in ended;
    if (refused) {
      assert.equal(this.#changes(), before, "SQLite has changed something and refused");
      this.#fingerprint ??= await redisFingerprint(this.#redis.client);
    } else if (commands[call.command].writes) {
      this.#fingerprint = undefined;
    }
    const other = await this.#call(this.#redis.engine, call);
    same(
      comparable(call.command, other),
      comparable(call.command, ended),
      "Redis and SQLite give different answers",
    );
    if (refused) {
      const after = await redisFingerprint(this.#redis.client);
      assert.equal(after, this.#fingerprint, "Redis has changed something and refused");
    }
    return ended;
  }

  #changes(): number {
    return this.#db.prepare<[], number>("SELECT total_changes()").pluck().get() ?? 0;
  }

  async #call(engine: Engine, { command, args, request }: Call): Promise<Ended> {
    const named = request === undefined ? {} : { request };
    try {
      return { reply: await engine.call(command, args, { now: this.#now, ...named }) };
    } catch (error) {
      if (error instanceof Refused) return { code: error.code, reason: error.message };
      throw error;
    }
  }

  async #compareContents(): Promise<void> {
    const redis = await redisContents(this.#redis.client);
    const message = "Redis and SQLite hold different things";
    same(redis, sqliteContents(this.#db), message);
  }

  /** Asks about everything, compares it once more, and walks the namespace for disagreements. */
  async #end(): Promise<void> {
    const jids = [...this.#model.world.jobs.keys()];
    await this.#ask("multiget", ...jids);
    for (const command of ["queues", "failed", "workers", "track"] as const) {
      await this.#ask(command);
    }
    for (const queue of QUEUES) await this.#ask("peek", queue, "100");
    for (const key of KEYS) await this.#ask("unique.get", key);
    for (const order of ["newest", "oldest"]) await this.#search(order);
    await this.#compareContents();
    for (const engine of [this.#sqlite, this.#redis.engine]) await this.#check(engine);
    await this.#compareAnnouncements();
  }

  async #ask(command: CommandName, ...args: string[]): Promise<void> {
    const call = { command, args, request: undefined };
    this.#judge(call, await this.#both(call), false);
  }

  /** Finds all jobs, two at a time as well as at once, and the same on both engines. */
  async #search(order: string): Promise<void> {
    const atOnce = await this.#found(this.#sqlite, order, "1000");
    for (const engine of [this.#sqlite, this.#redis.engine]) {
      const found = await this.#found(engine, order, "2");
      same(found, atOnce, `search on ${engine.constructor.name}`);
    }
  }

  async #found(engine: Engine, order: string, count: string): Promise<string[]> {
    const jids: string[] = [];
    let cursor = "0";
    do {
      const reply = await engine.call("search", [cursor, count, "order", order], {
        now: this.#now,
      });
      const found = JSON.parse(reply as string) as { jids: string[]; cursor: string };
      jids.push(...found.jids);
      cursor = found.cursor;
    } while (cursor !== "");
    return jids;
  }

  async #check(engine: Engine): Promise<void> {
    let cursor = "0";
    do {
      const reply = await engine.call("check", [cursor], { now: this.#now });
      const found = JSON.parse(reply as string) as { cursor: string; problems: unknown[] };
      same(found.problems, [], `check on ${engine.constructor.name}`);
      cursor = found.cursor;
    } while (cursor !== "0");
  }

  async #compareAnnouncements(): Promise<void> {
    const heard = await this.#redis.heard();
    assert.deepStrictEqual(
      heard,
      this.#heard,
      "Redis (actual) and SQLite announce different things",
    );
  }

  #note({ command, args, request }: Call, ended: Ended): void {
    const named = request === undefined ? "" : ` @${request}`;
    const answer = "code" in ended ? `${ended.code} ${ended.reason}` : JSON.stringify(ended.reply);
    const line = `${(this.#now - START_MS) / 1000}s${named} ${command} ${JSON.stringify(args)}`;
    this.#trace.push(`${line}\n      -> ${answer.slice(0, 400)}`);
  }

  /** The error with the calls that led to it; fast-check prints it below the seed. */
  #explained(error: unknown): Error {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return new Error(`${told}\n\nThe calls:\n${this.#trace.join("\n")}\n`);
  }
}

/**
 * What must be equal of an answer. Walks of check and dump go through keys in the order of the engine,
 * and what they hold is compared otherwise; the cursor of a search tells numbers as the engine writes them.
 */
function comparable(command: CommandName, ended: Ended): unknown {
  if ("code" in ended) return ended;
  if (command === "search") {
    const { cursor, ...told } = JSON.parse(ended.reply as string) as { cursor: string };
    return { ...told, more: cursor !== "" };
  }
  if (command === "dump") return Object.keys(JSON.parse(ended.reply as string));
  if (command !== "check") return ended;
  return (JSON.parse(ended.reply as string) as { problems: unknown[] }).problems;
}
