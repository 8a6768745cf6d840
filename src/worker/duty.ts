import { fileURLToPath } from "node:url";
import type { Registry } from "../client/registry.ts";
import { invalid } from "../client/times.ts";
import { Pool } from "./children/pool.ts";
import { Deadline, LEAVE_MS } from "./deadline.ts";
import { type Entry, entryFrom, type Middleware } from "./handlers.ts";
import { jobFiles } from "./job-files.ts";
import type { Settled } from "./options.ts";
import { choiceOf } from "./order.ts";
import { Post } from "./post.ts";
import { Presence } from "./presence.ts";
import type { StopReport } from "./reports.ts";
import { Shift } from "./shift.ts";
import { Upkeep } from "./upkeep.ts";
import type { Worker } from "./worker.ts";

/** How long handlers are given to notice that they are to stop, in milliseconds. */
const ABORT_MS = 500;

/** Whose duty it is, and what it is to do. */
export interface DutyParts<Jobs extends Registry, More extends object> {
  worker: Worker<Jobs, More>;
  settled: Settled<Jobs, More>;
  /** What runs jobs here; children bring their own. */
  entries: Map<string, Entry>;
  around: readonly Middleware[];
}

/** All that is at work between a worker's start and its stop. */
export class Duty<Jobs extends Registry, More extends object> {
  readonly #parts: DutyParts<Jobs, More>;
  readonly #post: Post<Jobs, More>;
  readonly #shift: Shift;
  readonly #upkeep: Upkeep<Jobs>;
  readonly #presence: Presence;
  #pool: Pool | undefined;

  constructor(parts: DutyParts<Jobs, More>) {
    const { worker, settled } = parts;
    const { queues, order, weights, log } = settled;
    this.#parts = parts;
    this.#post = new Post({
      ...parts,
      isStopping: () => this.#shift.isStopping,
      capacity: () => this.#pool?.capacity ?? settled.concurrency,
    });
    this.#shift = new Shift(this.#post, choiceOf(order, queues, weights));
    this.#upkeep = new Upkeep(worker.client, (err) => log.debug({ err }, "Upkeep failed"));
    this.#presence = this.#presented();
  }

  get shift(): Shift {
    return this.#shift;
  }

  async begin(): Promise<void> {
    if (this.#parts.settled.children !== undefined) await this.#openPool();
    try {
      await this.#limitQueues();
      await this.#shift.begin();
    } catch (error) {
      await Promise.all([this.#shift.end(), this.#pool?.close(0)]);
      throw error;
    }
    this.#upkeep.start();
    this.#presence.start();
  }

  async #openPool(): Promise<void> {
    const { worker, settled, entries } = this.#parts;
    const { children: options, jobs = "", log } = settled;
    const { files, skipped } = await jobFiles(jobs instanceof URL ? fileURLToPath(jobs) : jobs);
    for (const link of skipped) log.warn({ link }, "A link that is not followed");
    const { client, name } = worker;
    const { pool, klasses } = await Pool.open({
      options: options!,
      files,
      engine: client.engine,
      worker: name,
      client: client.name,
      isChecked: client.parts.jobs !== undefined,
      log,
      grown: () => this.#shift.grown(),
    });
    this.#pool = pool;
    entries.clear();
    for (const facts of klasses) {
      entries.set(
        facts.klass,
        entryFrom(facts, (run) => pool.run(run)),
      );
    }
  }

  /** Has the engine see to it that of some klasses only so many run, whoever runs them. */
  async #limitQueues(): Promise<void> {
    const { worker, settled, entries } = this.#parts;
    for (const [klass, { options }] of entries) {
      const { maxConcurrency } = options;
      if (maxConcurrency === undefined) continue;
      if (!settled.queues.includes(klass)) {
        const advice = "add it to the worker's queues, or set max-concurrency of another by config";
        throw invalid(`maxConcurrency of ${klass} counts in the queue of that name: ${advice}`);
      }
      await worker.client.config.setQueue(klass, "max-concurrency", maxConcurrency);
    }
  }

  #presented(): Presence {
    const { worker, settled, entries } = this.#parts;
    return new Presence({
      calls: worker.client.parts.calls,
      worker: worker.name,
      queues: settled.queues,
      klasses: () => [...entries.keys()],
      model: settled.model,
      concurrency: handsOf(settled),
      runs: () => this.#shift.runs,
      children: () => this.#pool?.facts,
      isPaused: () => worker.isPaused,
      unhandled: () => this.#post.unhandled,
      failed: (err) => settled.log.debug({ err }, "A worker's presence could not be told"),
    });
  }

  async announce(): Promise<void> {
    await this.#presence.say();
  }

  /** Lets what runs end until the deadline, and ends the rest. */
  async end(patience: Deadline): Promise<StopReport> {
    const finished = this.#shift.finish();
    this.#pool?.tellStopping();
    const isMet = await patience.meets(finished);
    if (!isMet) {
      this.#shift.abort();
      await new Deadline(ABORT_MS).meets(finished);
    }
    const killed = (await this.#pool?.close(ABORT_MS)) ?? [];
    if (killed.length > 0) await new Deadline(LEAVE_MS).meets(finished);
    const rounds = Promise.all([this.#upkeep.stop(), this.#presence.stop()]);
    const ends = [this.#shift.end(), new Deadline(LEAVE_MS).meets(rounds)] as const;
    const [left] = await Promise.all(ends);
    await new Deadline(LEAVE_MS).meets(this.#leave(left));
    return { left: [...new Set([...killed, ...left])] };
  }

  /** Lets others have what this worker still holds, and takes it off the list. */
  async #leave(left: readonly string[]): Promise<void> {
    const { worker, settled } = this.#parts;
    const { calls } = worker.client.parts;
    const giveBack = (jid: string) =>
      calls.write("timeout", [jid]).catch((err) => {
        settled.log.warn({ err, jid }, "A job could not be given back");
      });
    await Promise.all(left.map(giveBack));
    await calls.write("worker.deregister", [worker.name]).catch(() => {});
  }
}

/** How many jobs run at a time when all is well. */
function handsOf({
  concurrency,
  children,
}: Pick<Settled<Registry, object>, "concurrency" | "children">): number {
  return children === undefined ? concurrency : children.count * children.concurrency;
}
