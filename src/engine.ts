import type { commands } from "./core/commands/index.ts";
import type { Reply } from "./core/text.ts";

export type { Reply } from "./core/text.ts";

/** The name of a command, as docs/protocol.md lists them. */
export type CommandName = keyof typeof commands;

export interface CallOptions {
  /** The time of the call, in milliseconds; left out, the engine's own clock. For tests. */
  now?: number;
  /** Names this call, so that sending it again changes nothing and gives the first answer. */
  request?: string;
}

/** Something that happened, on the channel (without namespace) it was announced on. */
export interface Announcement {
  channel: string;
  message: string;
}

/**
 * The one socket between the core and the shells: runs commands, wherever the core happens to live.
 *
 * Arguments and replies are those of docs/protocol.md, by position. Every call settles: with the
 * reply, with `Refused` when the core said no, or with an error that says what to do.
 */
export interface Engine {
  readonly namespace: string;
  call(
    command: CommandName,
    args: readonly (string | number)[],
    options?: CallOptions,
  ): Promise<Reply>;
  /** Hears everything announced in the namespace after commit, in order, until the result is called. */
  subscribe(listener: (announcement: Announcement) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A command that the core refused; nothing was changed. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.name = "Refused";
    this.code = code;
  }
}

/** The engine could not run the command: no connection, a full disk, a server that is not ready. */
export class Unavailable extends Error {
  readonly code: string;
  /** Whether the command may have been carried out all the same. */
  readonly uncertain: boolean;

  constructor(
    code: string,
    message: string,
    options: { uncertain?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Unavailable";
    this.code = code;
    this.uncertain = options.uncertain ?? false;
  }
}

/** Reads `CODE reason` as the core throws it; undefined when it is not a refusal. */
export function refusalFrom(text: string): Refused | undefined {
  const match = /^([A-Z][A-Z_]+) (.*)$/s.exec(text);
  return match === null ? undefined : new Refused(match[1]!, match[2]!);
}

/** The time and the request id of a call as the one argument they travel in: `[now][@request]`. */
export function envelope(options: CallOptions = {}): string {
  const now = options.now === undefined ? "" : String(options.now / 1000);
  return options.request === undefined ? now : `${now}@${options.request}`;
}

const NAMESPACE = /^[A-Za-z0-9_.-]{1,64}$|^\{[A-Za-z0-9_.-]{1,62}\}$/;

/** The namespace as given, or a refusal: it begins every key, so it may hold no separator. */
export function checkedNamespace(namespace: string): string {
  if (NAMESPACE.test(namespace)) return namespace;
  const rule = "1 to 64 letters, digits, dots, dashes or underscores, in braces on a cluster";
  throw new Refused(
    "BAD_ARGUMENT",
    `Namespace ${JSON.stringify(namespace)} is not allowed: use ${rule}`,
  );
}
