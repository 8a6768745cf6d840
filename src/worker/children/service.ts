import type { Logger } from "../../client/observing.ts";
import type { Engine } from "../../engine.ts";
import type { Child } from "./child.ts";
import { factsOf } from "./error-facts.ts";
import type { ToParent } from "./messages.ts";

type Unsubscribe = () => Promise<void>;
type Asked<Kind extends ToParent["kind"]> = Extract<ToParent, { kind: Kind }>;

/** Does what children ask of the engine, so that they need no connection and no password. */
export class Service {
  readonly #engine: Engine;
  readonly #log: Logger;
  readonly #subscriptions = new Map<Child, Map<number, Promise<Unsubscribe>>>();

  constructor(engine: Engine, log: Logger) {
    this.#engine = engine;
    this.#log = log;
  }

  hear(child: Child, message: ToParent): void {
    if (message.kind === "call") void this.#call(child, message);
    else if (message.kind === "log") this.#log[message.level](message.facts, message.sentence);
    else if (message.kind === "subscribe") void this.#subscribe(child, message);
    else if (message.kind === "unsubscribe") this.#unsubscribe(child, message.id);
  }

  unreadable(err: unknown): void {
    this.#log.error({ err }, "A message of a child cannot be read; it is ignored");
  }

  /** A child has gone: nobody is to be told of anything any more. */
  forget(child: Child): void {
    for (const id of this.#subscriptions.get(child)?.keys() ?? []) this.#unsubscribe(child, id);
    this.#subscriptions.delete(child);
  }

  async #call(child: Child, { id, command, words, options }: Asked<"call">): Promise<void> {
    try {
      child.say({ kind: "answer", id, reply: await this.#engine.call(command, words, options) });
    } catch (error) {
      child.say({ kind: "refusal", id, error: factsOf(error) });
    }
  }

  async #subscribe(child: Child, { id, worker }: Asked<"subscribe">): Promise<void> {
    const own = this.#subscriptions.get(child) ?? new Map<number, Promise<Unsubscribe>>();
    this.#subscriptions.set(child, own);
    const options = worker === undefined ? {} : { worker };
    const subscribed = this.#engine.subscribe((announcement) => {
      child.say({ kind: "heard", id, announcement });
    }, options);
    own.set(id, subscribed);
    try {
      await subscribed;
      child.say({ kind: "answer", id, reply: false });
    } catch (error) {
      own.delete(id);
      child.say({ kind: "refusal", id, error: factsOf(error) });
    }
  }

  #unsubscribe(child: Child, id: number): void {
    const own = this.#subscriptions.get(child);
    own
      ?.get(id)
      ?.then((unsubscribe) => unsubscribe())
      .catch(() => {});
    own?.delete(id);
  }
}
