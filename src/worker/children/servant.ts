import { Client } from "../../client/client.ts";
import { type Logger, withinCarrier } from "../../client/observing.ts";
import { RunningJob } from "../../client/running-job.ts";
import { milliseconds } from "../../client/times.ts";
import { startInterval } from "../../timers.ts";
import { JobContext } from "../context.ts";
import { type Entry, entryOf } from "../handlers.ts";
import { loadFiles } from "../jobs-folder.ts";
import { perform } from "../perform.ts";
import { Run } from "../run.ts";
import { DistantEngine } from "./distant-engine.ts";
import { factsOf } from "./error-facts.ts";
import { End } from "./last-hour.ts";
import { memory } from "./memory.ts";
import type { Beginning, KlassFacts, ToChild, ToParent } from "./messages.ts";

/** How often a child says that it lives, in milliseconds. */
const PULSE_MS = 500;

type Told<Kind extends ToChild["kind"]> = Extract<ToChild, { kind: Kind }>;

/** Runs what its parent tells it to run. */
export class Servant {
  readonly #send: (message: ToParent) => void;
  readonly #runs = new Map<number, Run>();
  readonly #end: End;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #engine: DistantEngine | undefined;
  #client: Client | undefined;
  #worker = "";
  #isStopping = false;

  constructor(send: (message: ToParent) => void) {
    this.#send = send;
    this.#end = new End(() => this.#abortAll());
  }

  hear(message: ToChild): void {
    if (message.kind === "begin") void this.#begin(message.beginning);
    else if (message.kind === "run") void this.#run(message);
    else if (message.kind === "abort") this.#runs.get(message.lease)?.abort(message.code);
    else if (message.kind === "stopping") this.#isStopping = true;
    else if (message.kind === "leave") process.exit(0);
    else if (message.kind === "doomed") this.#end.isDoomed = true;
    else this.#engine?.hear(message);
  }

  async #begin(beginning: Beginning): Promise<void> {
    const { files, folder, worker, client, namespace } = beginning;
    this.#end.watch(beginning);
    this.#worker = worker;
    this.#engine = new DistantEngine(namespace, this.#send);
    this.#client = new Client(this.#engine, { name: client });
    try {
      const jobs = await loadFiles(files);
      const entries = [...jobs].map(([klass, { handler, options }]) => {
        return [klass, entryOf(klass, handler, options)] as const;
      });
      this.#entries = new Map(entries);
      // Modules are loaded where the parent is: what they find by a relative path is there.
      if (this.#end.isProcess) process.chdir(folder);
      this.#send({ kind: "ready", klasses: entries.map(klassFacts), memory: memory() });
      startInterval(() => this.#send({ kind: "pulse", memory: memory() }), PULSE_MS);
    } catch (error) {
      this.#send({ kind: "unfit", error: factsOf(error) });
      // Once the message is on its way.
      setImmediate(() => process.exit(1));
    }
  }

  async #run({ popped, data, carrier }: Told<"run">): Promise<void> {
    const run = new Run(new RunningJob(this.#client!.parts.calls, this.#worker, popped));
    const { job } = run;
    if (data !== undefined) job.setData(data.value);
    this.#runs.set(run.lease, run);
    const entry = this.#entries.get(run.klass) ?? missing(run.klass);
    const among = { jobs: undefined, around: [] };
    const outcome = await withinCarrier(carrier, () =>
      perform(run, entry, this.#contextOf(run), among),
    );
    this.#runs.delete(run.lease);
    const thrown = run.thrown === undefined ? undefined : factsOf(run.thrown.error);
    this.#send({ kind: "ended", lease: run.lease, outcome, thrown, memory: memory() });
  }

  #contextOf(run: Run): JobContext {
    const { lease } = run;
    return new JobContext(run, {
      client: this.#client!,
      logOf: () => this.#log(run),
      isStopping: () => this.#isStopping,
      said: ({ message, progress }) => this.#send({ kind: "said", lease, message, progress }),
    });
  }

  /** The parent's log, as far as facts can be copied. */
  #log(run: Run): Logger {
    const { jid, klass } = run;
    const say = (level: keyof Logger) => (more: object, sentence: string) => {
      try {
        this.#send({ kind: "log", level, facts: { jid, klass, ...more }, sentence });
      } catch {
        const told = Object.keys(more).join(", ");
        const facts = { jid, klass, left: `${told}: not all of it can be copied to the parent` };
        this.#send({ kind: "log", level, facts, sentence });
      }
    };
    return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  }

  #abortAll(): void {
    for (const run of this.#runs.values()) run.abort("STOPPING");
  }
}

function klassFacts([klass, { options, backoff }]: readonly [string, Entry]): KlassFacts {
  const { retries, maxConcurrency, weight, cutoff, whenSpent } = options;
  const cutoffMs = cutoff === undefined ? undefined : milliseconds(cutoff, `cutoff of ${klass}`);
  return { klass, retries, maxConcurrency, weight, cutoffMs, whenSpent, backoff };
}

/** The files have changed since the worker was started. */
function missing(klass: string): Entry {
  return entryOf(klass, () => Promise.reject(new Error(`${klass} is no longer there`)), {});
}
