import { Invalid, QlessError } from "../../engine.ts";
import { startTimer } from "../../timers.ts";
import type { RunAborted } from "../aborting.ts";
import type { Run } from "../run.ts";
import { Crashed, Displaced, Killed, ThrownElsewhere } from "./ends.ts";
import { errorFrom } from "./error-facts.ts";
import type { Beginning, KlassFacts, ToChild, ToParent } from "./messages.ts";
import { discard, empty } from "./sandbox.ts";
import type { Service } from "./service.ts";
import type { End, Rider, Vehicle } from "./vehicle.ts";

/** A job that a child runs, and who waits for its end. */
interface Errand {
  run: Run;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a child is told of, and whom it tells. */
export interface ChildParts {
  beginning: Beginning;
  service: Service;
  patienceMs: number;
  /** Whether runs are to know when their child was last heard of. */
  isWatched: boolean;
  open(rider: Rider): Vehicle;
  ready(klasses: KlassFacts[]): void;
  /** It has room, or less of it, than before. */
  changed(): void;
  /** It has brought a job to its end. */
  jobDone(): void;
  ended(end: End): void;
}

/** A child has so long to load its modules, in milliseconds. */
const START_MS = 60_000;

/** One child, from its start to its end, with the jobs that it runs. */
export class Child implements Rider {
  readonly since = new Date();
  readonly #parts: ChildParts;
  readonly #vehicle: Vehicle;
  readonly #errands = new Map<number, Errand>();
  #isReady = false;
  #isRetiring = false;
  #isEmptying = false;
  #isGone = false;
  /** Whoever it is killed for; the others that it runs are not to blame. */
  #killedFor: Run | "stop" | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Jobs that it was given, those that it has brought to an end, and megabytes that it holds. */
  given = 0;
  done = 0;
  memory = 0;
  /** Why it could not begin. */
  unfit: Error | undefined;

  constructor(parts: ChildParts) {
    this.#parts = parts;
    this.#vehicle = parts.open(this);
    this.#timer = startTimer(() => this.#late(), START_MS);
    this.say({ kind: "begin", beginning: parts.beginning });
  }

  get pid(): number {
    return this.#vehicle.pid;
  }

  get running(): number {
    return this.#errands.size;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isRetiring && !this.#isGone;
  }

  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  /** Whether it can be given a job at this moment. */
  get isFree(): boolean {
    return this.isReady && !this.#isEmptying;
  }

  say(message: ToChild): void {
    this.#vehicle.send(message);
  }

  /** Has a job run; resolves when it has ended well. */
  run(run: Run, message: Extract<ToChild, { kind: "run" }>): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        this.say(message);
      } catch (cause) {
        reject(new Invalid("INVALID_DATA", `Its data cannot be told to a child: ${cause}`));
        return;
      }
      this.given += 1;
      this.#errands.set(run.lease, { run, resolve, reject });
      if (this.#parts.isWatched) run.heardAt = performance.now();
      run.onAbort((reason) => this.#abort(run, reason));
    });
  }

  /** Takes no more jobs, and ends when those that it has are done. */
  retire(): void {
    if (this.#isRetiring) return;
    this.#isRetiring = true;
    this.#leaveIfDone();
    this.#parts.changed();
  }

  /** Ends it now, and tells which jobs it was running. */
  stop(patienceMs: number): string[] {
    const jids = [...this.#errands.values()].map(({ run }) => run.jid);
    this.#isRetiring = true;
    if (jids.length === 0) this.#leave(patienceMs);
    else this.#doom("stop", patienceMs);
    return jids;
  }

  /** Takes a message in. One that makes no sense ends neither the child nor this process. */
  heard(message: ToParent): void {
    try {
      this.#take(message);
    } catch (error) {
      this.#parts.service.unreadable(error);
    }
  }

  #take(message: ToParent): void {
    this.#noteHeard(message);
    if (message.kind === "ready") this.#ready(message.klasses);
    else if (message.kind === "unfit") this.unfit = errorFrom(message.error);
    else if (message.kind === "ended") this.#runEnded(message);
    else if (message.kind === "said") this.#said(message);
    else this.#parts.service.hear(this, message);
  }

  ended(end: End): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.#parts.service.forget(this);
    for (const { run, reject } of this.#errands.values()) reject(this.#blame(run, end));
    this.#errands.clear();
    void discard(this.#parts.beginning.folder);
    this.#parts.ended(end);
  }

  #noteHeard(message: ToParent): void {
    if ("memory" in message) this.memory = message.memory;
    if (!this.#parts.isWatched) return;
    const now = performance.now();
    for (const { run } of this.#errands.values()) run.heardAt = now;
  }

  #ready(klasses: KlassFacts[]): void {
    clearTimeout(this.#timer);
    this.#isReady = true;
    this.#parts.ready(klasses);
  }

  #late(): void {
    this.unfit = new QlessError("LATE", `A child had not begun within ${START_MS / 1000} seconds`);
    this.#vehicle.kill();
  }

  #said({ lease, message, progress }: Extract<ToParent, { kind: "said" }>): void {
    const errand = this.#errands.get(lease);
    if (errand !== undefined) errand.run.checkin = { message, progress, at: new Date() };
  }

  #runEnded({ lease, outcome, thrown }: Extract<ToParent, { kind: "ended" }>): void {
    const errand = this.#errands.get(lease);
    if (errand === undefined) return;
    this.#errands.delete(lease);
    this.done += 1;
    this.#parts.jobDone();
    if (this.#errands.size === 0 && !this.#isRetiring) this.#empty();
    if (thrown !== undefined) errand.reject(new ThrownElsewhere(outcome, thrown));
    else {
      errand.run.outcome = outcome;
      errand.resolve();
    }
    this.#leaveIfDone();
    this.#parts.changed();
  }

  /** What a job has left lying around is not for the next one. */
  async #empty(): Promise<void> {
    this.#isEmptying = true;
    try {
      await empty(this.#parts.beginning.folder);
    } catch {
      this.retire();
    }
    this.#isEmptying = false;
    this.#parts.changed();
  }

  /** First the signal; who does not heed it is asked to end, and then ended. */
  #abort(run: Run, { code }: RunAborted): void {
    const { lease } = run;
    if (!this.#errands.has(lease)) return;
    this.say({ kind: "abort", lease, code });
    // A worker that stops has a patience of its own.
    if (code === "STOPPING") return;
    startTimer(() => {
      if (this.#errands.has(lease)) this.#doom(run, this.#parts.patienceMs);
    }, this.#parts.patienceMs).unref();
  }

  #doom(blamed: Run | "stop", patienceMs: number): void {
    if (this.#isGone || this.#killedFor !== undefined) return;
    this.#killedFor = blamed;
    this.#isRetiring = true;
    this.#parts.changed();
    this.say({ kind: "doomed" });
    this.#vehicle.terminate();
    this.#killIn(patienceMs);
  }

  #leaveIfDone(): void {
    if (this.#isRetiring && this.#errands.size === 0) this.#leave(this.#parts.patienceMs);
  }

  #leave(patienceMs: number): void {
    if (this.#isGone || this.#killedFor !== undefined) return;
    if (!this.#isReady) this.#vehicle.kill();
    this.say({ kind: "leave" });
    this.#killIn(patienceMs);
  }

  #killIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => this.#vehicle.kill(), ms);
  }

  #blame(run: Run, end: End): Error {
    if (this.#killedFor === run && run.aborted !== undefined) return new Killed(run.aborted);
    if (this.#killedFor !== undefined) return new Displaced();
    return new Crashed(end);
  }
}
