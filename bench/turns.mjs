/**
 * Has systems work in turns of some tenths of a second. All live side by side, each with a server of
 * its own, and while one works the others wait. Where machines are shared, their speed changes from
 * one second to the next, and systems that are measured seconds apart are measured on two machines.
 */
import { orderOf, PART, Participant } from "./contest.mjs";
import { cpuMicros, startServer } from "./redis.mjs";
import { sleep } from "./waiting.mjs";

/** What was under way when a turn ended is over after so long, in milliseconds. */
const SETTLING_MS = 10;

/** The figures of all systems in all turns of all rounds; each round has fresh processes and servers. */
export async function inTurns(measure, { postgres, rounds, share, show }) {
  const systems = measure.systems.filter((name) => name !== "graphile-worker" || postgres);
  const results = Object.fromEntries(systems.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const players = [];
    try {
      for (const system of systems) players.push(await join(system, measure, { postgres, share }));
      await play(players, measure, {
        round,
        share,
        show: (what) => show(`${measure.title}: round ${round + 1} of ${rounds}, ${what}`),
      });
      for (const { system, turns, cpu } of players) {
        results[system].push(...turns.map((perSecond) => ({ perSecond, cpu })));
      }
    } finally {
      for (const { leave } of players) await leave();
    }
  }
  return results;
}

const sizesOf = (system, { task }, share) => {
  const part = PART[system] ?? 1;
  const turns = Math.max(2, Math.round(task.turns * share));
  return { turns, jobs: Math.ceil(task.jobs * part), warm: Math.ceil(task.warm * part * share) };
};

/** A system with a server of its own, whose worker waits for its first turn. */
async function join(system, measure, { postgres, share }) {
  const { turns, jobs, warm } = sizesOf(system, measure, share);
  const isOnRedis = system !== "graphile-worker";
  const server = isOnRedis ? await startServer() : undefined;
  if (!isOnRedis) await postgres.empty();
  const participant = new Participant();
  const all = warm + turns * jobs;
  const { concurrency } = measure.task;
  const place = { port: server?.port, postgres: postgres?.url };
  await participant.ask({ kind: "gated", system, place, concurrency, jobs: all });
  return {
    ...{ system, all, turns: [], cpu: undefined },
    run: async (count) => (await participant.ask({ turn: count })).perSecond,
    /** What was used for a job that is put, taken and completed. */
    used: async () => (isOnRedis ? (await cpuMicros(server.redis)) / all : undefined),
    ended: () => participant.figures,
    async leave() {
      participant.kill();
      await server?.stop();
    },
  };
}

/** All turns of a round. Who begins changes from turn to turn, and so does who follows whom. */
async function play(players, measure, { round, share, show }) {
  for (const player of players) {
    show(`${player.system} warms up`);
    await player.run(sizesOf(player.system, measure, share).warm);
  }
  const { turns } = sizesOf(players[0].system, measure, share);
  for (let turn = 0; turn < turns; turn++) {
    show(`turn ${turn + 1} of ${turns}`);
    for (const player of orderOf(players, round + turn)) {
      await sleep(SETTLING_MS);
      player.turns.push(await player.run(sizesOf(player.system, measure, share).jobs));
    }
  }
  for (const player of players) {
    await player.ended();
    player.cpu = await player.used();
  }
}
