import type { commands } from "./core/commands/index.ts";
import type { Reply } from "./core/text.ts";
import { Invalid } from "./errors.ts";

export type { Reply } from "./core/text.ts";

export * from "./errors.ts";

/** The name of a command, as docs/protocol.md lists them. */
export type CommandName = keyof typeof commands;

export interface CallOptions {
  /** The time of the call, in milliseconds; left out, the engine's own clock. For tests. */
  now?: number;
  /** Names this call, so that sending it again changes nothing and gives the first answer. */
  request?: string;
  /**
   * From this moment of the engine's clock on, in milliseconds, the call hands out no jobs: it may
   * arrive after its caller has given it up. Outcomes in the call still count.
   */
  deadline?: number;
  /** Carried out twice, it does what it does once: it may be sent again without a name. */
  repeatable?: boolean;
}

/**
 * Something that happened, on the channel (without namespace) it was announced on. On the channel
 * `MISSED`, which no command uses, it means that some before it may not have been heard.
 */
export interface Announcement {
  channel: string;
  message: string;
}

export interface SubscribeOptions {
  /** Hear only what this worker is told: a busy queue announces a lot, which costs all who listen. */
  worker?: string;
  /** Hear only when time-based work is needed earlier than the processes that do it may know. */
  upkeep?: boolean;
}

/** Where a listener is told that it may have missed something. */
export const MISSED = "";

/** The one channel that is heard with these options; undefined for all. */
export function channelOf({ worker, upkeep }: SubscribeOptions): string | undefined {
  if (worker !== undefined) return `w:${worker}`;
  return upkeep === true ? UPKEEP : undefined;
}

/** Where the core announces that time-based work is needed. */
export const UPKEEP = "tick";

/**
 * What shells talk to when they want a command run. Where the core runs is none of their business.
 *
 * Arguments and replies are those of docs/protocol.md, by position. Every call settles: with the
 * reply, with `Refused` when the core said no, or with an error that says what to do.
 */
export interface Engine {
  readonly namespace: string;
  /** Whether a command keeps the thread that calls it, so that nothing can be done beside it. */
  readonly isInThread?: boolean;
  /** How long a call waits for its answer, in milliseconds, if requests travel over a network. */
  readonly timeoutMs?: number;
  call(
    command: CommandName,
    args: readonly (string | number)[],
    options?: CallOptions,
  ): Promise<Reply>;
  /**
   * Hears what is announced in the namespace after commit, in order, until the result is called:
   * everything, or only what one worker is told.
   */
  subscribe(
    listener: (announcement: Announcement) => void,
    options?: SubscribeOptions,
  ): Promise<() => Promise<void>>;
  /** What can be told of where the commands run, for those who look after it; names vary. */
  facts?(): Promise<Readonly<Record<string, string | undefined>>>;
  close(): Promise<void>;
}

/** The time and the request id of a call as the one argument they travel in: `[now][@request]`. */
export function envelope({ now, deadline, request }: CallOptions = {}): string {
  const time = now === undefined ? "" : String(now / 1000);
  const times = deadline === undefined ? time : `${time}<${deadline / 1000}`;
  return request === undefined ? times : `${times}@${request}`;
}

const NAMESPACE = /^[A-Za-z0-9_.-]{1,64}$|^\{[A-Za-z0-9_.-]{1,62}\}$/;

/** The namespace as given, or a refusal: it begins every key, so it may hold no separator. */
export function checkedNamespace(namespace: string): string {
  if (NAMESPACE.test(namespace)) return namespace;
  const rule = "1 to 64 letters, digits, dots, dashes or underscores, in braces on a cluster";
  throw new Invalid(
    "BAD_ARGUMENT",
    `Namespace ${JSON.stringify(namespace)} is not allowed: use ${rule}`,
  );
}

/** An argument as the text it travels in, or a refusal of what could not travel. */
export function argumentText(value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "string") throw bad("Text with half of a surrogate pair is not Unicode");
  throw bad(`An argument must be a text or a finite number, not ${described(value)}`);
}

/** The time and request id of a call, as text. */
export function whenText(options: CallOptions = {}): string {
  const { now, deadline, request } = options;
  if (now === undefined && deadline === undefined && request === undefined) return "";
  if (now !== undefined) argumentText(now);
  if (deadline !== undefined) argumentText(deadline);
  return argumentText(envelope(options));
}

function bad(reason: string): Invalid {
  return new Invalid("BAD_ARGUMENT", reason);
}

function described(value: unknown): string {
  return typeof value === "number" || value === null ? String(value) : typeof value;
}
