/** Measures of waiting: how soon a job starts, what a process asks that has nothing to do, and who lives on. */
import { Redis } from "ioredis";
import { SYSTEMS } from "./systems.mjs";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** The monotonic clock, which all processes of a machine share, in milliseconds. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

const WARM = 100;

/** From the moment a job should be put to its start, in milliseconds; at a rate, or one by one. */
export async function latency({ system, place, count, rate }) {
  const queue = await SYSTEMS[system](place);
  const took = [];
  let heard = () => {};
  const stop = await queue.work({
    concurrency: 10,
    run: ({ at }) => {
      took.push(now() - at);
      heard();
    },
  });
  await sleep(300);
  // A process that has just begun is slow, whoever wrote it.
  await oneByOne(queue, WARM, (resolve) => (heard = resolve));
  heard = () => {};
  took.length = 0;
  if (rate === undefined) await oneByOne(queue, count, (resolve) => (heard = resolve));
  else await atRate(queue, count, rate);
  for (let i = 0; i < 200 && took.length < count; i++) await sleep(10);
  await stop();
  await queue.close();
  if (took.length !== count) throw new Error(`${system}: ${took.length} of ${count} jobs ran`);
  const at = shareOf(took);
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}

/** Gives how long the fastest of some took, up to a share of all. */
function shareOf(took) {
  took.sort((a, b) => a - b);
  return (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
}

/** Between two puts of jobs that wait for their time, the least and the most that they wait, in milliseconds. */
const APART_MS = 10;
const WAIT_MS = [20, 80];

/** How late jobs begin that were put with a delay, and again when they have failed once and rested. */
export async function due({ system, place, count }) {
  const queue = await SYSTEMS[system](place);
  const late = { delayed: [], retried: [] };
  const failed = new Map();
  const wait = () => WAIT_MS[0] + Math.floor(Math.random() * (WAIT_MS[1] - WAIT_MS[0]));
  const run = ({ n, at, rest }) => {
    if (failed.has(n)) late.retried.push(now() - failed.get(n));
    else {
      late.delayed.push(now() - at);
      failed.set(n, now() + rest);
      throw new Error("not yet");
    }
  };
  const stop = await queue.work({ concurrency: 10, run });
  const round = async (from, to) => {
    for (let n = from; n < to; n++) {
      const [delay, rest] = [wait(), wait()];
      await queue.put({ n, at: now() + delay, rest }, delay, rest);
      await sleep(APART_MS);
    }
    for (let i = 0; i < 200 && late.retried.length < to - from; i++) await sleep(10);
  };
  await round(0, WARM);
  for (const list of Object.values(late)) list.length = 0;
  await round(WARM, WARM + count);
  await stop();
  await queue.close();
  const [delayed, retried] = [late.delayed, late.retried];
  if (delayed.length !== count || retried.length !== count) {
    throw new Error(`${system}: of ${count} jobs ${delayed.length} began, ${retried.length} again`);
  }
  const [of, again] = [shareOf(delayed), shareOf(retried)];
  return { p50: of(0.5), p99: of(0.99), againP50: again(0.5), againP99: again(0.99) };
}

async function oneByOne(queue, count, whenHeard) {
  for (let i = 0; i < count; i++) {
    const started = new Promise(whenHeard);
    await sleep(Math.random() * 6);
    await queue.put({ at: now() });
    await started;
  }
}

/** Each job counts from when it should have been put, whether or not its turn came late. */
async function atRate(queue, count, rate) {
  const begun = now();
  const puts = [];
  for (let i = 0; i < count; i++) {
    const at = begun + (i * 1000) / rate;
    while (now() < at) await sleep(Math.max(0, Math.floor(at - now())));
    puts.push(queue.put({ at }));
  }
  await Promise.all(puts);
}

/** Commands a second that a process sends which has nothing to do: 50 queues, 25 jobs at a time. */
export async function idle({ system, place, seconds }) {
  const redis = new Redis(place.port, "127.0.0.1");
  const queue = await SYSTEMS[system](place);
  const queues = Array.from({ length: 50 }, (_, i) => `queue-${i}`);
  const stop = await queue.work({ concurrency: 25, run: () => {}, queues });
  await sleep(2000);
  const before = await callsOf(redis);
  await sleep(seconds * 1000);
  const commands = (await callsOf(redis)) - before;
  const clients = Number(/connected_clients:(\d+)/.exec(await redis.info("clients"))[1]);
  await Promise.race([stop(), sleep(500)]);
  redis.disconnect();
  return { perSecond: commands / seconds, connections: clients - 1 };
}

/** What participants send while they wait; PING of a quiet connection is left out. */
const SENT =
  /^(fcall|fcall_ro|eval|evalsha|bzpopmin|brpop|brpoplpush|blmove|xreadgroup|subscribe)$/;

/** All calls that clients have sent: what a script or a function calls in Redis is not sent. */
async function callsOf(redis) {
  const stats = await redis.info("commandstats");
  let sum = 0;
  for (const [, name, calls] of stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)) {
    if (SENT.test(name)) sum += Number(calls);
  }
  return sum;
}

/** Takes jobs and never ends them, or tells when one begins: for the time after a death. */
export async function witness({ system, place, hangs }) {
  const queue = await SYSTEMS[system](place);
  const run = () => {
    process.send({ started: now() });
    return hangs ? new Promise(() => {}) : undefined;
  };
  await queue.work({ concurrency: 1, run });
  process.send({ ready: true });
  if (hangs) await queue.put({ n: 0 });
  return new Promise(() => {});
}
