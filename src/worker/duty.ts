import { fileURLToPath } from "node:url";
import type { Registry } from "../client/registry.ts";
import { Upkeep } from "../client/upkeep.ts";
import { Pool } from "./children/pool.ts";
import { Deadline, LEAVE_MS } from "./deadline.ts";
import { type Entry, entryFrom, type Middleware } from "./handlers.ts";
import { jobFiles } from "./job-files.ts";
import { limitQueues, weightsWith } from "./klass-queues.ts";
import type { Settled } from "./options.ts";
import { choiceOf } from "./order.ts";
import { Post } from "./post.ts";
import { Presence } from "./presence.ts";
import type { StopReport } from "./reports.ts";
import { Shift } from "./shift.ts";
import type { Worker } from "./worker.ts";

/** Between two rounds of upkeep at most, in milliseconds. */
const ROUND_MS = 20_000;
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
  readonly shift: Shift;
  readonly #parts: DutyParts<Jobs, More>;
  readonly #post: Post<Jobs, More>;
  readonly #upkeep: Upkeep;
  readonly #presence: Presence;
  readonly #pool: Pool | undefined;

  private constructor(parts: DutyParts<Jobs, More>, pool: Pool | undefined) {
    const { worker, settled, entries } = parts;
    const { queues, order, log } = settled;
    this.#parts = parts;
    this.#pool = pool;
    this.#post = new Post({
      ...parts,
      isStopping: () => this.shift.isStopping,
      capacity: () => pool?.capacity ?? worker.concurrency,
    });
    const choice = choiceOf(order, queues, weightsWith(entries, settled));
    this.shift = new Shift(this.#post, choice);
    this.#upkeep = new Upkeep({
      client: worker.client,
      clock: this.shift.clock,
      roundMs: ROUND_MS,
      againMs: ROUND_MS / 3,
      failed: (err) => log.debug({ err }, "A round of upkeep failed"),
    });
    this.#presence = this.#presented();
  }

  static async begin<Jobs extends Registry, More extends object>(
    parts: DutyParts<Jobs, More>,
  ): Promise<Duty<Jobs, More>> {
    let duty: Duty<Jobs, More> | undefined;
    const isElsewhere = parts.settled.children !== undefined;
    const pool = isElsewhere ? await openPool(parts, () => duty?.shift.grown()) : undefined;
    try {
      duty = new Duty(parts, pool);
      await duty.#begin();
      return duty;
    } catch (error) {
      await Promise.all([duty?.shift.end(), pool?.close(0)]);
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const { worker, settled, entries } = this.#parts;
    await limitQueues(worker.client, entries, settled.queues);
    await this.shift.begin();
    this.#upkeep.start();
    this.#presence.start();
  }

  #presented(): Presence {
    const { worker, settled, entries } = this.#parts;
    return new Presence({
      calls: worker.client.parts.calls,
      worker: worker.name,
      queues: settled.queues,
      klasses: () => [...entries.keys()],
      model: settled.model,
      concurrency: () => worker.concurrency * (settled.children?.count ?? 1),
      runs: () => this.shift.runs,
      children: () => this.#pool?.facts,
      isPaused: () => worker.isPaused,
      unhandled: () => this.#post.unhandled,
      failed: (err) => settled.log.debug({ err }, "A worker's presence could not be told"),
      counted: (holds) => this.shift.strays.counted(holds),
    });
  }

  async announce(): Promise<void> {
    await this.#presence.say();
  }

  /** Lets what runs end until the deadline, and ends the rest. */
  async end(patience: Deadline): Promise<StopReport> {
    const finished = this.shift.finish();
    this.#pool?.tellStopping();
    const isMet = await patience.meets(finished);
    if (!isMet) {
      this.shift.abort();
      await new Deadline(ABORT_MS).meets(finished);
    }
    const killed = (await this.#pool?.close(ABORT_MS)) ?? [];
    if (killed.length > 0) await new Deadline(LEAVE_MS).meets(finished);
    const rounds = Promise.all([this.#upkeep.stop(), this.#presence.stop()]);
    const ends = [this.shift.end(), new Deadline(LEAVE_MS).meets(rounds)] as const;
    const [left] = await Promise.all(ends);
    await new Deadline(LEAVE_MS).meets(this.#leave(left));
    this.#post.flush();
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

/** Starts the children; what they can run takes the place of what is run here. */
async function openPool<Jobs extends Registry, More extends object>(
  { worker, settled, entries }: DutyParts<Jobs, More>,
  grown: () => void,
): Promise<Pool> {
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
    grown,
  });
  entries.clear();
  for (const facts of klasses) {
    const run: Entry["call"] = (one) => pool.run(one);
    entries.set(facts.klass, entryFrom(facts, run));
  }
  return pool;
}
