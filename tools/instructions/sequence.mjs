/** The commands that are measured: puts with put.many, then turns of a worker with finish. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCounted } from "./server.mjs";

const QUEUE = "emails";
const QUEUES = JSON.stringify([QUEUE]);
const WORKER = "host-1-12345-worker";
const DATA = JSON.stringify({ n: 1, text: "some data of a job" });
/** Jobs per call in puts that are not measured. */
const BULK = 500;

/** A producer and a worker with one connection, which call the library in `server`. */
class Sequence {
  #redis;
  #put = 0;
  /** Pairs of jid and lease. */
  #held = [];

  constructor(redis) {
    this.#redis = redis;
  }

  #call(name, ...words) {
    return this.#redis.call("FCALL", `qless_${name}`, 1, "ql", "", ...words);
  }

  /** Puts so many jobs, `perCall` in each call. */
  async put(jobs, perCall) {
    for (let left = jobs; left > 0; left -= perCall) {
      const words = [];
      for (let i = 0; i < Math.min(perCall, left); i++) {
        const jid = `job-0123456789-${String(this.#put++).padStart(6, "0")}`;
        words.push(QUEUE, jid, "SendEmail", DATA, 0, 0);
      }
      await this.#call("put_many", "putter", ...words);
    }
  }

  /** Completes the jobs held and takes as many as `perCall`, in one call. */
  async turn(perCall) {
    const outcomes = this.#held.flatMap(([jid, lease]) => ["complete", jid, lease, 0]);
    const reply = await this.#call("finish", WORKER, perCall, QUEUES, ...outcomes);
    const answers = reply.slice(0, this.#held.length);
    const wrong = answers.find((answer) => answer !== "complete");
    if (wrong !== undefined) throw new Error(`finish returned ${wrong} instead of complete`);
    this.#held = reply.slice(answers.length).map((text) => {
      const [jid, , , lease] = text.split("\t");
      return [jid, lease];
    });
    if (this.#held.length !== perCall) throw new Error(`finish returned too few jobs`);
  }

  async turns(jobs, perCall) {
    for (let done = 0; done < jobs; done += perCall) await this.turn(perCall);
  }
}

/**
 * Instructions of redis-server per job, for `jobs` jobs with `perCall` in each call: `put` and
 * `finish`. Jobs before the measured ones fill the library's memories and the day's statistics.
 */
export async function measure(programs, dist, { perCall, jobs, limitMs }) {
  const server = await startCounted(programs, limitMs);
  try {
    const library = readFileSync(join(dist, "qless.functions.lua"), "utf8");
    await server.redis.call("FUNCTION", "LOAD", library);
    const sequence = new Sequence(server.redis);
    const warm = Math.max(200, perCall * 8);
    await sequence.put(warm + perCall, BULK);
    await sequence.put(perCall * 4, perCall);
    await server.count();
    await sequence.put(jobs, perCall);
    const put = await server.count();
    await sequence.turns(warm, perCall);
    await server.count();
    await sequence.turns(jobs, perCall);
    const finish = await server.count();
    return { put: Math.round(put / jobs), finish: Math.round(finish / jobs) };
  } finally {
    await server.stop();
  }
}
