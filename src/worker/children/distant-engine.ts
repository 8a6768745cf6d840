import type { Announcement, CallOptions, CommandName, Engine, Reply } from "../../engine.ts";
import { errorFrom } from "./error-facts.ts";
import type { ToChild, ToParent } from "./messages.ts";

interface Pending {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** The parent's engine, as its child sees it: each call is a question to the parent. */
export class DistantEngine implements Engine {
  readonly namespace: string;
  readonly #ask: (message: ToParent) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<number, (announcement: Announcement) => void>();
  #count = 0;

  constructor(namespace: string, ask: (message: ToParent) => void) {
    this.namespace = namespace;
    this.#ask = ask;
  }

  call(
    command: CommandName,
    words: readonly (string | number)[],
    options: CallOptions = {},
  ): Promise<Reply> {
    return this.#answered((id) => ({ kind: "call", id, command, words, options }));
  }

  async subscribe(
    listener: (announcement: Announcement) => void,
    { worker }: { worker?: string } = {},
  ): Promise<() => Promise<void>> {
    let own = 0;
    const answered = this.#answered((id) => {
      own = id;
      this.#listeners.set(id, listener);
      return { kind: "subscribe", id, worker };
    });
    const end = () => {
      if (this.#listeners.delete(own)) this.#ask({ kind: "unsubscribe", id: own });
    };
    try {
      await answered;
    } catch (error) {
      end();
      throw error;
    }
    return async () => end();
  }

  /** The parent closes what it has opened. */
  async close(): Promise<void> {}

  hear(message: ToChild): void {
    if (message.kind === "heard") this.#listeners.get(message.id)?.(message.announcement);
    else if (message.kind === "answer") this.#settle(message.id)?.resolve(message.reply);
    else if (message.kind === "refusal") this.#settle(message.id)?.reject(errorFrom(message.error));
  }

  #answered(question: (id: number) => ToParent): Promise<Reply> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      try {
        this.#ask(question(id));
      } catch (error) {
        this.#pending.delete(id);
        reject(error);
      }
    });
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
