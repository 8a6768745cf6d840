import type { Redis } from "ioredis";
import { type Announcement, MISSED, Unreachable } from "../engine.ts";
import { startInterval, startTimer } from "../timers.ts";
import { ALL, Channels } from "./channels.ts";
import { type Client, placeOf, subscriberFrom } from "./client.ts";
import { hangUp, isElsewhere, isMoved, refresh } from "./links.ts";
import { NO_TROUBLE, troubleFrom, unreachable } from "./trouble.ts";

/** What hears of announcements; it must not take long, for the next ones wait. */
export type Listener = (announcement: Announcement) => void;

const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 1000;

/** Someone who waits for the subscription to be live. */
interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Hears the events of a namespace for all listeners, on one connection that is open while there are
 * any.
 *
 * A connection that breaks is replaced by another, in a cluster perhaps to another node. One
 * that only seems open would be silent for ever, as a quiet one is, so it is asked for a sign of life.
 * Events announced in between are lost: they are notices, and the truth is in the commands.
 */
export class Subscription {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  /** Each listener with the channel it hears. */
  readonly #listeners = new Map<Listener, string>();
  #channels: Channels | undefined;
  readonly #waiters = new Set<Waiter>();
  #link: Redis | undefined;
  #live = false;
  /** Whether a connection was lost while somebody listened. */
  #interrupted = false;
  #closed = false;
  #answered = true;
  #failures = 0;
  #trouble = NO_TROUBLE;
  #pause: NodeJS.Timeout | undefined;
  #pulse: NodeJS.Timeout | undefined;

  constructor(client: Client, namespace: string, timeoutMs: number) {
    this.#client = client;
    this.#namespace = namespace;
    this.#prefix = `${namespace}:`;
    this.#timeoutMs = timeoutMs;
  }

  /** Adds a listener to a channel, once it is certain to hear what is announced from now on. */
  async add(listener: Listener, channel: string): Promise<() => Promise<void>> {
    if (this.#closed) throw closedError();
    // A listener may be added twice and removed once: each addition is a listener of its own.
    const own: Listener = (announcement) => listener(announcement);
    this.#listeners.set(own, channel);
    try {
      do await this.#whenLive();
      while (!(await this.#hearing(channel)));
    } catch (error) {
      this.#remove(own);
      throw error;
    }
    return async () => this.#remove(own);
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#fail(closedError());
    this.#stop();
  }

  #remove(listener: Listener): void {
    const channel = this.#listeners.get(listener);
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#stop();
    else if (channel !== undefined && !this.#isWanted(channel)) this.#channels?.leave(channel);
  }

  /** Hears a channel on the present connection; what goes wrong there ends it, and the next will. */
  async #hearing(channel: string): Promise<boolean> {
    const link = this.#link;
    if (link === undefined) return false;
    try {
      await this.#channels?.join(channel);
      return link === this.#link;
    } catch (error) {
      // Of a channel that belongs to another node, the next connection knows which.
      if (!isMoved(error)) this.#note(link, error as Error);
      hangUp(link);
      return false;
    }
  }

  #isWanted(channel: string): boolean {
    return [...this.#listeners.values()].includes(channel);
  }

  #whenLive(): Promise<void> {
    if (this.#live) return Promise.resolve();
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const deadline = startTimer(() => waiter.reject(this.#downError()), this.#timeoutMs);
      const settled = (settle: () => void) => {
        clearTimeout(deadline);
        this.#waiters.delete(waiter);
        settle();
      };
      const waiter: Waiter = {
        resolve: () => settled(resolve),
        reject: (error) => settled(() => reject(error)),
      };
      this.#waiters.add(waiter);
      if (this.#link === undefined && this.#pause === undefined) this.#dial();
    });
  }

  #dial(): void {
    this.#pause = undefined;
    this.#link = subscriberFrom(this.#client, this.#namespace);
    if (this.#link === undefined) this.#dialLater();
    else this.#open(this.#link);
  }

  #open(link: Redis): void {
    this.#channels = new Channels(link, this.#prefix);
    link.on("error", (error: Error) => this.#note(link, error));
    link.on("pmessage", (_pattern, channel, message) => this.#hear(link, ALL, channel, message));
    link.on("message", (channel, message) => {
      this.#hear(link, channel.slice(this.#prefix.length), channel, message);
    });
    link.on("smessage", (channel: string, message: string) => {
      const name = channel.slice(this.#prefix.length);
      this.#hear(link, name.startsWith("w:") ? name : ALL, channel, message);
    });
    // Its slot has moved, or its node follows another now.
    link.on("moved", () => hangUp(link));
    link.once("ready", () => this.#subscribe(link));
    link.once("end", () => this.#lost(link));
    this.#answered = false;
    this.#pulse = startInterval(() => this.#feelPulse(link), this.#timeoutMs);
    link.connect().catch(() => {});
  }

  async #subscribe(link: Redis): Promise<void> {
    if (link !== this.#link) return;
    const wanted = new Set(this.#listeners.values());
    await Promise.all([...wanted].map((channel) => this.#hearing(channel)));
    if (link.status === "ready") this.#begin(link);
  }

  #begin(link: Redis): void {
    if (link !== this.#link) return;
    this.#live = true;
    this.#answered = true;
    this.#failures = 0;
    this.#trouble = NO_TROUBLE;
    if (this.#interrupted) this.#tell({ channel: MISSED, message: "" });
    this.#interrupted = false;
    for (const waiter of [...this.#waiters]) waiter.resolve();
  }

  #feelPulse(link: Redis): void {
    if (!this.#answered || isElsewhere(this.#client, this.#namespace, link)) {
      hangUp(link);
      return;
    }
    refresh(this.#client);
    this.#answered = false;
    const answer = () => {
      this.#answered = true;
    };
    // Where the connection breaks, that is noticed by its end.
    link.ping().then(answer, () => {});
  }

  #hear(link: Redis, heard: string, channel: string, message: string): void {
    if (link !== this.#link) return;
    this.#tell({ channel: channel.slice(this.#prefix.length), message }, heard);
  }

  /** Tells all who hear that channel, or all there are. */
  #tell(announcement: Announcement, heard?: string): void {
    for (const [listener, channel] of [...this.#listeners]) {
      if (heard !== undefined && heard !== channel) continue;
      try {
        listener(announcement);
      } catch (error) {
        // The fault is the listener's, and its owner's to hear of; the others hear the event.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #note(link: Redis, error: Error): void {
    if (link !== this.#link) return;
    this.#trouble = troubleFrom(this.#client, error, placeOf(link));
    if (this.#trouble.known?.lasting === true) this.#fail(this.#downError());
  }

  #lost(link: Redis): void {
    if (link !== this.#link) return;
    this.#interrupted ||= this.#live;
    this.#rest();
    if (this.#listeners.size > 0) this.#dialLater();
  }

  #dialLater(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LAST_PAUSE_MS);
    refresh(this.#client);
    this.#pause = startTimer(() => this.#dial(), pauseMs);
  }

  #fail(error: Error): void {
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }

  #rest(): void {
    this.#link = undefined;
    this.#live = false;
    clearInterval(this.#pulse);
  }

  #stop(): void {
    const link = this.#link;
    this.#rest();
    this.#interrupted = false;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (link !== undefined) hangUp(link);
  }

  #downError(): Unreachable {
    const what = `No events from Redis at ${placeOf(this.#client)} within ${this.#timeoutMs} ms`;
    return unreachable(this.#client, this.#trouble, what);
  }
}

function closedError(): Unreachable {
  return new Unreachable("CLOSED", "The engine is closed");
}
