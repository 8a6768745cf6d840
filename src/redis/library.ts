import type { Redis } from "ioredis";
import { type CommandName, Unreachable } from "../engine.ts";
import { type Artefacts, type Kind, type Script, type Scripts, scriptsOf } from "./artefacts.ts";
import { perform, type Task } from "./call.ts";
import type { Connection } from "./connection.ts";
import { isUnloadable, refusedCommand } from "./errors.ts";
import { FunctionLoader } from "./functions.ts";

/** How the core is reached in Redis: as functions (FCALL) or as scripts (EVALSHA). */
export type Mode = "functions" | "scripts";

/**
 * The ways into Redis. `reading` is `functions` for a user who may only read, and comes last: it
 * cannot be told from a user whose functions are forbidden before scripts have been tried.
 */
type Way = Mode | "reading";

const WAYS: Record<Mode | "any", readonly Way[]> = {
  any: ["functions", "scripts", "reading"],
  functions: ["functions", "reading"],
  scripts: ["scripts"],
};

/** The Redis commands that run ours, and the one to ask for the version with. */
interface Verbs {
  ask: string;
  read: string;
  write: string;
}

const VERBS: Record<Way, Verbs> = {
  functions: { ask: "FCALL", read: "FCALL_RO", write: "FCALL" },
  scripts: { ask: "", read: "EVALSHA_RO", write: "EVALSHA" },
  reading: { ask: "FCALL_RO", read: "FCALL_RO", write: "FCALL" },
};

const ALL_VERBS = new Set(["fcall", "fcall_ro", "evalsha", "evalsha_ro"]);

/** One of the core's commands as a caller wants it. */
export interface Wanted {
  command: CommandName;
  kind: Kind;
  when: string;
  args: readonly string[];
}

/** Which library, and for which namespace. */
export interface LibraryOptions {
  artefacts: Artefacts;
  namespace: string;
  /** The one mode to use; left out, functions where they are permitted, else scripts. */
  mode?: Mode | undefined;
}

/** The core inside Redis: brings it there, brings it back when it is lost, and words its calls. */
export class Library {
  readonly #connection: Connection;
  readonly #namespace: string;
  readonly #functions: FunctionLoader;
  readonly #artefacts: Artefacts;
  /**
   * The keys that a call declares, and their number. A namespace in braces declares a second key,
   * which never exists: while its slot moves to another node, Redis answers such a call with TRYAGAIN.
   * With one key Redis would run it, on the keys that have not moved yet.
   */
  readonly #declared: readonly string[];
  /** The way in use, then those to try where it is closed. */
  #ways: readonly Way[] = [];
  #verbs: Verbs = VERBS.functions;
  #installing: Promise<void> | undefined;

