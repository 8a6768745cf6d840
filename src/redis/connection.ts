import type { EventEmitter } from "node:events";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Redis } from "ioredis";
import { Unreachable } from "../engine.ts";
import { startTimer, timeoutSignal } from "../timers.ts";
import { type Client, databaseOf, isCluster, placeOf, redacted } from "./client.ts";
import { Outgoing } from "./outgoing.ts";
import { MAX_WAITING, type Pending, PendingCalls } from "./pending.ts";
import { handBack, takeOver } from "./take-over.ts";
import {
  databaseTrouble,
  hiddenTrouble,
  NO_TROUBLE,
  type Trouble,
  troubleFrom,
  unreachable,
} from "./trouble.ts";
import type { Asker, Wire } from "./wire.ts";

/** A command on its way. */
export interface Sent {
  /** Whether it left, after which it may be carried out. */
  command: { readonly written: boolean };
  /** The connection it went by, as `abandon` wants it. */
  epoch: number;
}

const LEFT = { written: true };
const STAYED = { written: false };
const NOBODY: Asker = { answered: () => {}, unanswered: () => {} };

const REOPEN_MS = 500;

/** What a call does that finds no connection: wait for one as long as it may, or fail at once. */
export type WhenDown = "wait" | "fail";

/**
 * One client of Redis, seen as something that is up or down.
 *
 * It sends only while it is up, so that a caller always knows whether a command left. Whoever finds
 * it down waits here, and hears when it is up, or at once when waiting is no use.
 */
export class Connection {
  readonly client: Client;
  readonly timeoutMs: number;
  readonly #whenDown: WhenDown;
  /** Whether it ever was up: until then there is nothing to fail fast about. */
  #wasUp = false;
  #epoch = 0;
  /** Whether ioredis has said that the one server is there, which it does a moment late. */
  #isReady = false;
  /** The way to the one server, while it is up; to a cluster there are many, which ioredis knows. */
  #wire: Wire | undefined;
  #closed = false;
  readonly #closing = new AbortController();
  /** What the last attempt to connect ran into. */
  #trouble = NO_TROUBLE;
  #troubled = 0;
  #lookingCloser: Promise<void> | undefined;
  #reopening: NodeJS.Timeout | undefined;
  readonly #calls = new PendingCalls();

