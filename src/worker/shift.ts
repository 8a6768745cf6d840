import { EngineClock } from "../client/engine-clock.ts";
import type { RunningJob } from "../client/running-job.ts";
import { startTimer } from "../timers.ts";
import type { Crew } from "./crew.ts";
import { Deadline, LEAVE_MS } from "./deadline.ts";
import { type Asked, NOTHING } from "./finishing.ts";
import { Hands } from "./hands.ts";
import { type Ear, hearing } from "./hearing.ts";
import { Idling } from "./idling.ts";
import type { Choice } from "./order.ts";
import { Outage } from "./outage.ts";
import { Outbox } from "./outbox.ts";
import type { Outcome } from "./outcome.ts";
import { Quiet } from "./quiet.ts";
import type { Run } from "./run.ts";
import { Strays } from "./strays.ts";

/** Calls that may be on their way at once: while one is answered, another carries what has ended. */
const MAX_CALLS = 2;
/** How long to wait for a run to end before saying that hands are free, in milliseconds. */
const LULL_MS = 2;

/**
 * What a worker does between a start and the stop that ends it: takes jobs, never more than it has
 * hands for, has them run, and sends what became of them along with asking for the next.
 */
export class Shift {
  /** Once it was set, all that was planned by it is to be planned anew. */
  readonly clock: EngineClock;
  readonly strays: Strays;
  readonly #crew: Crew;
  readonly #choice: Choice;
  readonly #hands: Hands;
  readonly #idling: Idling;
  readonly #outage: Outage;
  readonly #outbox: Outbox;
  #calling = 0;
  /** Whether there may be something to take. */
  #isHungry = true;
  #isPaused = false;
  #isStopping = false;
  /** From here on nothing is tried again; only jobs that still arrive are given back. */
  #isEnded = false;
  /** The pump that is to come at the end of this turn. */
  #soon: NodeJS.Immediate | undefined;
  #lull: NodeJS.Timeout | undefined;
  #unsubscribe: (() => Promise<void>) | undefined;
  readonly #quiet = new Quiet();