  constructor(connection: Connection, { artefacts, namespace, mode }: LibraryOptions) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#artefacts = artefacts;
    this.#declared = namespace.startsWith("{")
      ? ["2", namespace, `${namespace}:-`]
      : ["1", namespace];
    this.#functions = new FunctionLoader(connection, artefacts, (node) => this.#asking(node));
    this.#take(WAYS[mode ?? "any"]);
  }

  get #scripts(): Scripts {
    return scriptsOf(this.#artefacts);
  }

  get mode(): Mode {
    return this.#ways[0] === "scripts" ? "scripts" : "functions";
  }

  /** What to send to Redis for a command. */
  words({ command, kind, when, args }: Wanted): string[] {
    const verb = kind === "reading" ? this.#verbs.read : this.#verbs.write;
    const words =
      this.mode === "functions"
        ? [verb, functionName(command), ...this.#declared, when]
        : [verb, this.#scripts[kind].sha, ...this.#declared, command, when];
    for (const arg of args) words.push(arg);
    return words;
  }

  /** The version of the functions in the server; undefined where scripts are used. */
  async version(): Promise<string | undefined> {
    if (this.mode === "scripts") return undefined;
    return String(await perform(this.#connection, this.#asking(undefined)));
  }

  /** Brings the core into every server; callers at the same time share one attempt. */
  install(): Promise<void> {
    this.#installing ??= this.#install().finally(() => {
      this.#installing = undefined;
    });
    return this.#installing;
  }

  /** Removes the cause of an error reply where the library is that cause. */
  mend(text: string): Promise<void> | undefined {
    if (/^(ERR Function not found|NOSCRIPT)/.test(text)) return this.install();
    const refused = refusedCommand(text);
    if (refused === undefined || !ALL_VERBS.has(refused)) return undefined;
    const { read, write } = this.#verbs;
    if (refused === write.toLowerCase()) return this.#retreat();
    // Where neither is refused, another call has seen to it since this one was sent.
    if (refused === read.toLowerCase()) this.#verbs = { ...this.#verbs, read: write };
    return this.#installing ?? Promise.resolve();
  }

  #take(ways: readonly Way[]): void {
    this.#ways = ways;
    this.#verbs = VERBS[ways[0] ?? "functions"];
  }

  #retreat(): Promise<void> | undefined {
    if (this.#ways.length < 2) return undefined;
    this.#take(this.#ways.slice(1));
    return this.install();
  }

  async #install(): Promise<void> {
    const ways = this.#ways;
    let first: unknown;
    for (let at = 0; at < ways.length; at++) {
      this.#take(ways.slice(at));
      try {
        return await this.#installEverywhere();
      } catch (error) {
        if (!isUnloadable(error)) throw error;
        first ??= error;
      }
    }
    this.#take(ways);
    throw first;
  }

  async #installEverywhere(): Promise<void> {
    const { servers } = this.#connection;
    const install = (node: Redis | undefined) =>
      this.mode === "functions" ? this.#functions.install(node) : this.#loadScripts(node);
    await Promise.all(servers.map(install));
  }

  async #loadScripts(node: Redis | undefined): Promise<void> {
    const scripts = Object.values(this.#scripts);
    // The core refuses a call of no command, and so shows that it is there.
    const nothing = [...this.#keys(node), "", ""];
    const tried = (verb: string, { sha }: Script) => [verb, sha, ...nothing];
    const { reading, writing, freeing } = this.#scripts;
    const all = [
      tried("EVALSHA_RO", reading),
      tried("EVALSHA", writing),
      tried("EVALSHA", freeing),
    ];
    if ((await this.#refusalOf(all, node)) === undefined) return;
    const nobody: string[][] = [];
    const loading = await this.#tryEach(node, [
      scripts.map(({ text }) => ["SCRIPT", "LOAD", text]),
      // Such a call leaves its script in the server.
      scripts.map(({ text }) => ["EVAL", text, ...nothing]),
      // Someone with more rights may have loaded them.
      nobody,
    ]);
    try {
      await this.#tryEach(node, [[tried("EVALSHA_RO", reading)], [tried("EVALSHA", reading)]]);
    } catch (error) {
      // What was loaded has been removed again, and the next call loads it anew.
      if (loading === nobody || !isNoScript(error)) throw error;
    }
  }

  /** Sends one list of commands after the other until all of a list are permitted; returns it. */
  async #tryEach(node: Redis | undefined, lists: string[][][]): Promise<string[][]> {
    let refusal: Unreachable | undefined;
    for (const list of lists) {
      refusal = await this.#refusalOf(list, node);
      if (refusal === undefined) return list;
      if (!isUnloadable(refusal)) break;
    }
    throw refusal;
  }

  /** Why Redis would not run these; what they answer when they do run does not matter. */
  async #refusalOf(list: string[][], node: Redis | undefined): Promise<Unreachable | undefined> {
    const tasks = list.map((words) => ({
      words: () => words,
      writes: true,
      repeatable: true,
      node,
    }));
    const done = await Promise.allSettled(tasks.map((task) => perform(this.#connection, task)));
    for (const one of done) {
      if (one.status === "rejected" && one.reason instanceof Unreachable) return one.reason;
    }
    return undefined;
  }

  #asking(node: Redis | undefined): Task {
    const words = [this.#verbs.ask, "qless_version", ...this.#keys(node), ""];
    return { words: () => words, writes: false, repeatable: true, node };
  }

  /** A node of a cluster takes no keys that belong to another. */
  #keys(node: Redis | undefined): string[] {
    return node === undefined ? ["1", this.#namespace] : ["0"];
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Unreachable && error.code === "NOSCRIPT";
}

const functionNames = new Map<string, string>();

function functionName(command: string): string {
  let name = functionNames.get(command);
  if (name === undefined) {
    name = `qless_${command.replaceAll(".", "_")}`;
    functionNames.set(command, name);
  }
  return name;
}
