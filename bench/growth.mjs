/**
 * What a call of each command costs inside Redis, by the server's own count of microseconds, while
 * the number of something grows: jobs in the queue, queues, workers, jobs of a tag, dependents.
 */
import { fcall, library, valuesOf, words } from "./cycle.mjs";
import { inFlight, startServer } from "./redis.mjs";

const CALLS = 200;
const WORKER = "worker-host-4711";
const QUEUE = "crowd";
const DATA = '{"hello":"world"}';
const numbers = (count) => Array.from({ length: count }, (_, i) => i);

/** Microseconds that one of these calls took the server, by its own count. */
async function perCall(redis, calls) {
  await redis.config("RESETSTAT");
  const answers = [];
  for (const call of calls) answers.push(await fcall(redis, ...call));
  const [, us] = /cmdstat_fcall:.*usec_per_call=([\d.]+)/.exec(await redis.info("commandstats"));
  return { us: Number(us), answers };
}

let round = 0;

/** What each command costs, on jobs that are put, taken and ended on the way. */
async function costs(redis) {
  round += 1;
  const jids = numbers(CALLS).map((i) => `own-${round}-${i}`);
  const result = {};
  const measure = async (name, calls) => {
    const { us, answers } = await perCall(redis, calls);
    result[name] = us;
    return answers;
  };
  const each = (name, list, call) => measure(name, list.map(call));
  await fcall(redis, "put.many", WORKER, ...words(QUEUE, CALLS));
  await each("put", jids, (jid) => ["put", WORKER, QUEUE, jid, "klass", DATA, 0]);
  await each("get", jids, (jid) => ["get", jid]);
  await each("explain", jids, (jid) => ["explain", jid]);
  await each("priority", jids, (jid) => ["priority", jid, 1]);
  await each("tag", jids, (jid) => ["tag", "add", jid, "tag"]);
  await each("untag", jids, (jid) => ["tag", "remove", jid, "tag"]);
  await each("cancel", jids, (jid) => ["cancel", jid]);
  const popped = await each("pop", jids, () => ["pop", QUEUE, WORKER, 1]);
  const held = valuesOf(popped.flat());
  const halves = [held.slice(0, CALLS / 2), held.slice(CALLS / 2)];
  await each("heartbeat", held, ([jid]) => ["heartbeat", jid, WORKER, DATA]);
  const done = halves[0];
  await each("complete", done, ([jid]) => ["complete", jid, WORKER, QUEUE, DATA]);
  const [retried, failed] = [halves[1].slice(0, CALLS / 4), halves[1].slice(CALLS / 4)];
  await each("retry", retried, ([jid]) => ["retry", jid, QUEUE, WORKER]);
  await each("fail", failed, ([jid]) => ["fail", jid, WORKER, "group", "message", DATA]);
  await each("move", failed, ([jid]) => ["move", QUEUE, jid]);
  const some = numbers(CALLS / 4);
  await each("peek", some, () => ["peek", QUEUE, 10]);
  await each("search", some, () => ["search", "", 10, "queue", QUEUE, "state", "waiting"]);
  await each("queues (one)", some, () => ["queues", QUEUE]);
  await each("stats", some, () => ["stats", QUEUE, 0]);
  return result;
}

/** Puts jobs into the queue, or whatever it is that grows, until there are so many. */
const GROWING = {
  "jobs in the queue": {
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    grow: (redis, from, to) =>
      inFlight((to - from) / 500, 10, () => fcall(redis, "put.many", WORKER, ...words(QUEUE, 500))),
  },
  queues: {
    sizes: [10, 100, 1_000, 10_000],
    grow: (redis, from, to) =>
      inFlight(to - from, 50, (i) =>
        fcall(redis, "put", WORKER, `queue-${from + i}`, `queue-${from + i}`, "klass", DATA, 0),
      ),
  },
  "workers that hold a job": {
    sizes: [10, 100, 1_000, 10_000],
    grow: (redis, from, to) =>
      inFlight(to - from, 50, async (i) => {
        await fcall(redis, "put.many", WORKER, ...words("held", 1));
        await fcall(redis, "pop", "held", `worker-${from + i}`, 1);
      }),
  },
  "jobs of one tag": {
    sizes: [10, 100, 1_000, 100_000],
    grow: (redis, from, to) =>
      inFlight(to - from, 50, (i) =>
        fcall(redis, "put", WORKER, "tagged", `t-${from + i}`, "k", DATA, 0, "tags", '["tag"]'),
      ),
  },
  "jobs that wait for one": {
    sizes: [1, 10, 100, 1_000, 10_000],
    async grow(redis, from, to) {
      if (from === 0) await fcall(redis, "put", WORKER, "first", "one", "k", DATA, 0);
      await inFlight(to - from, 50, (i) =>
        fcall(redis, "put", WORKER, QUEUE, `d-${from + i}`, "k", DATA, 0, "depends", '["one"]'),
      );
    },
  },
};

/** `{ what grows: { sizes, commands: { command: [us at each size] } } }` */
export async function growth({ share, show }) {
  const all = {};
  for (const [what, { sizes, grow }] of Object.entries(GROWING)) {
    const server = await startServer();
    const { redis } = server;
    try {
      await library(redis);
      // What runs for the first time costs more: pages to map, tables to grow.
      await costs(redis);
      const commands = {};
      let from = 0;
      const used = sizes.filter((size) => size <= sizes.at(-1) * share || size <= 1_000);
      for (const size of used) {
        show(`Growth: ${size} ${what}`);
        await grow(redis, from, size);
        from = size;
        const rounds = [await costs(redis), await costs(redis), await costs(redis)];
        for (const name of Object.keys(rounds[0])) {
          commands[name] ??= [];
          commands[name].push(rounds.map((one) => one[name]).toSorted((a, b) => a - b)[1]);
        }
      }
      all[what] = { sizes: used, commands };
    } finally {
      await server.stop();
    }
  }
  return all;
}
