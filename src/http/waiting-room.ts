import type { Client } from "../client/client.ts";
import type { EngineClock } from "../client/engine-clock.ts";
import { eventsFrom } from "../client/event-types.ts";
import type { RunningJob } from "../client/running-job.ts";
import type { Announcement } from "../engine.ts";
import { startTimer } from "../timers.ts";
import { HttpError } from "./errors.ts";
import { Poll } from "./poll.ts";

/** Requests that may wait at a time. */
const MAX_POLLS = 1000;
/** How long the server is listed as one who waits, and when it says so again, in milliseconds. */
const LISTED_MS = 20_000;
const LOOK_MS = 5000;
/** After the last request for a queue has gone, how long the server stays listed there. */
const LEAVE_MS = 1000;

/** What a request takes jobs by; it may be called several times. */
export type Take = () => Promise<RunningJob[]>;

/**
 * Where requests wait for jobs. To the engine the whole server is one worker that waits: when it is
 * woken for a queue, the request that has waited there for longest is the one to take, and then the
 * next, as long as there is something.
 */
export class WaitingRoom {
  readonly #client: Client;
  readonly #clock: EngineClock;
  readonly #name: string;
  /** In the order in which they came. */
  readonly #polls = new Set<Poll>();
  /** Queues in which the server is listed, and until when. */
  readonly #listed = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #hearing: Promise<() => Promise<void>> | undefined;
  #isClosed = false;

  constructor(client: Client, clock: EngineClock) {
    this.#client = client;
    this.#clock = clock;
    this.#name = `${client.name}-http`;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** Takes jobs at once or as soon as there are any, within the time; none when that is over. */
  async take(
    queues: readonly string[],
    ms: number,
    signal: AbortSignal,
    take: Take,
  ): Promise<RunningJob[]> {
    if (ms <= 0 || this.#isClosed) return take();
    if (this.#polls.size >= MAX_POLLS) {
      const message = `${MAX_POLLS} requests wait already; ask without waiting, or later`;
      throw new HttpError(503, "TOO_MANY_WAIT", message, 1);
    }
    const poll = new Poll(queues, ms, signal);
    this.#polls.add(poll);
    try {
      await this.#hear();
      return await this.#taken(poll, take);
    } finally {
      poll.close();
      this.#polls.delete(poll);
      this.#left(poll);
    }
  }

  /** Answers all who wait: there is nothing for them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const poll of this.#polls) poll.end();
    for (const timer of this.#timers) clearTimeout(timer);
    const queues = [...this.#listed.keys()];
    this.#listed.clear();
    if (queues.length > 0) await this.#say(0, queues).catch(() => undefined);
    await (await this.#hearing?.catch(() => undefined))?.();
  }

  async #taken(poll: Poll, take: Take): Promise<RunningJob[]> {
    for (;;) {
      const wasRung = poll.begin();
      const jobs = await take();
      if (jobs.length > 0 || poll.isOver) return jobs;
      await this.#list(poll.queues);
      // Somebody else was faster, or may not run more; a while longer each time it comes to nothing.
      await poll.rung(LOOK_MS, wasRung);
      if (poll.isUnwanted || (poll.isOver && !poll.isRung)) return [];
    }
  }

  /** Has the server told of what comes into these queues, where it is not yet. */
  async #list(queues: readonly string[]): Promise<void> {
    const now = performance.now();
    const unlisted = queues.filter((queue) => (this.#listed.get(queue) ?? 0) < now + LOOK_MS);
    if (unlisted.length === 0) return;
    for (const queue of unlisted) this.#listed.set(queue, now + LISTED_MS);
    const { ready, next } = await this.#say(LISTED_MS / 1000, unlisted);
    if (ready) {
      this.#unlist(unlisted);
      this.#ringFirst(unlisted);
    } else if (next !== null) {
      this.#at(next * 1000 - (await this.#clock.now()), () => this.#due(unlisted));
    }
  }

  async #say(
    seconds: number,
    queues: readonly string[],
  ): Promise<{ ready: boolean; next: number | null }> {
    const words = [this.#name, seconds, ...queues];
    try {
      return JSON.parse((await this.#client.parts.calls.attempt("wait", words)) as string);
    } catch (error) {
      this.#unlist(queues);
      throw error;
    }
  }

  #unlist(queues: readonly string[]): void {
    for (const queue of queues) this.#listed.delete(queue);
  }

  /** Rings the first who waits in one of these queues and was not rung; tells whether there is one. */
  #ringFirst(queues: readonly string[]): boolean {
    for (const poll of this.#polls) {
      if (poll.isRung || !poll.queues.some((queue) => queues.includes(queue))) continue;
      poll.ring();
      return true;
    }
    return false;
  }

  /** Something should be due; who comes a moment too early asks again when it will be. */
  #due(queues: readonly string[]): void {
    this.#unlist(queues);
    this.#ringFirst(queues);
  }

  /** One has gone: the next may have what it left, and where nobody waits others should be told. */
  #left({ queues }: Poll): void {
    if (this.#isClosed) return;
    const waits = (queue: string) => [...this.#polls].some((poll) => poll.queues.includes(queue));
    const wanted = queues.filter((queue) => waits(queue) && !this.#listed.has(queue));
    if (wanted.length > 0) this.#list(wanted).catch(() => undefined);
    if (queues.every(waits)) return;
    this.#at(LEAVE_MS, () => {
      const idle = queues.filter((queue) => this.#listed.has(queue) && !waits(queue));
      this.#unlist(idle);
      if (idle.length > 0) this.#say(0, idle).catch(() => undefined);
    });
  }

  #at(ms: number, work: () => void): void {
    if (this.#isClosed || ms > LISTED_MS) return;
    const timer = startTimer(() => {
      this.#timers.delete(timer);
      work();
    }, Math.max(ms, 0) + 1);
    this.#timers.add(timer);
  }

  #hear(): Promise<unknown> {
    if (this.#hearing === undefined) {
      const hearing = this.#client.engine.subscribe((told) => this.#heard(told), {
        worker: this.#name,
      });
      this.#hearing = hearing;
      hearing.catch(() => {
        this.#hearing = undefined;
      });
    }
    return this.#hearing;
  }

  #heard(announcement: Announcement): void {
    for (const event of eventsFrom(announcement)) {
      if (event.event === "missed") {
        this.#listed.clear();
        for (const poll of this.#polls) poll.ring();
      } else if (event.event === "wake") this.#woken(event.queue, event.at);
    }
  }

  #woken(queue: string, at: number | undefined): void {
    if (at !== undefined) {
      void this.#clock
        .now()
        .then((now) => this.#at(at * 1000 - now, () => this.#due([queue])))
        .catch(() => undefined);
      return;
    }
    this.#listed.delete(queue);
    if (this.#ringFirst([queue])) return;
    // Nobody is here for it: another worker is told.
    this.#say(0, [queue]).catch(() => undefined);
  }
}
