/** Runs measurements: the systems take turns, round after round, each in a fresh process. */
import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PARTICIPANT = new URL("./participant.mjs", import.meta.url);
const PATIENCE_MS = 300_000;
/** Who would take minutes for as many jobs as the others is given a part of them. */
export const PART = { "graphile-worker": 0.1 };

/** A process of its own that does a task, and may be asked more while it does. */
export class Participant {
  #child = fork(PARTICIPANT, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  #timer = setTimeout(() => this.kill(), PATIENCE_MS);
  #onSaid = () => {};

  constructor(onProgress = () => {}) {
    this.figures = new Promise((resolve, reject) => {
      this.#child.on("message", (message) => {
        if (message.progress !== undefined) onProgress(message.progress);
        else if (message.error !== undefined) reject(new Error(message.error));
        else if (message.figures !== undefined) resolve(message.figures);
        else this.#onSaid(message);
      });
      this.#child.on("exit", () => reject(new Error("A participant ended without a figure")));
    }).finally(() => clearTimeout(this.#timer));
    // Whoever asks is told. One that is killed has nobody who still asks.
    this.figures.catch(() => {});
  }

  send(message) {
    this.#child.send(message);
  }

  /** Sends a message, and gives what it says to it. */
  ask(message) {
    const said = new Promise((resolve) => {
      this.#onSaid = resolve;
    });
    this.send(message);
    return Promise.race([said, this.figures.then(() => said)]);
  }

  kill() {
    this.#child.kill("SIGKILL");
  }
}

/** Has one task done in a process of its own. */
export function participate(task, onProgress) {
  const participant = new Participant(onProgress);
  participant.send(task);
  return participant.figures;
}

/** A way to the server on which a round trip takes a millisecond longer, by a process of its own. */
export async function startLag(port) {
  const child = spawn(process.execPath, [new URL("./lag.mjs", import.meta.url).pathname, port], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const own = await new Promise((resolve) => {
    child.stdout.once("data", (text) => resolve(Number(text)));
  });
  return { port: own, stop: () => child.kill("SIGKILL") };
}

/**
 * The systems in the order of a round. Who begins changes from round to round, and so does who comes
 * after whom: what a system leaves behind to be tidied up (PostgreSQL does so for a while) would
 * otherwise always disturb the same other. With an even number of systems each comes after each of
 * the others equally often.
 */
export function orderOf(systems, round) {
  const count = systems.length;
  const zigzag = (place) => (place % 2 === 1 ? (place + 1) / 2 : count - place / 2);
  return systems.map((_, place) => systems[(zigzag(place) + round) % count]);
}

/**
 * The figures of all systems in all rounds, `{ system: [figures of each round] }`. Each starts with an
 * empty database.
 */
export async function contest(measure, { server, lag, postgres, rounds, share, show }) {
  const systems = measure.systems.filter((name) => name !== "graphile-worker" || postgres);
  const results = Object.fromEntries(systems.map((name) => [name, []]));
  const folder = mkdtempSync(join(tmpdir(), "qless-bench-"));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const system of orderOf(systems, round)) {
        show(`${measure.title}: round ${round + 1} of ${rounds}, ${system}`);
        await server.redis.flushall();
        if (system === "graphile-worker") await postgres.empty();
        const place = {
          port: measure.far ? lag.port : server.port,
          ...(/SQLite|graphile/.test(system) ? {} : { serverPort: server.port }),
          file: join(folder, `${system}-${round}.db`.replaceAll(" ", "-")),
          postgres: postgres?.url,
        };
        const task = { ...measure.task, system, place };
        const part = share * (PART[system] ?? 1);
        if (task.jobs !== undefined) task.jobs = sized(task.jobs * part, task.bulk ?? 1);
        if (task.count !== undefined) task.count = Math.ceil(task.count * part);
        results[system].push(await participate(task));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

const sized = (jobs, step) => Math.max(step, Math.round(jobs / step) * step);
