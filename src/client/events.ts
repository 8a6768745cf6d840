import type { Engine } from "../engine.ts";
import { eventsFrom, type MissedEvent, type QlessEvent } from "./event-types.ts";
import { attempt, report } from "./faults.ts";
import { checkKnown, type Known } from "./known.ts";
import type { Logger } from "./observing.ts";

/** Which events to hear; what is left out does not matter. `missed` is always heard. */
export interface EventFilter<Name extends QlessEvent["event"] = QlessEvent["event"]> {
  /** All jobs (`log`, default), tracked jobs, or what workers are told. */
  channel?: "log" | "tracked" | "worker" | "all";
  event?: Name | readonly Name[];
  queue?: string;
  jid?: string;
  /** Only what is announced to this worker. On a cluster, events of workers need it. */
  worker?: string;
}

const FILTER: Known<EventFilter> = {
  ...{ channel: true, event: true, queue: true, jid: true, worker: true },
};

/** The events that a filter lets through. */
export type Heard<Name extends QlessEvent["event"]> =
  | Extract<QlessEvent, { event: Name }>
  | MissedEvent;

/** Events that a slow reader of a stream may leave unread. */
const MAX_UNREAD = 10_000;

type Listener = (event: QlessEvent) => unknown;

/** A subscription, and those who share it. */
interface Hearing {
  listeners: Set<Listener>;
  open: Promise<() => Promise<void>>;
}

/**
 * Calls listeners with what happens. They share one subscription, and those that want the events of
 * a worker share one for that worker. A subscription is open while it has listeners.
 *
 * Events are notices: who was not there misses them. After a lost connection the subscription comes
 * back by itself, and an event `missed` says that the truth may have moved on.
 */
export class Events {
  readonly #engine: Engine;
  readonly #logger: Logger | undefined;
  /** By worker; the common one has no name. */
  readonly #hearings = new Map<string | undefined, Hearing>();

  /** @internal */
  constructor(engine: Engine, logger: Logger | undefined) {
    this.#engine = engine;
    this.#logger = logger;
  }

  /**
   * Calls the listener with each event from now on, until the returned function is called. What a
   * listener throws is reported to the client's logger, or printed on the standard error; the other
   * listeners still hear the event.
   */
  async on<Name extends QlessEvent["event"]>(
    filter: EventFilter<Name>,
    listener: (event: Heard<Name>) => unknown,
  ): Promise<() => Promise<void>> {
    checkKnown("of an event filter", filter, FILTER);
    const lets = letting(filter);
    const own = (event: QlessEvent) => {
      return lets(event) ? listener(event as Heard<Name>) : undefined;
    };
    const { worker } = filter;
    const hearing = this.#hearings.get(worker) ?? this.#begin(worker);
    hearing.listeners.add(own);
    try {
      await hearing.open;
    } catch (error) {
      hearing.listeners.delete(own);
      if (this.#hearings.get(worker) === hearing) this.#hearings.delete(worker);
      throw error;
    }
    return () => this.#off(worker, hearing, own);
  }

  /** The events from now on, one after the other, until the loop is left or the signal given. */
  async *stream<Name extends QlessEvent["event"]>(
    filter: EventFilter<Name> = {},
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<Heard<Name>, void, undefined> {
    const unread = new Unread<Heard<Name>>();
    const wake = () => unread.wake();
    const off = await this.on(filter, (event) => unread.add(event));
    signal?.addEventListener("abort", wake);
    try {
      while (!signal?.aborted) {
        const event = unread.take();
        if (event !== undefined) yield event;
        else await unread.more();
      }
    } finally {
      signal?.removeEventListener("abort", wake);
      await off();
    }
  }

  /** @internal Ends the subscription; who waits for an event waits no longer. */
  async close(): Promise<void> {
    const hearings = [...this.#hearings.values()];
    this.#hearings.clear();
    await Promise.all(hearings.map(ended));
  }

  #begin(worker: string | undefined): Hearing {
    const listeners: Hearing["listeners"] = new Set();
    const options = worker === undefined ? {} : { worker };
    const open = this.#engine.subscribe((announcement) => {
      for (const event of eventsFrom(announcement)) this.#tell(listeners, event);
    }, options);
    const hearing = { listeners, open };
    this.#hearings.set(worker, hearing);
    return hearing;
  }

  async #off(worker: string | undefined, hearing: Hearing, listener: Listener): Promise<void> {
    hearing.listeners.delete(listener);
    if (hearing.listeners.size > 0 || this.#hearings.get(worker) !== hearing) return;
    this.#hearings.delete(worker);
    await ended(hearing);
  }

  #tell(listeners: Set<Listener>, event: QlessEvent): void {
    const failed = (error: unknown) => {
      report(this.#logger, error, "A listener of the client's events threw an error");
    };
    for (const listener of [...listeners]) attempt(() => listener(event), failed);
  }
}

/** Ends a subscription; nobody hears what still comes by it. */
async function ended({ listeners, open }: Hearing): Promise<void> {
  listeners.clear();
  await (await open.catch(() => undefined))?.();
}

/** Whether an event is one that the filter asks for. */
function letting(filter: EventFilter): (event: QlessEvent) => boolean {
  const { channel = filter.worker === undefined ? "log" : "worker", event, queue, jid } = filter;
  const names = event === undefined ? undefined : [event].flat();
  return (told) => {
    if (told.event === "missed") return true;
    if (channel !== "all" && told.channel !== channel) return false;
    if (names !== undefined && !names.includes(told.event)) return false;
    if (queue !== undefined && !("queue" in told && told.queue === queue)) return false;
    if (jid !== undefined && !("jid" in told && told.jid === jid)) return false;
    return filter.worker === undefined || (told.channel === "worker" && told.to === filter.worker);
  };
}

/** Events between those who announce and one who reads, bounded: the oldest give way. */
class Unread<Event> {
  #events: (Event | MissedEvent)[] = [];
  #wake: (() => void) | undefined;

  add(event: Event): void {
    if (this.#events.length >= MAX_UNREAD) {
      this.#events = [{ channel: "client", event: "missed" }];
    }
    this.#events.push(event);
    this.wake();
  }

  take(): Event | undefined {
    return this.#events.shift() as Event | undefined;
  }

  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