  constructor(crew: Crew, choice: Choice) {
    this.#crew = crew;
    this.#choice = choice;
    this.#outage = new Outage(crew.log);
    this.clock = new EngineClock(crew.calls, () => this.#missed());
    this.#hands = new Hands(crew, this.clock, {
      over: (run, outcome) => this.#over(run, outcome),
      between: () => this.#pump(),
      failed: (error) => void this.#outage.failed(error),
    });
    const look = () => this.#pumpSoon();
    this.strays = new Strays(crew, this.#hands, this.clock, look);
    this.#outbox = new Outbox(crew, this.#hands, this.strays);
    this.#idling = new Idling(crew, this.clock, () => this.#come(), look, this.strays);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The jobs in hand. */
  get runs(): readonly Run[] {
    return [...this.#hands.held].sort((a, b) => a.lease - b.lease);
  }

  async begin(): Promise<void> {
    const { calls, name } = this.#crew;
    await this.clock.ask();
    this.strays.begin();
    this.#unsubscribe = await calls.engine.subscribe(hearing(this.#ear()), { worker: name });
    this.#hunger();
  }

  #ear(): Ear {
    return {
      missed: () => this.#missed(),
      lockLost: (jid, isMoved) => this.#hands.doubt(jid, isMoved),
      canceled: (jid) => this.#hands.cancel(jid),
      woken: (queue) => this.#idling.woken(queue),
      dueAt: (seconds) => this.#idling.dueAt(seconds),
    };
  }

  pause(): void {
    this.#isPaused = true;
    this.#idling.leave();
  }

  resume(): void {
    this.#isPaused = false;
    this.#hunger();
  }

  /** There are more hands than before. */
  grown(): void {
    if (this.#hands.free > 0 && !this.#idling.isListed) this.#hunger();
  }

  /** Resolves when nothing is there to take, nothing runs and nothing is unsent. */
  quiet(): Promise<void> {
    this.#hunger();
    return this.#quiet.comes();
  }

  /** Takes no more jobs; resolves when all that run have ended and are sent. */
  async finish(): Promise<void> {
    this.#isStopping = true;
    this.#hands.close();
    this.#idling.leave();
    await this.quiet();
  }

  /** Tells all that run to stop. */
  abort(): void {
    this.#hands.abort();
  }

  /** Ends everything at once. Tells which jobs still run: their outcomes will count for nothing. */
  async end(): Promise<string[]> {
    this.#isStopping = true;
    this.#isEnded = true;
    this.#hands.close();
    this.#outbox.clear();
    for (const part of [this.#outage, this.clock, this.strays, this.#idling]) part.stop();
    clearTimeout(this.#lull);
    const left = this.#hands.letGo();
    const ends = [this.#hands.beats.stop(), this.#unsubscribe?.().catch(() => {})];
    await new Deadline(LEAVE_MS).meets(Promise.all(ends));
    return left;
  }

  #hunger(): void {
    this.#isHungry = true;
    this.#pumpSoon();
  }

  /** What happens in one turn of the event loop is sent together. */
  #pumpSoon(): void {
    this.#soon ??= setImmediate(() => this.#pump());
  }

  #pump(): void {
    // One that is still to come would wake the event loop for nothing.
    if (this.#soon !== undefined) clearImmediate(this.#soon);
    this.#soon = undefined;
    // Until it is known what a lost answer has brought, no other call may bring anything.
    const most = this.strays.isInDoubt ? 1 : MAX_CALLS;
    if (this.#calling >= most || this.#outage.isResting) return;
    if (this.strays.isInDoubt) return void this.#attempt(() => this.strays.giveBack());
    const free = this.#isPaused ? 0 : this.#hands.free;
    const isAsking = free > 0 && (this.#isHungry || !this.#idling.isListed);
    if (isAsking && (this.#isHungry || this.#outbox.size > 0)) this.#call(this.#choice.next(free));
    else if (isAsking) this.#wait();
    else if (this.#outbox.size > 0) this.#call(NOTHING);
    else if (this.#hands.active === 0 && this.#calling === 0) this.#tellQuiet();
  }

  #tellQuiet(): void {
    const isTaking = !this.#isPaused && !this.#isStopping;
    if (isTaking && (this.#isHungry || !this.#idling.isListed)) return;
    if (isTaking && this.#quiet.takeDoubt()) {
      this.#idling.reset();
      this.#pumpSoon();
    } else this.#quiet.tell();
  }

  #call(asked: Asked): void {
    const { count } = asked;
    if (this.#outbox.size > 0) this.#quiet.outcomesSent();
    this.#hands.ask(count);
    this.#attempt(async () => {
      let jobs: RunningJob[] = [];
      try {
        jobs = await this.#outbox.send(asked);
      } finally {
        if (jobs.length < count) this.#isHungry = false;
        this.#hands.take(jobs, count);
      }
    });
  }

  #over(run: Run, outcome: Outcome): void {
    this.#outbox.add(run, outcome);
    // Where no other can end in this turn, waiting for its end would be in vain.
    if (this.#hands.active === 0) this.#pump();
    else this.#pumpSoon();
  }

  /** There is less to do than hands: says so to the engine, unless a run is about to end. */
  #wait(): void {
    if (this.#calling > 0 || this.#lull !== undefined) return;
    if (this.#hands.active === 0) this.#waitNow();
    else {
      this.#lull = startTimer(() => {
        this.#lull = undefined;
        this.#waitNow();
      }, LULL_MS);
    }
  }

  #waitNow(): void {
    if (this.#outbox.size > 0 || this.#isHungry || this.#isStopping) this.#pumpSoon();
    else {
      this.#attempt(async () => {
        if (await this.#idling.wait()) this.#isHungry = true;
      });
    }
  }

  /** Makes a call, counts it, and rests a while when it fails; jobs that run are not disturbed. */
  async #attempt(call: () => Promise<void>): Promise<void> {
    this.#calling += 1;
    try {
      await call();
      this.#outage.answered();
    } catch (error) {
      this.#isHungry = true;
      if (this.#isEnded) this.#outbox.clear();
      else this.#outage.restAfter(error, () => this.#pumpSoon());
    } finally {
      this.#calling -= 1;
      // With all hands at work and nothing to send, the first run that ends comes by anyway.
      if (this.#hands.active === 0 || this.#hands.free > 0 || this.#outbox.size > 0)
        this.#pumpSoon();
    }
  }

  #missed(): void {
    this.#idling.reset();
    this.#hands.beats.now();
    this.#hunger();
  }

  /** Asks for jobs at once. Without a free slot it leaves them to another worker. */
  #come(): void {
    this.#isHungry = true;
    if (this.#isPaused || this.#hands.free <= 0) this.#idling.leave();
    else this.#pump();
  }
}
