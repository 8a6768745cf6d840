import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Calls } from "../client/calls.ts";
import type { Client } from "../client/client.ts";
import { invalid } from "../client/times.ts";
import { connect, DEFAULTS } from "../connect.ts";
import { Deadline } from "../worker/deadline.ts";
import { EXIT } from "./exit-codes.ts";
import { Flags } from "./flags.ts";
import { Output } from "./output.ts";
import { plain } from "./plain.ts";
import { Progress } from "./progress.ts";
import { confirmed } from "./prompt.ts";
import type { Verb } from "./verb.ts";

/** Connections are given so long to close, in milliseconds. */
const CLOSE_MS = 2000;

/** What a verb has before it: what was typed, the queues, and the ways to tell, ask and show. */
export class Desk {
  /** The words behind the verb, lists among them as they come. */
  readonly words: readonly string[];
  readonly flags: Flags;
  /** The flags as commander gives them, for those who read them on their own. */
  readonly typed: Readonly<Record<string, unknown>>;
  readonly out: Output;
  readonly #verb: Verb;
  #client: Promise<Client> | undefined;

  constructor(verb: Verb, words: readonly string[], typed: Readonly<Record<string, unknown>>) {
    this.#verb = verb;
    this.words = words;
    this.typed = typed;
    this.flags = new Flags(typed);
    this.out = new Output(this.flags.is("json"));
  }

  get url(): string {
    return this.flags.text("url") ?? (process.env.QLESS_URL || DEFAULTS.url);
  }

  get namespace(): string {
    return this.flags.text("namespace") ?? (process.env.QLESS_NAMESPACE || DEFAULTS.namespace);
  }

  /** The client, connected when it is first asked for. */
  open(onWarning = warnOfDanger): Promise<Client> {
    this.#client ??= this.#connect(onWarning);
    return this.#client;
  }

  /** The commands themselves, for what is told as the protocol tells it. */
  async calls(): Promise<Calls> {
    return (await this.open()).parts.calls;
  }

  async #connect(onWarning: (sentence: string) => void): Promise<Client> {
    if (this.#verb.at === "queues") checkFile(this.url);
    return connect(this.url, { namespace: this.namespace, onWarning });
  }

  /** Asks before something that cannot be taken back, unless it was agreed to. */
  async isSure(question: string): Promise<boolean> {
    const isSure = await confirmed({ question, isAgreed: this.flags.is("yes") });
    if (!isSure) process.stderr.write("qless: Nothing was done\n");
    return isSure;
  }

  progress(about: string): Progress {
    return new Progress(about);
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (client !== undefined) await new Deadline(CLOSE_MS).meets(client.close().catch(() => {}));
  }
}

/** Runs a verb, and whatever comes of it ends its connections. */
export async function runVerb(verb: Verb, desk: Desk): Promise<number> {
  try {
    return (await verb.run(desk)) ?? EXIT.CLEAN;
  } finally {
    await desk.close();
  }
}

/** Who looks for jobs in a file that there is not has the wrong place; a new one would hide that. */
function checkFile(url: string): void {
  if (!url.startsWith("sqlite:") || url === "sqlite::memory:") return;
  const file = url.slice("sqlite:".length);
  if (existsSync(resolve(file))) return;
  throw invalid(`There is no file ${file}: say where the queues are with --url or QLESS_URL`);
}

/** What endangers jobs is told to people; programs have `doctor --json`. */
function warnOfDanger(sentence: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`qless: ${plain(sentence)}\n`);
}
