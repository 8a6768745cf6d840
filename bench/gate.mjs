/** A worker that runs jobs only while it has a turn: between turns its handlers wait at a gate. */
import { SYSTEMS } from "./systems.mjs";
import { now, sleep } from "./waiting.mjs";

/**
 * Puts all jobs and starts a worker. Then, for each `{ turn: jobs }` that it is sent, it runs so many
 * and says how many a second. It ends when all have run, once each, and none is left.
 */
export async function gated({ system, place, jobs, concurrency }, fill) {
  const queue = await SYSTEMS[system](place);
  await fill(queue, jobs);
  const gate = new Gate(jobs);
  const stop = await queue.work({ concurrency, run: ({ n }) => gate.pass(n) });
  process.on("message", async ({ turn }) => {
    process.send({ perSecond: await gate.open(turn) });
  });
  process.send({ isReady: true });
  await gate.allPassed;
  await stop();
  await untilNoneLeft(queue, system);
  await queue.close();
  if (gate.seen.some((count) => count !== 1)) throw new Error("A job was lost, or ran twice");
  return {};
}

/**
 * So long a turn goes on before it counts, in milliseconds. The others have just worked: caches are
 * theirs, and a worker and its server wake up on one core until the kernel gives each its own. With
 * one job at a time that is much faster, with ten slower, and it is not how they go on.
 */
const RUN_IN_MS = 100;

class Gate {
  #left = 0;
  /** When the turn began to count, and how many jobs were left then. */
  #from = { at: 0, left: 0 };
  #isRunIn = true;
  #total;
  #waiting = [];
  #close = () => {};
  #allPassed = () => {};

  constructor(jobs) {
    this.seen = new Uint8Array(jobs);
    this.#total = jobs;
    this.allPassed = new Promise((resolve) => {
      this.#allPassed = resolve;
    });
  }

  /** Lets so many jobs pass, and tells how many that were a second. */
  async open(jobs) {
    this.#left = jobs;
    this.#from = { at: now(), left: jobs };
    this.#isRunIn = false;
    const closed = new Promise((resolve) => {
      this.#close = () => resolve((this.#from.left * 1000) / (now() - this.#from.at));
    });
    for (const resume of this.#waiting.splice(0)) resume();
    return closed;
  }

  #runIn() {
    const at = now();
    if (at - this.#from.at < RUN_IN_MS) return;
    this.#from = { at, left: this.#left };
    this.#isRunIn = true;
  }

  pass(n) {
    if (this.#left > 0) return this.#passed(n);
    return new Promise((resolve) => this.#waiting.push(resolve)).then(() => this.pass(n));
  }

  #passed(n) {
    this.seen[n]++;
    this.#left -= 1;
    this.#total -= 1;
    if (!this.#isRunIn && this.#left > 0) this.#runIn();
    if (this.#left === 0) this.#close();
    if (this.#total === 0) this.#allPassed();
  }
}

/** The last outcomes may still be on their way. */
export async function untilNoneLeft(queue, system) {
  let left = await queue.left();
  for (let i = 0; i < 100 && left > 0; i++) {
    await sleep(50);
    left = await queue.left();
  }
  if (left > 0) throw new Error(`${system}: ${left} jobs are left`);
}
