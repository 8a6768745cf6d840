import type { ServerResponse } from "node:http";
import { startInterval, startTimer } from "../timers.ts";
import type { AnyEvent, EventHub } from "./events.ts";

/** Which events a reader wants; what is left out does not matter. */
export interface StreamFilter {
  channel?: "log" | "tracked" | "worker" | "server" | "all";
  kind?: readonly string[];
  queue?: string;
  jid?: string;
  worker?: string;
}

/** Between two signs of life on a quiet stream, in milliseconds: less than proxies have patience. */
const BEAT_MS = 15_000;
/** How long a reader may take nothing at all. */
const STUCK_MS = 60_000;
/** How soon a reader that was cut off should come back, in milliseconds. */
const AGAIN_MS = 2000;

/**
 * One reader of events. It is sent no more than it takes: while its connection is full it keeps its
 * place, and if what is kept moves on past that, it is told that it missed some.
 */
export class Stream {
  readonly #hub: EventHub;
  readonly #to: ServerResponse;
  readonly #lets: (event: AnyEvent) => boolean;
  #place: number;
  #isFull = false;
  #beat: NodeJS.Timeout | undefined;
  #stuck: NodeJS.Timeout | undefined;
  #leave: (() => void) | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(hub: EventHub, to: ServerResponse, filter: StreamFilter) {
    this.#hub = hub;
    this.#to = to;
    this.#lets = letting(filter);
    this.#place = hub.next;
  }

  /**
   * Sends events from now on, or from the one after `lastId` if it is known still. `begin` is called
   * just before the first byte: what goes wrong sooner can be answered in another way.
   */
  async start(
    lastId: string | undefined,
    headers: Readonly<Record<string, string>>,
    begin: () => void,
  ): Promise<void> {
    this.#leave = await this.#hub.read(() => this.#pump());
    if (this.#isOver) {
      this.#leave();
      return;
    }
    const place = lastId === undefined ? this.#hub.next : this.#hub.after(lastId);
    this.#place = place ?? this.#hub.next;
    begin();
    this.#hasBegun = true;
    this.#to.writeHead(200, headers);
    this.#to.on("drain", () => this.#drained());
    this.#beat = startInterval(() => this.#write(":\n\n"), BEAT_MS);
    this.#write(`retry: ${AGAIN_MS}\nid: ${this.#hub.idOf(this.#place - 1)}\n\n`);
    if (place === undefined) this.#write(MISSED);
    this.#pump();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    clearTimeout(this.#stuck);
    this.#leave?.();
    // Before that, the answer may still become another one.
    if (this.#hasBegun) this.#to.end();
  }

  #pump(): void {
    if (this.#place < this.#hub.first) {
      if (this.#isFull) return;
      this.#place = this.#hub.first;
      this.#write(MISSED);
    }
    while (!this.#isFull && !this.#isOver) {
      const kept = this.#hub.at(this.#place);
      if (kept === undefined) return;
      const id = this.#hub.idOf(this.#place);
      this.#place += 1;
      if (this.#lets(kept.event)) this.#write(`id: ${id}\n${kept.text}`);
    }
  }

  #write(text: string): void {
    if (this.#isFull || this.#isOver) return;
    if (this.#to.write(text)) return;
    this.#isFull = true;
    this.#stuck = startTimer(() => {
      this.end();
      this.#to.destroy();
    }, STUCK_MS);
  }

  #drained(): void {
    this.#isFull = false;
    clearTimeout(this.#stuck);
    this.#pump();
  }
}

const MISSED = 'event: missed\ndata: {"channel":"client","event":"missed"}\n\n';

function letting(filter: StreamFilter): (event: AnyEvent) => boolean {
  const { channel = "log", kind, queue, jid, worker } = filter;
  return (event) => {
    if (event.event === "missed") return true;
    const told = event as { channel: string; queue?: unknown; jid?: unknown; worker?: unknown };
    const isOfServer = told.channel === "server" && channel === "log";
    if (channel !== "all" && told.channel !== channel && !isOfServer) return false;
    if (kind !== undefined && !kind.includes(event.event)) return false;
    if (queue !== undefined && told.queue !== queue) return false;
    if (jid !== undefined && told.jid !== jid) return false;
    return worker === undefined || told.worker === worker;
  };
}
