import type Database from "better-sqlite3";
import type { Command } from "../../src/core/command.ts";
import { commands } from "../../src/core/commands/index.ts";
import { perform } from "../../src/core/dispatch.ts";
import type { Store } from "../../src/core/store.ts";
import { openDatabase } from "../../src/embedded/database.ts";
import { SqliteStore } from "../../src/embedded/sqlite-store.ts";
import type { CommandName, Reply } from "../../src/engine.ts";
import { isRefusal } from "./recording.ts";

/** A job as a call about it must name it. */
export interface Subject {
  jid: string;
  queue: string;
  worker: string;
  lease: string;
}

/** How a call ended: with its reply, or with what was thrown. */
export type Outcome = { reply: Reply } | { thrown: unknown };

const NOW = 1_700_000_000;

/** A store in memory with a job in every state there is, and calls that can be taken back. */
export class Scenario {
  readonly subjects: Subject[] = [];
  readonly #db: Database.Database;
  #store: SqliteStore;
  #now = NOW;

  private constructor(db: Database.Database) {
    this.#db = db;
    this.#store = new SqliteStore(db, () => {});
  }

  static async open(): Promise<Scenario> {
    const scenario = new Scenario(await openDatabase(":memory:", "full"));
    scenario.#populate();
    return scenario;
  }

  close(): void {
    this.#db.close();
  }

  /** Looks at the same data through a store that has seen nothing of it yet. */
  renew(): void {
    this.#store = new SqliteStore(this.#db, () => {});
  }

  /** Every byte there is. */
  image(): Buffer {
    return this.#db.serialize();
  }

  /** Makes a call under a request id, through whatever stands before the store, and undoes it. */
  attempt(name: CommandName, argv: string[], before: (store: Store) => Store): Outcome {
    const command = commands[name] as unknown as Command;
    this.#store.begin(command.writes);
    try {
      return { reply: this.#perform(before(this.#store), command, argv, "@request") };
    } catch (thrown) {
      return { thrown };
    } finally {
      this.#store.rollback();
    }
  }

  #perform(store: Store, command: Command, argv: string[], request: string): Reply {
    const when = `${this.#now}${request}`;
    return perform(store, command, "ql", [when, ...argv], () => 0);
  }

  #call(name: CommandName, ...argv: string[]): Reply {
    this.#store.begin(true);
    try {
      const reply = this.#perform(this.#store, commands[name] as unknown as Command, argv, "");
      this.#store.commit();
      return reply;
    } catch (thrown) {
      throw isRefusal(thrown) ? new Error(`${name} ${argv.join(" ")}: ${thrown.err}`) : thrown;
    }
  }

  #populate(): void {
    // More wait than are woken, so that whatever brings a job finds one to wake.
    for (let i = 0; i < 30; i++) this.#call("wait", `idle-${i}`, "100000", "q1", "q2", "q3");
    this.#call("config.set", "max-job-history", "3");
    this.#call("config.set", "jobs-history-count", "2");
    this.#call("config.set", "q1-heartbeat", "5000");
    this.#call("config.set", "q1-backoff", "fixed 30");
    this.#call("recur", "q2", "r", "k", "{}", "interval", "400", "0", "tags", '["x"]');
    this.#call("recur", "q2", "resting", "k", "{}", "interval", "60", "10");
    this.#call("recur.pause", "resting");
    for (const jid of ["warned", "expired"]) this.#run(jid, "q2");
    this.#now += 61;
    this.#call("heartbeat", "expired", "w");
    this.#call("tick");
    this.#put("due", "q2", "30", "unique", "old", "for", "60");
    this.#put("scheduled", "q1", "5000", "unique", "scheduled");
    for (const jid of ["failed", "stalled", "running"]) {
      this.#run(jid, "q1", "retries", "0", "unique", jid, "until", "failed", "context", "{}");
    }
    for (const jid of ["oldest", "older", "complete"]) this.#run(jid, "q1");
    for (const jid of ["oldest", "older", "complete"]) this.#call("complete", jid, "w", "q1", "[]");
    this.#call("fail", "failed", "w", "g", "it broke");
    this.#call("timeout", "stalled");
    this.#put("waiting", "q1", "0", "priority", "1", "unique", "waiting", "until", "start");
    this.#put("depends", "q1", "0", "depends", '["running","due"]');
    this.#put("free", "q1", "10", "depends", '["running"]');
    this.#now += 500;
    this.#introduce("none", "q1");
    this.#schedule("s", "tags", '["x"]', "retries", "2", "source", "s", "backoff", "fixed 5");
    this.#schedule("alone", "overlap", "skip");
    this.#schedule("asleep");
    this.#call("cron.fire", "alone", "1700000100", "1700000160");
    this.#call("cron.pause", "asleep");
  }

  #schedule(jid: string, ...options: string[]): void {
    const words = ["q1", "k", "{}", "* * * * *", "UTC", "1700000100"];
    this.#call("cron.put", jid, ...words, ...options);
  }

  #put(jid: string, queue: string, delay: string, ...options: string[]): void {
    const tags = ["tags", '["x","y"]', "source", "s"];
    this.#call("put", "w", queue, jid, "k", '{"n":1}', delay, ...tags, ...options);
    this.#call("track", "track", jid);
    this.#introduce(jid, queue);
  }

  /** Puts a job and lets the worker have it. */
  #run(jid: string, queue: string, ...options: string[]): void {
    this.#put(jid, queue, "0", "priority", "-9", ...options);
    const [job] = this.#call("pop", queue, "w", "1") as string[];
    const [popped, , , lease] = job?.split("\t") ?? [];
    if (popped !== jid) throw new Error(`${jid} was not popped but ${popped}`);
    this.subjects.at(-1)!.lease = lease!;
  }

  #introduce(jid: string, queue: string): void {
    this.subjects.push({ jid, queue, worker: "w", lease: "1" });
  }
}
