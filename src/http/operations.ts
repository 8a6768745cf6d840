import { randomBytes } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import type { Logger } from "../client/observing.ts";
import { startTimer } from "../timers.ts";
import { HttpError, toldOf } from "./errors.ts";
import type { EventHub } from "./events.ts";
import { Reasoned } from "./shapes.ts";

/** What takes longer than a request should, and how far it has come. */
export const OperationShape = Type.Object(
  {
    id: Type.String(),
    action: Type.String(),
    by: Type.String(),
    state: Type.Union(["running", "done", "failed", "stopped"].map((word) => Type.Literal(word))),
    begun: Type.Number({ description: "seconds since 1970, by the server's clock" }),
    ended: Type.Union([Type.Number(), Type.Null()]),
    found: Type.Integer({ description: "jobs that were found, or keys that were looked at" }),
    done: Type.Integer(),
    refused: Type.Integer(),
    errors: Type.Array(
      Type.Object({ jid: Type.String(), code: Type.String(), message: Type.String() }),
      { description: "the first hundred that were refused, and why" },
    ),
    findings: Type.Array(Type.Object({ about: Type.String(), problem: Type.String() })),
    error: Type.Union([Reasoned, Type.Null()]),
  },
  { $id: "Operation", description: "a change of many jobs, or a check" },
);
export type Operation = Static<typeof OperationShape> & { state: string };

/** What may run at a time, and what is remembered of what has run. */
const MAX_RUNNING = 4;
const MAX_KEPT = 100;
/** Between two words about one operation to those who follow events, in milliseconds. */
const TOLD_MS = 200;

interface Entry {
  shown: Operation;
  stop: AbortController;
  ended: Promise<void>;
}

/** How an operation tells how far it has come. */
export type Progress = (facts: Partial<Operation>) => void;

/** Changes of many jobs that go on after the request that began them was answered. */
export class Operations {
  readonly #entries = new Map<string, Entry>();
  readonly #hub: EventHub;
  readonly #logger: Logger | undefined;
  #isClosed = false;

  constructor(hub: EventHub, logger: Logger | undefined) {
    this.#hub = hub;
    this.#logger = logger;
  }

  list(): Operation[] {
    return [...this.#entries.values()].map(({ shown }) => shown).reverse();
  }

  get(id: string): Operation {
    return this.#entry(id).shown;
  }

  /** Ends it before its time: what is done stays done. */
  async stop(id: string): Promise<Operation> {
    const entry = this.#entry(id);
    entry.stop.abort(new HttpError(409, "STOPPED", "It was stopped"));
    await entry.ended;
    return entry.shown;
  }

  /** Begins an operation, or tells of the one of that id. */
  begin(
    { id = randomBytes(9).toString("base64url"), action, by }: Beginning,
    work: (signal: AbortSignal, progress: Progress) => Promise<void>,
  ): Operation {
    const known = this.#entries.get(id);
    if (known !== undefined) return known.shown;
    this.#makeRoom();
    const shown: Operation = { ...EMPTY, id, action, by, begun: Date.now() / 1000 };
    const stop = new AbortController();
    const entry: Entry = { shown, stop, ended: this.#run(shown, stop.signal, work) };
    this.#entries.set(id, entry);
    return shown;
  }

  /** Resolves when it has ended, or the time is over. */
  async settled(id: string, ms: number, signal: AbortSignal): Promise<Operation> {
    const { ended, shown } = this.#entry(id);
    if (ms > 0) await Promise.race([ended, pause(ms, signal)]);
    return shown;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#entries.values()) {
      stop.abort(new HttpError(503, "STOPPING", "The server was stopped before it had ended"));
    }
    await Promise.all([...this.#entries.values()].map(({ ended }) => ended));
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    throw new HttpError(404, "NO_SUCH_OPERATION", "There is no such operation, or not any more");
  }

  #makeRoom(): void {
    const running = [...this.#entries.values()].filter(({ shown }) => shown.state === "running");
    if (this.#isClosed || running.length >= MAX_RUNNING) {
      const message = `${running.length} operations run already; wait until one has ended`;
      throw new HttpError(503, "TOO_MANY_OPERATIONS", message, 5);
    }
    for (const [id, { shown }] of this.#entries) {
      if (this.#entries.size < MAX_KEPT) return;
      if (shown.state !== "running") this.#entries.delete(id);
    }
  }

  async #run(
    shown: Operation,
    signal: AbortSignal,
    work: (signal: AbortSignal, progress: Progress) => Promise<void>,
  ): Promise<void> {
    let toldAt = 0;
    const progress: Progress = (facts) => {
      Object.assign(shown, facts);
      if (performance.now() - toldAt < TOLD_MS) return;
      toldAt = performance.now();
      this.#tell(shown);
    };
    try {
      // Not before it was answered for: whoever asks should find it.
      await Promise.resolve();
      await work(signal, progress);
      shown.state = "done";
    } catch (error) {
      this.#failed(shown, signal, error);
    }
    shown.ended = Date.now() / 1000;
    this.#tell(shown);
  }

  #failed(shown: Operation, signal: AbortSignal, error: unknown): void {
    const { code, message, isOurs } = toldOf(error);
    if (isOurs) this.#logger?.error({ err: error, id: shown.id }, "An operation broke down");
    shown.state = signal.aborted ? "stopped" : "failed";
    shown.error = { code, message };
  }

  #tell({ id, action, by, state, found, done, refused }: Operation): void {
    this.#hub.say({
      channel: "server",
      event: "bulk",
      id,
      action,
      by,
      state,
      found,
      done,
      refused,
    });
  }
}

interface Beginning {
  id?: string | undefined;
  action: string;
  by: string;
}

const EMPTY = {
  state: "running",
  ended: null,
  found: 0,
  done: 0,
  refused: 0,
  errors: [],
  findings: [],
  error: null,
};

/** Resolves after so long, or when the signal is given. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = startTimer(resolve, ms);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
