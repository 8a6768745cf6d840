import { createHash, randomBytes } from "node:crypto";
import type { CallOptions, CommandName, Engine, Reply } from "../engine.ts";
import { Timeout } from "../engine.ts";
import { startTimer } from "../timers.ts";
import { checkKnown, type Known } from "./known.ts";
import { isWatched, type Logger, observedCall } from "./observing.ts";
import { type Duration, milliseconds } from "./times.ts";

/** Limits of one call. */
export interface CallLimits {
  /** Ends the waiting. A command that was sent already may be carried out all the same. */
  signal?: AbortSignal | undefined;
  /** How long this call may take; the engine's own limit holds besides. */
  timeout?: Duration | undefined;
}

/** The names of the limits, for options that include them. */
export const LIMITS: Known<CallLimits> = { signal: true, timeout: true };

export type Words = readonly (string | number)[];

const PLAIN: CallOptions = {};
const REPEATABLE: CallOptions = { repeatable: true };

export interface CallsOptions {
  logger?: Logger | undefined;
  /** What request ids begin with; what follows is counted. */
  requests?: string | undefined;
  /**
   * Request ids are made of what is asked for instead: where the number of calls depends on what is
   * found, the second call of one time may be none of those of the next.
   */
  requestsByContent?: boolean | undefined;
}

/**
 * How the client calls the engine. What changes something goes under a request id, so that the
 * engine may send it again when an answer was lost, and it takes effect once.
 */
export class Calls {
  readonly engine: Engine;
  /** Who puts and operates, in the words of the commands: a worker's name. */
  readonly name: string;
  /** @internal */
  readonly logger: Logger | undefined;
  readonly #requests: string;
  readonly #isByContent: boolean;
  #count = 0;

  constructor(engine: Engine, name: string, options: CallsOptions = {}) {
    const { logger, requests, requestsByContent = false } = options;
    this.engine = engine;
    this.name = name;
    this.logger = logger;
    this.#requests = requests ?? randomBytes(9).toString("base64url");
    this.#isByContent = requestsByContent;
  }

  read(command: CommandName, words: Words, limits?: CallLimits): Promise<Reply> {
    return this.#call(command, words, PLAIN, limits);
  }

  write(command: CommandName, words: Words, limits?: CallLimits): Promise<Reply> {
    const request = this.#requestId(command, words);
    return this.#call(command, words, { request }, limits);
  }

  #requestId(command: CommandName, words: Words): string {
    if (this.#isByContent) {
      const content = JSON.stringify([this.#requests, command, words]);
      return createHash("sha256").update(content).digest("base64url");
    }
    this.#count += 1;
    return `${this.#requests}-${this.#count.toString(36)}`;
  }

  /**
   * Sends a command that changes something without a request id: when its answer is lost, the caller
   * must find out. For those who can, since remembering answers costs the engine.
   */
  attempt(command: CommandName, words: Words, limits?: CallLimits): Promise<Reply> {
    return this.#call(command, words, PLAIN, limits);
  }

  /** As `attempt`. The engine hands out no jobs if the call arrives after the deadline. */
  attemptBefore(deadline: number, command: CommandName, words: Words): Promise<Reply> {
    return this.#seen(command, words, { deadline });
  }

  /**
   * Sends a command that may be carried out twice, so it needs no request id: what goes over a
   * namespace slice by slice would leave more to go over than it found.
   */
  repeat(command: CommandName, words: Words, limits?: CallLimits): Promise<Reply> {
    return this.#call(command, words, REPEATABLE, limits);
  }

  #call(
    command: CommandName,
    words: Words,
    options: CallOptions,
    limits: CallLimits | undefined,
  ): Promise<Reply> {
    if (limits === undefined) return this.#seen(command, words, options);
    return limited(() => this.#seen(command, words, options), command, limits);
  }

  /** A worker makes thousands of calls a second, and most of them are for nobody to see. */
  #seen(command: CommandName, words: Words, options: CallOptions): Promise<Reply> {
    if (!isWatched(this.logger)) return this.engine.call(command, words, options);
    const message = { command, namespace: this.engine.namespace };
    return observedCall(message, this.logger, () => this.engine.call(command, words, options));
  }

  /** Reads a command that answers JSON; undefined when it answers nothing. */
  async json<Shape>(command: CommandName, words: Words, limits?: CallLimits): Promise<Shape> {
    const reply = await this.read(command, words, limits);
    return (reply === false ? undefined : JSON.parse(reply as string)) as Shape;
  }
}

/** The outcome of the work, unless its time or the signal ends the waiting first. */
function limited(work: () => Promise<Reply>, command: string, limits: CallLimits): Promise<Reply> {
  checkKnown("of a call", limits, LIMITS);
  const { signal, timeout } = limits;
  if (signal === undefined && timeout === undefined) return work();
  const ms = timeout === undefined ? undefined : milliseconds(timeout, "timeout");
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal!.reason);
    signal?.addEventListener("abort", stop, { once: true });
    const timer = ms === undefined ? undefined : startTimer(() => reject(late(command, ms)), ms);
    work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      });
  });
}

function late(command: string, ms: number): Timeout {
  const message = `${command} had no answer within ${ms} ms; it may have been carried out`;
  return new Timeout("TIMEOUT", message, { uncertain: true });
}
