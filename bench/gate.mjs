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

class Gate {
  #left = 0;
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
    const begun = now();
    this.#left = jobs;
    const closed = new Promise((resolve) => {
      this.#close = () => resolve((jobs * 1000) / (now() - begun));
    });
    for (const resume of this.#waiting.splice(0)) resume();
    return closed;
  }

  pass(n) {
    if (this.#left > 0) return this.#passed(n);
    return new Promise((resolve) => this.#waiting.push(resolve)).then(() => this.pass(n));
  }

  #passed(n) {
    this.seen[n]++;
    this.#left -= 1;
    this.#total -= 1;
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
