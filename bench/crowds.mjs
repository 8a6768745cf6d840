/** The same work beside few other jobs and beside a million: waiting ones, and delayed ones. */
import { participate } from "./contest.mjs";
import { startServer } from "./redis.mjs";

const SYSTEMS = ["qless", "BullMQ"];
const JOBS = 4_000;
const HOUR_MS = 3_600_000;

/**
 * Rates of each system at both sizes, `{ system: { few: [...], many: [...] } }`. Both stay in one server
 * with all their jobs, and take turns.
 */
export async function crowds({ delay, many, rounds, show }) {
  const server = await startServer();
  const place = { port: server.port };
  const results = Object.fromEntries(SYSTEMS.map((name) => [name, { few: [], many: [] }]));
  const measure = async (size) => {
    for (let round = 0; round < rounds; round++) {
      for (const system of round % 2 === 0 ? SYSTEMS : SYSTEMS.toReversed()) {
        show(`${title(delay)}: ${size}, round ${round + 1} of ${rounds}, ${system}`);
        const task = { kind: "among", system, place, jobs: JOBS };
        results[system][size].push(await participate(task));
      }
    }
  };
  const crowd = async (jobs) => {
    for (const system of SYSTEMS) {
      const told = (part) =>
        show(`${title(delay)}: ${Math.round(part * 100)} % of ${jobs} put, ${system}`);
      const task = { kind: "crowd", system, place, jobs, delay: delay ? HOUR_MS : 0 };
      await participate(task, told);
    }
  };
  try {
    await crowd(1_000);
    await measure("few");
    await crowd(many);
    await measure("many");
  } finally {
    await server.stop();
  }
  return results;
}

const title = (delay) => (delay ? "Delayed jobs" : "Backlog");
