import type { Redis } from "ioredis";
import { type Reply, Timeout, Unreachable } from "../engine.ts";
import { startTimer } from "../timers.ts";
import type { Connection, Sent } from "./connection.ts";
import { errorFrom, outageIn, scriptRemoved } from "./errors.ts";
import type { Pending } from "./pending.ts";
import type { Asker } from "./wire.ts";

/** What to ask of Redis, and what is known about asking twice. */
export interface Task {
  /** The words of the command; asked for anew at each attempt. */
  words(): readonly string[];
  /** Commands to send just before, such as MULTI; nobody reads their answers. */
  before?: readonly (readonly string[])[];
  /** Whether it may change something, so that a lost answer leaves a doubt. */
  writes: boolean;
  /** Whether sending it again is harmless when it may have been carried out. */
  repeatable: boolean;
  /** The one node of the cluster that is meant. */
  node?: Redis | undefined;
  /** Removes the cause of an error reply, if it can, after which the command is sent again. */
  mend?(text: string): Promise<void> | undefined;
}

const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 400;
/** Often enough for a server that loses its library while it is being loaded. */
const MAX_MENDINGS = 20;

/** Carries out a task on a connection; settles before the deadline of the connection, always. */
export function perform(connection: Connection, task: Task): Promise<Reply> {
  return new Promise((resolve, reject) => new Call(connection, task, { resolve, reject }).begin());
}

interface Outcome {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * One call from its beginning to its answer, over as many attempts as it is safe to make.
 *
 * An attempt that the server turned away, or that never left, is repeated. One whose answer was
 * lost is repeated only if the task says so. What cannot be known is said: `uncertain`.
 */
class Call implements Pending, Asker {
  place = 0;
  readonly #connection: Connection;
  readonly #task: Task;
  readonly #outcome: Outcome;
  #deadline: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;
  #sent: Sent | undefined;
  /** The connection that it began to wait for. */
  #waitsFor: number | undefined;
  #pauses = 0;
  #mendings = 0;
  /** Whether some attempt may have been carried out without our hearing of it. */
  #doubtful = false;
  #last: Error | undefined;

  constructor(connection: Connection, task: Task, outcome: Outcome) {
    this.#connection = connection;
    this.#task = task;
    this.#outcome = outcome;
  }

  begin(): void {
    if (this.#connection.isClosed) {
      this.#outcome.reject(closedError(false));
      return;
    }
    this.#connection.add(this);
    this.#deadline = startTimer(() => this.#expire(), this.#connection.timeoutMs);
    this.#attempt();
  }

  connected(): void {
    this.#waitsFor = undefined;
    this.#attempt();
  }

  fail(error: Error): void {
    const doubtful = this.#doubtful && error instanceof Unreachable;
    this.#end(doubtful ? doubted(error) : error);
  }

  abort(): void {
    this.#end(closedError(this.#doubtful || this.#inFlight));
  }

  /** Handed over and unanswered. In a cluster it may still leave by itself, so this is a doubt. */
  get #inFlight(): boolean {
    return this.#sent !== undefined && this.#task.writes;
  }

