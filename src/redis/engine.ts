import {
  type Announcement,
  argumentText,
  type CallOptions,
  type CommandName,
  channelOf,
  checkedNamespace,
  type Engine,
  Refused,
  type Reply,
  type SubscribeOptions,
  Unreachable,
  whenText,
} from "../engine.ts";
import { type Artefacts, builtArtefacts } from "./artefacts.ts";
import { perform, type Task } from "./call.ts";
import { ALL } from "./channels.ts";
import { type ClientOptions, clientFrom, isCluster, type Source } from "./client.ts";
import { Connection, type WhenDown } from "./connection.ts";
import { dangers, factsOf, type Greeting, greet } from "./inspection.ts";
import { Library, type Mode, type Wanted } from "./library.ts";
import { Subscription } from "./subscription.ts";

/** How to use a Redis; everything may be left out. */
export interface RedisEngineOptions extends ClientOptions {
  /** What every key begins with, default `ql`. On a cluster it is put in braces: `{ql}`. */
  namespace?: string;
  /** How long a call may take in all, waiting for a connection included; default 10,000. */
  timeoutMs?: number;
  /** What a call does while there is no connection; default `wait`, up to its time. */
  whenDown?: WhenDown;
  /** Functions or scripts; left out, functions where they are permitted, else scripts. */
  mode?: Mode;
  /** Hears of settings that endanger jobs; left out, each is a warning of the process, once. */
  onWarning?: (sentence: string) => void;
  /** For tests: the library to use in place of the one that was built. */
  artefacts?: Artefacts;
}

/** Refusals of data that this version cannot read. */
const UNREADABLE = new Set(["NEWER_LAYOUT", "FOREIGN_LAYOUT"]);

const TIMEOUT_MS = 10_000;

/**
 * Runs commands inside Redis.
 *
 * Every call settles within its time. What Redis did not run is tried again; what it may have run is
 * sent again only if that is harmless: for commands that read, and for calls that are repeatable or
 * have a request id.
 */
export class RedisEngine implements Engine {
  readonly namespace: string;
  readonly #connection: Connection;
  readonly #library: Library;
  readonly #kinds: Artefacts["kinds"];
  readonly #subscription: Subscription;
  #closing: Promise<void> | undefined;

  private constructor(
    connection: Connection,
    options: RedisEngineOptions & { artefacts: Artefacts },
  ) {
    const { client, timeoutMs } = connection;
    this.namespace = namespaceFor(options.namespace ?? "ql", isCluster(client));
    this.#connection = connection;
    this.#kinds = options.artefacts.kinds;
    this.#library = new Library(connection, { ...options, namespace: this.namespace });
    this.#subscription = new Subscription(client, this.namespace, timeoutMs);
  }

  /**
   * Connects, and loads the library where it is missing or old.
   *
   * Of an ioredis instance only the way to the server is taken: the engine opens connections of its
   * own, because its promises rest on their settings. The instance stays open, and the user's.
   */
  static async open(source: Source, options: RedisEngineOptions = {}): Promise<RedisEngine> {
    const artefacts = options.artefacts ?? (await builtArtefacts());
    checkedNamespace(options.namespace ?? "ql");
    const { connection, greeting } = await connect(source, options);
    try {
      const engine = new RedisEngine(connection, { ...options, artefacts });
      await engine.#library.install();
      await engine.#checkLayout();
      for (const danger of await dangers(connection, greeting)) warn(danger, options);
      return engine;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Refuses data of a newer version or of qless-core. If it cannot be checked, calls will fail. */
  async #checkLayout(): Promise<void> {
    try {
      await this.call("layout", []);
    } catch (error) {
      if (error instanceof Refused && UNREADABLE.has(error.code)) throw error;
    }
  }

  get timeoutMs(): number {
    return this.#connection.timeoutMs;
  }

  /** How the commands run: as functions, or as scripts where functions are not permitted. */
  get mode(): Mode {
    return this.#library.mode;
  }

  call(
    command: CommandName,
    args: readonly (string | number)[],
    options: CallOptions = {},
  ): Promise<Reply> {
    try {
      return perform(this.#connection, this.#taskOf(command, args, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** What is to be asked; refuses what cannot be. */
  #taskOf(command: CommandName, args: readonly (string | number)[], options: CallOptions): Task {
    if (!Object.hasOwn(this.#kinds, command)) throw unknownCommand(command);
    const kind = this.#kinds[command];
    const writes = kind !== "reading";
    const wanted = { command, kind, when: whenText(options), args: args.map(argumentText) };
    const repeatable = !writes || options.repeatable === true || options.request !== undefined;
    return new Asking(this.#library, wanted, repeatable);
  }

  subscribe(
    listener: (announcement: Announcement) => void,
    options: SubscribeOptions = {},
  ): Promise<() => Promise<void>> {
    return this.#subscription.add(listener, channelOf(options) ?? ALL);
  }

  async facts(): Promise<Readonly<Record<string, string | undefined>>> {
    const library = await this.#library.version();
    return { ...(await factsOf(this.#connection)), mode: this.mode, ...(library && { library }) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#subscription.close();
    await this.#connection.close();
  }
}

/** One of the core's commands on its way. */
class Asking implements Task {
  readonly writes: boolean;
  readonly repeatable: boolean;
  readonly #library: Library;
  readonly #wanted: Wanted;

  constructor(library: Library, wanted: Wanted, repeatable: boolean) {
    this.writes = wanted.kind !== "reading";
    this.repeatable = repeatable;
    this.#library = library;
    this.#wanted = wanted;
  }

  words(): readonly string[] {
    return this.#library.words(this.#wanted);
  }

  mend(text: string): Promise<void> | undefined {
    return this.#library.mend(text);
  }
}

interface Connected {
  connection: Connection;
  greeting: Greeting;
}

/** A connection whose server has answered; to all of a cluster if the URL is of one node. */
async function connect(source: Source, options: RedisEngineOptions): Promise<Connected> {
  const client = clientFrom(source, options);
  const connection = new Connection(client, options.timeoutMs ?? TIMEOUT_MS, options.whenDown);
  try {
    const greeting = await greet(connection);
    if (greeting.mode !== "cluster" || isCluster(client)) return { connection, greeting };
    if (typeof source !== "string") throw new Unreachable("MOVED", ONE_NODE);
  } catch (error) {
    await connection.close();
    throw error;
  }
  await connection.close();
  return connect(source, { ...options, cluster: {} });
}

const ONE_NODE = "This Redis is a node of a cluster: give the engine an ioredis Cluster";

function namespaceFor(namespace: string, onCluster: boolean): string {
  const bare = !onCluster || namespace.startsWith("{");
  return checkedNamespace(bare ? namespace : `{${namespace}}`);
}

function unknownCommand(command: string): Refused {
  return new Refused("UNKNOWN_COMMAND", `There is no command ${JSON.stringify(command)}`);
}

const warned = new Set<string>();

function warn(sentence: string, { onWarning = warnOnce }: RedisEngineOptions): void {
  onWarning(sentence);
}

function warnOnce(sentence: string): void {
  if (warned.has(sentence)) return;
  warned.add(sentence);
  process.emitWarning(sentence, "QlessWarning");
}
