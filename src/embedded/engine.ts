import type Database from "better-sqlite3";
import type { Command } from "../core/command.ts";
import { commands } from "../core/commands/index.ts";
import { perform } from "../core/dispatch.ts";
import {
  type Announcement,
  argumentText,
  type CallOptions,
  type CommandName,
  channelOf,
  checkedNamespace,
  type Engine,
  MISSED,
  Refused,
  type Reply,
  type SubscribeOptions,
  Unreachable,
  whenText,
} from "../engine.ts";
import { Announcements } from "./announcements.ts";
import { openDatabase, type Synchronous } from "./database.ts";
import { watchFile } from "./file.ts";
import { GroupCommit, type Task } from "./group-commit.ts";
import { explained } from "./outage.ts";
import { asRefused } from "./refused.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { AnnouncedTransactions } from "./transactions.ts";

export interface EmbeddedOptions {
  /** What the queue's keys begin with; several namespaces may live in one file. */
  namespace?: string;
  /** The time in milliseconds, for calls that give none. */
  clock?: () => number;
  /** `normal` is faster, and may lose the last commits when the power fails. */
  synchronous?: Synchronous;
}

/** An open database, and what is to run in it. */
export interface Home {
  db: Database.Database;
  namespace: string;
  clock(): number;
  commands: Readonly<Record<string, Command>>;
}

/** Runs the core in this process, over an SQLite file that other processes may use as well. */
export class EmbeddedEngine implements Engine {
  readonly namespace: string;
  readonly isInThread = true;
  readonly #home: Home;
  readonly #store: SqliteStore;
  readonly #announcements: Announcements;
  readonly #group: GroupCommit;
  #closing: Promise<void> | undefined;

  /** Opens the queue in that file, made if there is none; `:memory:` is one that dies with it. */
  static async open(path: string, options: EmbeddedOptions = {}): Promise<EmbeddedEngine> {
    const { clock = Date.now, synchronous = "full" } = options;
    const namespace = checkedNamespace(options.namespace ?? "ql");
    const db = await openDatabase(path, synchronous);
    try {
      return new EmbeddedEngine({ db, namespace, clock, commands });
    } catch (error) {
      db.close();
      throw explained(error, db.name);
    }
  }

  constructor(home: Home) {
    const { db, namespace } = home;
    const announcements = new Announcements(db, namespace);
    const store = new SqliteStore(db, (channel, message) => announcements.add(channel, message));
    const checkFile = db.memory ? () => undefined : watchFile(db.name);
    const parts = { store, announcements, file: db.name, checkFile };
    this.namespace = namespace;
    this.#home = home;
    this.#store = store;
    this.#announcements = announcements;
    this.#group = new GroupCommit(new AnnouncedTransactions(parts), db.name);
  }

  async call(
    name: CommandName,
    args: readonly (string | number)[],
    options?: CallOptions,
  ): Promise<Reply> {
    const command = this.#command(name);
    const argv = args.map(argumentText);
    const when = whenText(options);
    const run = () => this.#perform(command, when, argv);
    return this.#add({ writes: command.writes, run });
  }

  async subscribe(
    listener: (announcement: Announcement) => void,
    options: SubscribeOptions = {},
  ): Promise<() => Promise<void>> {
    const announcements = this.#announcements;
    // A function of its own, so that one listener may subscribe twice and leave once.
    const only = channelOf(options);
    const own = (announcement: Announcement) => {
      const { channel } = announcement;
      const isMeant = only === undefined || channel === MISSED || channel === only;
      if (isMeant) listener(announcement);
    };
    try {
      await this.#add({ writes: false, run: () => announcements.subscribe(own) });
    } catch (error) {
      announcements.unsubscribe(own);
      throw error;
    }
    return async () => announcements.unsubscribe(own);
  }

  async facts(): Promise<Readonly<Record<string, string>>> {
    const { db } = this.#home;
    const pragma = (name: string) => String(db.pragma(name, { simple: true }));
    const version = db.prepare("SELECT sqlite_version()").pluck().get();
    return {
      file: db.name,
      sqlite_version: String(version),
      journal_mode: pragma("journal_mode"),
      synchronous: pragma("synchronous"),
      bytes: String(Number(pragma("page_count")) * Number(pragma("page_size"))),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The last in line: when it is settled, so is everything before it, whatever came of it.
    await this.#group.add({ writes: false, run: () => false }).catch(() => undefined);
    this.#announcements.close();
    this.#home.db.close();
  }

  #command(name: string): Command {
    const { commands } = this.#home;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return command;
    throw new Refused("UNKNOWN_COMMAND", `There is no command "${name}"`);
  }

  async #add(task: Task): Promise<Reply> {
    if (this.#closing === undefined) return this.#group.add(task);
    const file = this.#home.db.name;
    throw new Unreachable("CLOSED", `The engine on ${file} is closed: open another one`);
  }

  #perform(command: Command, when: string, argv: string[]): Reply {
    const { namespace, clock } = this.#home;
    try {
      // The core reads its arguments in place, and this may be the second try.
      return perform(this.#store, command, namespace, [when, ...argv], clock);
    } catch (error) {
      throw asRefused(error);
    }
  }
}
