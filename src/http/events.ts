import { randomBytes } from "node:crypto";
import { EVENT_NAMES, type QlessEvent } from "../client/event-types.ts";
import type { Events } from "../client/events.ts";
import { startTimer } from "../timers.ts";

/** What the server itself tells: how far changes of many jobs have come. */
export interface ServerEvent {
  channel: "server";
  event: "bulk";
  [fact: string]: unknown;
}

export type AnyEvent = QlessEvent | ServerEvent;

/** The names of all events that a reader may be sent. */
export const KINDS: readonly AnyEvent["event"][] = [...EVENT_NAMES, "bulk"];

/** An event as it is kept for those who come a little later. */
export interface Kept {
  event: AnyEvent;
  /** As it is sent: its number is not part of it. */
  text: string;
}

/** What is kept: so many events, of so many characters in all. */
const MAX_KEPT = 10_000;
const MAX_CHARACTERS = 4_000_000;
/** After the last reader has left, how long events are kept for one who comes back. */
const LINGER_MS = 60_000;
/** Characters of a failure's message that are sent. */
const MAX_MESSAGE = 2000;

/**
 * Hears what happens once for all who follow it over HTTP, and keeps the last of it: readers have a
 * place in what is kept and nothing of their own, so that a slow one costs no memory.
 */
export class EventHub {
  readonly #source: Events;
  readonly #readers = new Set<() => void>();
  readonly #listeners = new Set<(event: AnyEvent) => void>();
  #kept: Kept[] = [];
  #characters = 0;
  /** The number of the first event that is kept; they are counted from 1. */
  #first = 1;
  #open: Promise<() => Promise<void>> | undefined;
  #linger: NodeJS.Timeout | undefined;
  /** Another one whenever events may have been missed while nobody listened. */
  #era = newEra();

  constructor(source: Events) {
    this.#source = source;
  }

  /** The number of the next event. */
  get next(): number {
    return this.#first + this.#kept.length;
  }

  get first(): number {
    return this.#first;
  }

  get readers(): number {
    return this.#readers.size;
  }

  at(number: number): Kept | undefined {
    return this.#kept[number - this.#first];
  }

  idOf(number: number): string {
    return `${this.#era}-${number}`;
  }

  /** Where to go on after the event of that id; undefined when that is not known any more. */
  after(id: string): number | undefined {
    const [, era, number] = /^(\w+)-(\d{1,15})$/.exec(id) ?? [];
    const place = Number(number) + 1;
    const isKnown = era === this.#era && place >= this.#first && place <= this.next;
    return isKnown ? place : undefined;
  }

  /** Calls the reader whenever there is more, until the answer is called. */
  async read(reader: () => void): Promise<() => void> {
    this.#readers.add(reader);
    try {
      await this.#listen();
    } catch (error) {
      this.#readers.delete(reader);
      throw error;
    }
    return () => this.#leave(() => this.#readers.delete(reader));
  }

  /** Calls the listener with each event as it comes, until the answer is called. */
  async hear(listener: (event: AnyEvent) => void): Promise<() => void> {
    this.#listeners.add(listener);
    try {
      await this.#listen();
    } catch (error) {
      this.#listeners.delete(listener);
      throw error;
    }
    return () => this.#leave(() => this.#listeners.delete(listener));
  }

  /** Tells something to all who follow. */
  say(event: AnyEvent): void {
    for (const listener of this.#listeners) listener(event);
    if (this.#open === undefined) return;
    const text = textOf(event);
    this.#kept.push({ event, text });
    this.#characters += text.length;
    while (this.#kept.length > MAX_KEPT || this.#characters > MAX_CHARACTERS) this.#dropSome();
    for (const reader of [...this.#readers]) reader();
  }

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    await this.#end();
  }

  #listen(): Promise<unknown> {
    clearTimeout(this.#linger);
    if (this.#open === undefined) {
      const opening = this.#source.on({ channel: "all" }, (event) => this.say(event));
      this.#open = opening;
      opening.catch(() => {
        if (this.#open === opening) this.#open = undefined;
      });
    }
    return this.#open;
  }

  #leave(remove: () => void): void {
    remove();
    if (this.#readers.size + this.#listeners.size > 0) return;
    clearTimeout(this.#linger);
    this.#linger = startTimer(() => void this.#end(), LINGER_MS);
    this.#linger.unref();
  }

  async #end(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#first = this.next;
    this.#kept = [];
    this.#characters = 0;
    this.#era = newEra();
    await (await open?.catch(() => undefined))?.();
  }

  /** A tenth at a time, since taking one off the front of a long list costs as much. */
  #dropSome(): void {
    const dropped = this.#kept.splice(0, Math.ceil(this.#kept.length / 10));
    for (const { text } of dropped) this.#characters -= text.length;
    this.#first += dropped.length;
  }
}

const newEra = () => randomBytes(6).toString("hex");

function textOf(event: AnyEvent): string {
  const { message } = event as { message?: string };
  const isLong = message !== undefined && message.length > MAX_MESSAGE;
  const shown = isLong ? { ...event, message: message.slice(0, MAX_MESSAGE) } : event;
  return `event: ${event.event}\ndata: ${JSON.stringify(shown)}\n\n`;
}
