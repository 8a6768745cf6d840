import type { Announcement, CallOptions, CommandName, Reply } from "../../engine.ts";
import type { AbortCode } from "../aborting.ts";
import type { JobFile } from "../job-files.ts";
import type { Outcome } from "../outcome.ts";

/** What is said between a worker and its children. Values are copied by structured clone. */

/**
 * Begins each message to the parent: handlers may send messages of their own over the same channel,
 * which are ignored.
 */
const MARK = "qless:child";

export const marked = (message: ToParent): unknown => [MARK, message];

/** The message, if it is one of the worker's own. */
export function unmarked(sent: unknown): ToParent | undefined {
  return Array.isArray(sent) && sent[0] === MARK ? (sent[1] as ToParent) : undefined;
}

/** What a parent must know of a klass that its children run. */
export interface KlassFacts {
  klass: string;
  retries: number | undefined;
  maxConcurrency: number | undefined;
  weight: number | undefined;
  cutoffMs: number | undefined;
  whenSpent: "keep" | "discard" | undefined;
  /** The backoff as a text of the core, for runs of which the child cannot tell the end. */
  backoff: string;
}

/** An error, in what can be copied. */
export interface ErrorFacts {
  kind: string;
  name: string;
  message: string;
  stack?: string | undefined;
  code?: string | undefined;
  uncertain?: boolean | undefined;
}

/** What a child is told when it begins. */
export interface Beginning {
  files: readonly JobFile[];
  /** Where it works: its folder, and the one that this lies in. */
  folder: string;
  root: string;
  worker: string;
  client: string;
  namespace: string;
  /** The process that it dies with. */
  parent: number;
}

export type ToChild =
  | { kind: "begin"; beginning: Beginning }
  | {
      kind: "run";
      /** The job, as it came from the queue. */
      popped: string;
      /** What a schema has made of the data, if one has. */
      data?: { value: unknown };
      /** The trace that the run belongs to, as propagators write it. */
      carrier: Record<string, string>;
    }
  | { kind: "abort"; lease: number; code: AbortCode }
  | { kind: "stopping" }
  | { kind: "answer"; id: number; reply: Reply }
  | { kind: "refusal"; id: number; error: ErrorFacts }
  | { kind: "heard"; id: number; announcement: Announcement }
  /** Nothing more will come: end. */
  | { kind: "leave" }
  /** The next SIGTERM is meant for this child alone. */
  | { kind: "doomed" };

export type ToParent =
  | { kind: "ready"; klasses: KlassFacts[]; memory: number }
  | { kind: "unfit"; error: ErrorFacts }
  | {
      kind: "ended";
      lease: number;
      outcome: Outcome;
      thrown: ErrorFacts | undefined;
      /** Megabytes that the child holds. */
      memory: number;
    }
  | { kind: "pulse"; memory: number }
  | { kind: "said"; lease: number; message: string; progress: number | undefined }
  | { kind: "log"; level: "debug" | "info" | "warn" | "error"; facts: object; sentence: string }
  | {
      kind: "call";
      id: number;
      command: CommandName;
      words: readonly (string | number)[];
      options: CallOptions;
    }
  | { kind: "subscribe"; id: number; worker: string | undefined }
  | { kind: "unsubscribe"; id: number };