  #attempt(): void {
    if (!this.#connection.isUp) {
      this.#waitsFor = this.#connection.epoch;
      this.#connection.await(this);
      return;
    }
    try {
      this.#send();
    } catch (error) {
      this.fail(error as Error); // It cannot be put into bytes.
    }
  }

  #send(): void {
    const { before = [], node } = this.#task;
    for (const words of before) this.#connection.send(words, undefined, node);
    this.#sent = this.#connection.send(this.#task.words(), this, node);
  }

  answered(reply: Reply): void {
    if (this.#deadline === undefined) return;
    this.#finish();
    this.#outcome.resolve(reply);
  }

  unanswered(error: Error): void {
    const sent = this.#sent;
    if (this.#deadline === undefined || sent === undefined) return;
    this.#sent = undefined;
    const text = error.message;
    const isReply = error.name === "ReplyError" || outageIn(text) !== undefined;
    if (!isReply) this.#lose(sent, this.#connection.redacted(text));
    else if (!this.#mend(text)) this.#suffer(text, sent);
  }

  /** The connection broke before the answer came. */
  #lose(sent: Sent, text: string): void {
    const { writes, repeatable } = this.#task;
    this.#doubtful ||= writes && sent.command.written;
    this.#last = lostError(text, this.#doubtful);
    const lasting = this.#connection.lastingError(sent.epoch);
    if (this.#doubtful && !repeatable) this.#end(this.#last);
    else if (lasting !== undefined) this.fail(lasting);
    else this.#again();
  }

  /** The server said no. */
  #suffer(text: string, sent: Sent): void {
    const { remedy = "give-up", uncertain = false } = outageIn(text) ?? {};
    this.#last = this.#errorFrom(text);
    if (remedy === "reconnect") this.#connection.abandon(sent.epoch);
    // Half of a command stays behind, so the same command is no longer the same.
    if (remedy === "give-up" || (uncertain && this.#task.writes)) this.fail(this.#last);
    else this.#again();
  }

  #errorFrom(text: string): Error {
    const wasLoaded = this.#mendings === MAX_MENDINGS && text.startsWith("NOSCRIPT");
    if (wasLoaded) return scriptRemoved(MAX_MENDINGS);
    return errorFrom(text, this.#task.writes, (shown) => this.#connection.redacted(shown));
  }

  #mend(text: string): boolean {
    const mending = this.#mendings < MAX_MENDINGS ? this.#task.mend?.(text) : undefined;
    if (mending === undefined) return false;
    this.#mendings++;
    this.#last = this.#errorFrom(text);
    mending.then(
      () => this.#resume(),
      (error: Error) => this.fail(error),
    );
    return true;
  }

  #resume(): void {
    if (this.#deadline !== undefined) this.#attempt();
  }

  #again(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses++, LAST_PAUSE_MS);
    this.#pause = startTimer(() => this.#attempt(), pauseMs);
  }

  #expire(): void {
    const { timeoutMs } = this.#connection;
    if (this.#sent !== undefined) {
      // Its answer would come to the next caller, if anything at all comes from there.
      this.#connection.abandon(this.#sent.epoch);
      this.#doubtful ||= this.#inFlight;
      this.fail(timeoutError(timeoutMs, this.#task));
    } else if (this.#waitsFor !== undefined) {
      // In all this time it neither came up nor failed, if it is the same, so it hangs.
      this.#connection.abandon(this.#waitsFor);
      this.fail(this.#connection.downError());
    } else {
      this.fail(this.#last ?? timeoutError(timeoutMs, this.#task));
    }
  }

  #end(error: Error): void {
    if (this.#deadline === undefined) return;
    this.#finish();
    this.#outcome.reject(error);
  }

  #finish(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#pause);
    this.#deadline = undefined;
    this.#connection.delete(this);
  }
}

/** The same outage, of a command that may have been carried out. */
function doubted(error: Unreachable): Unreachable {
  const Kind = error instanceof Timeout ? Timeout : Unreachable;
  return new Kind(error.code, error.message, { uncertain: true, cause: error.cause });
}

function closedError(uncertain: boolean): Unreachable {
  return new Unreachable("CLOSED", "The engine is closed", { uncertain });
}

function lostError(text: string, uncertain: boolean): Unreachable {
  const advice = uncertain ? ", and it is not known whether the command was carried out" : "";
  const message = `The connection to Redis broke before the answer came (${text})${advice}`;
  return new Unreachable("CONNECTION_LOST", message, { uncertain });
}

function timeoutError(timeoutMs: number, { writes, repeatable }: Task): Timeout {
  const advice = !writes
    ? ""
    : repeatable
      ? "; sending it again with the same request id is safe"
      : "; it may have been carried out";
  return new Timeout("TIMEOUT", `Redis did not answer within ${timeoutMs} ms${advice}`);
}