  constructor(client: Client, timeoutMs: number, whenDown: WhenDown = "wait") {
    this.client = client;
    this.timeoutMs = timeoutMs;
    this.#whenDown = whenDown;
    const events: EventEmitter = client;
    events.on("ready", () => this.#connected());
    events.on("close", () => this.#down());
    events.on("-node", () => this.#epoch++);
    events.on("end", () => this.#reopen());
    events.on("error", (error: Error) => this.#note(troubleFrom(client, error)));
    events.on("node error", (error: Error, place: string) =>
      this.#note(troubleFrom(client, error, place)),
    );
  }

  /** Names the present connection. */
  get epoch(): number {
    return this.#epoch;
  }

  get isUp(): boolean {
    return this.client.status === "ready" && (this.#isReady || isCluster(this.client));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The servers that hold data: the one, which needs no name, or each master of the cluster. */
  get servers(): (Redis | undefined)[] {
    return isCluster(this.client) ? this.client.nodes("master") : [undefined];
  }

  /** Keeps a call in mind until it is taken out, so that closing can end it. */
  add(call: Pending): void {
    this.#calls.add(call);
  }

  delete(call: Pending): void {
    this.#calls.delete(call);
  }

  /** Lets a call know when the connection is up. */
  await(call: Pending): void {
    if (this.client.status === "wait") this.client.connect().catch(() => {});
    if (this.#whenDown === "fail" && this.#wasUp) {
      call.fail(this.downError());
      return;
    }
    if (!this.#calls.wait(call))
      call.fail(new Unreachable("TOO_MANY_CALLS", `${MAX_WAITING} calls already wait for Redis`));
  }

  /** Sends a command, to that node of the cluster if one is given; nobody need hear the answer. */
  send(words: readonly string[], asker: Asker = NOBODY, node?: Redis): Sent {
    const epoch = this.#epoch;
    if (this.#wire !== undefined) {
      return { command: this.#wire.send(words, asker) ? LEFT : STAYED, epoch };
    }
    const command = new Outgoing(words, asker);
    (node ?? this.client).sendCommand(command);
    return { command, epoch };
  }

  /** Destroys the connection of that epoch, unless it is gone already; a new one follows. */
  abandon(epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#epoch++;
    for (const stream of this.#streams()) stream.destroy();
  }

  /** What to tell a call that has waited in vain. */
  downError(): Unreachable {
    const within = this.#whenDown === "fail" && this.#wasUp ? "" : ` within ${this.timeoutMs} ms`;
    const what = `No connection to Redis at ${placeOf(this.client)}${within}`;
    return unreachable(this.client, this.#trouble, what);
  }

  /** Why the connection of that epoch broke, if it is known and the next will break as well. */
  lastingError(epoch: number): Unreachable | undefined {
    const lasting = this.#troubled === epoch && this.#trouble.known?.lasting === true;
    return lasting ? this.downError() : undefined;
  }

  /** The text without the passwords of this client. */
  redacted(text: string): string {
    return redacted(this.client, text);
  }

  /** Ends every call and socket; nothing is left that keeps the process alive. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    clearTimeout(this.#reopening);
    for (const call of this.#calls.all) call.abort();
    const streams = this.#streams();
    this.client.disconnect();
    for (const stream of streams) stream.destroy();
    await Promise.all(streams.map((stream) => stream.closed || once(stream, "close")));
    await this.#lookingCloser;
  }

  #streams(): Socket[] {
    const clients = isCluster(this.client) ? this.client.nodes("all") : [this.client];
    // Before the first connection there is none, whatever its type says.
    return clients
      .map((client): Socket | undefined => client.stream)
      .filter((s) => s !== undefined);
  }

  #connected(): void {
    if (!isCluster(this.client)) this.#wire = takeOver(this.client);
    const database = databaseOf(this.client);
    if (database === 0) this.#up();
    else this.#select(database);
  }

  /** Calls wait until the database is selected: what goes on without it ends up in another. */
  #select(database: number): void {
    const { epoch } = this;
    const unanswered = (error: Error) => {
      // If the connection broke, the next one selects it.
      if (error.name !== "ReplyError") return;
      this.#note(databaseTrouble(this.client, database, error));
      this.#reopening = startTimer(() => this.abandon(epoch), REOPEN_MS);
    };
    this.send(["SELECT", String(database)], { answered: () => this.#up(), unanswered });
  }

  #up(): void {
    this.#isReady = true;
    this.#wasUp = true;
    this.#trouble = NO_TROUBLE;
    this.#sign();
    for (const call of this.#calls.takeWaiting()) call.connected();
  }

  #down(): void {
    this.#epoch++;
    this.#isReady = false;
    if (this.#wire === undefined) return;
    handBack(this.client as Redis);
    this.#wire.close();
    this.#wire = undefined;
  }

  /**
   * Names the connection for CLIENT LIST. ioredis would do so before Redis has answered, and in
   * writing to a server that is hanging up it would miss what that had to say.
   */
  #sign(): void {
    if (isCluster(this.client) || this.client.options.connectionName) return;
    this.send(["CLIENT", "SETNAME", "qless"]);
  }

  #note(trouble: Trouble): void {
    // A server that turns us away says why before the socket breaks, which tells less.
    if (this.#troubled === this.#epoch && this.#trouble.known !== undefined) return;
    this.#troubled = this.#epoch;
    this.#trouble = trouble;
    if (trouble.known === undefined) this.#lookCloser();
    // A wrong password stays wrong until the deadline: say so now.
    if (trouble.known?.lasting !== true) return;
    for (const call of this.#calls.waiting) call.fail(this.downError());
  }

  /** Finds out what ioredis keeps to itself, for those who wait. */
  #lookCloser(): void {
    if (this.#lookingCloser !== undefined || this.#calls.waiting.length === 0) return;
    const signals = [this.#closing.signal, timeoutSignal(this.timeoutMs)];
    this.#lookingCloser = hiddenTrouble(this.client, AbortSignal.any(signals)).then((found) => {
      this.#lookingCloser = undefined;
      if (found !== undefined && !this.#closed) this.#note(found);
    });
  }

  /** ioredis gives up when it cannot even begin to connect; a queue must go on trying. */
  #reopen(): void {
    if (this.#closed) return;
    this.#reopening = startTimer(() => this.client.connect().catch(() => {}), REOPEN_MS);
  }
}
