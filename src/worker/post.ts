import type { Calls } from "../client/calls.ts";
import { type Logger, observedRun } from "../client/observing.ts";
import type { Registry } from "../client/registry.ts";
import { DAMAGED } from "../client/running-job.ts";
import { type Duration, milliseconds } from "../client/times.ts";
import { startTimer } from "../timers.ts";
import { JobContext, type Surroundings } from "./context.ts";
import type { Crew } from "./crew.ts";
import type { Entry, Middleware } from "./handlers.ts";
import { Listeners } from "./listeners.ts";
import type { Settled } from "./options.ts";
import { failed, type Outcome, retried } from "./outcome.ts";
import { perform } from "./perform.ts";
import type { Run } from "./run.ts";
import type { Worker } from "./worker.ts";

/** How long a job rests that nobody here can run, in milliseconds: others may have it meanwhile. */
const UNHANDLED_MS = 5000;

/** Klasses without a handler that are remembered: whoever may put jobs may make up any number. */
const MAX_UNHANDLED = 100;

interface Posted<Jobs extends Registry, More extends object> {
  worker: Worker<Jobs, More>;
  settled: Settled<Jobs, More>;
  entries: ReadonlyMap<string, Entry>;
  around: readonly Middleware[];
  isStopping(): boolean;
  capacity(): number;
}

/** Where jobs meet their handlers, and what they came to is told. */
export class Post<Jobs extends Registry, More extends object> implements Crew {
  readonly calls: Calls;
  readonly name: string;
  readonly queues: readonly string[];
  readonly log: Logger;
  readonly #posted: Posted<Jobs, More>;
  readonly #listeners: Listeners;
  /** The same for the contexts of all runs. */
  readonly #surroundings: Surroundings<Jobs>;
  readonly #jobs: Registry | undefined;
  /** Klasses that no handler was found for. */
  readonly #unhandled = new Set<string>();

  constructor(posted: Posted<Jobs, More>) {
    const { worker, settled } = posted;
    const { calls, jobs } = worker.client.parts;
    this.#posted = posted;
    this.#jobs = jobs;
    this.calls = calls;
    this.name = worker.name;
    this.queues = settled.queues;
    this.log = settled.log;
    this.#listeners = new Listeners(worker, settled.logger ?? worker.client.parts.logger);
    this.#surroundings = {
      client: worker.client,
      logOf: ({ jid, klass }) => named(this.log, { jid, klass }),
      isStopping: posted.isStopping,
    };
  }

  /** How many jobs can be in hand at this moment. */
  get capacity(): number {
    return this.#posted.capacity();
  }

  /** Klasses that came and that there is no handler for. */
  get unhandled(): readonly string[] {
    return [...this.#unhandled];
  }

  perform(run: Run): Promise<Outcome> {
    if (run.job.damage !== undefined) return this.#damaged(run, run.job.damage);
    const entry = this.#posted.entries.get(run.klass);
    if (entry === undefined) return this.#giveBack(run.klass);
    const { cutoff } = entry.options;
    return cutoff === undefined ? this.#run(run, entry) : this.#runWithin(run, entry, cutoff);
  }

  async #runWithin(run: Run, entry: Entry, cutoff: Duration): Promise<Outcome> {
    const timer = cutoffTimer(run, cutoff);
    try {
      return await this.#run(run, entry);
    } finally {
      clearTimeout(timer);
    }
  }

  #run(run: Run, entry: Entry): Promise<Outcome> {
    const context = new JobContext(run, this.#surroundings) as unknown as JobContext;
    const among = { jobs: this.#jobs, around: this.#around() };
    return observedRun(run.job, () => perform(run, entry, context, among));
  }

  /** What the worker's own factory makes comes before all middleware. */
  #around(): readonly Middleware[] {
    const { settled, around } = this.#posted;
    const make = settled.context;
    if (make === undefined) return around;
    const first: Middleware = async (context, next) => next(await make(context.job as never));
    return [first, ...around];
  }

  async #damaged({ jid, klass }: Run, damage: string): Promise<Outcome> {
    this.log.error({ jid, klass }, damage);
    return failed(DAMAGED, damage);
  }

  async #giveBack(klass: string): Promise<Outcome> {
    if (!this.#unhandled.has(klass) && this.#unhandled.size < MAX_UNHANDLED) {
      this.#unhandled.add(klass);
      const known = [...this.#posted.entries.keys()].join(", ");
      const what = `No handler for klass ${JSON.stringify(klass)}: its jobs are given back`;
      this.log.warn({ klass, known }, `${what}; this worker handles ${known}`);
      this.#listeners.tell("unhandled", klass);
    }
    return retried({ delay: UNHANDLED_MS, spend: false });
  }

  ended(run: Run, { verb }: Outcome, answer: string): void {
    const { job } = run;
    if (verb === "complete") this.#listeners.tell("completed", job, answer);
    else if (verb === "retry" && Number(answer) >= 0) {
      this.#listeners.tell("retried", job, Number(answer));
    } else this.#failed(run);
  }

  /** Jobs that have no retry left are kept, or thrown away where their klass says so. */
  #failed({ job, jid, klass }: Run): void {
    this.#listeners.tell("failed", job);
    const { whenSpent } = this.#posted.entries.get(klass)?.options ?? {};
    if (whenSpent !== "discard") return;
    this.calls.write("cancel", [jid]).catch((err) => {
      this.log.warn({ err, jid }, "A spent job could not be discarded");
    });
  }

  lost({ job, jid, klass, aborted }: Run): void {
    this.log.warn({ jid, klass, code: aborted?.code }, aborted?.message ?? "A lock was lost");
    this.#listeners.tell("lost", job);
  }

  /** Calls the listeners that are still to be called. */
  flush(): void {
    this.#listeners.flush();
  }
}

function cutoffTimer(run: Run, cutoff: Duration): NodeJS.Timeout {
  return startTimer(() => run.abort("CUTOFF"), milliseconds(cutoff, "cutoff"));
}

/** A logger whose every line has these facts. */
function named(log: Logger, facts: object): Logger {
  return {
    debug: (more, sentence) => log.debug({ ...facts, ...more }, sentence),
    info: (more, sentence) => log.info({ ...facts, ...more }, sentence),
    warn: (more, sentence) => log.warn({ ...facts, ...more }, sentence),
    error: (more, sentence) => log.error({ ...facts, ...more }, sentence),
  };
}
