/**
 * One measurement in a process of its own, so that nobody profits from what another has warmed up. The
 * parent sends a task and is sent its figures.
 */
import { fork } from "node:child_process";
import { Redis } from "ioredis";
import { cycle, weigh } from "./cycle.mjs";
import { gated, untilNoneLeft } from "./gate.mjs";
import { cpuMicros, inFlight } from "./redis.mjs";
import { SYSTEMS } from "./systems.mjs";
import { due, idle, latency, now, sleep, witness } from "./waiting.mjs";

const BULK = 1_000;
const DATA = { hello: "world" };

const numbered = (count, from) =>
  Array.from({ length: count }, (_, i) => ({ ...DATA, n: from + i }));

async function fill(queue, count) {
  for (let i = 0; i < count; i += BULK) {
    await queue.putMany(numbered(Math.min(BULK, count - i), i));
  }
}

/** What the work costs the server, in microseconds of its CPU; nothing where there is none. */
async function costing(port, work) {
  if (port === undefined) return work();
  const redis = new Redis(port, "127.0.0.1");
  const before = await cpuMicros(redis);
  const figures = await work();
  const cpu = (await cpuMicros(redis)) - before;
  redis.disconnect();
  return { ...figures, cpu };
}

/** Jobs put per second: one at a time with some in flight, or many a call. All must be there after. */
async function put({ system, place, jobs, width, bulk }) {
  const queue = await SYSTEMS[system](place);
  const round = (count, from) =>
    bulk === undefined
      ? inFlight(count, width, (i) => queue.put({ ...DATA, n: from + i }))
      : inFlight(count / bulk, 1, (i) => queue.putMany(numbered(bulk, from + i * bulk)));
  const warm = Math.max(bulk ?? 0, Math.floor(jobs / 10 / (bulk ?? 1)) * (bulk ?? 1));
  await round(warm, 0);
  const begun = now();
  await round(jobs, warm);
  const perSecond = (jobs * 1000) / (now() - begun);
  const left = await queue.left();
  if (left !== jobs + warm) throw new Error(`${system}: ${left} of ${jobs + warm} jobs were put`);
  await queue.close();
  return { perSecond };
}

const HANDLERS = { noop: () => {}, "1ms": () => sleep(1) };

/** Jobs worked off per second by one process or several; each must have run once, and none be left. */
async function work(task) {
  const { system, place, jobs, processes = 1 } = task;
  // A process that has just begun is slow, whoever wrote it.
  const warm = Math.floor(jobs / 2);
  const all = jobs + warm;
  const queue = await SYSTEMS[system](place);
  const figures = await costing(place.serverPort, async () => {
    await fill(queue, all);
    const begin = processes > 1 ? inProcesses : inThisProcess;
    return timed(all, warm, (ran) => begin(task, queue, ran));
  });
  await untilNoneLeft(queue, system);
  await queue.close();
  return figures.cpu === undefined ? figures : { ...figures, cpu: figures.cpu / all };
}

/** Puts many jobs that nobody works on, for now or for later. */
async function crowd({ system, place, jobs, delay }) {
  const queue = await SYSTEMS[system](place);
  for (let i = 0; i < jobs; i += BULK) {
    await queue.putMany(numbered(Math.min(BULK, jobs - i), i), delay);
    if (i % 100_000 === 0) process.send({ progress: i / jobs });
  }
  await queue.close();
  return {};
}

/** Jobs put and worked off per second while many others wait: as many are put as are taken. */
async function among({ system, place, jobs }) {
  const queue = await SYSTEMS[system](place);
  const begun = now();
  await inFlight(jobs, 200, (i) => queue.put({ ...DATA, n: i }));
  const put = now();
  let done = 0;
  let finish;
  const ended = new Promise((resolve) => {
    finish = resolve;
  });
  const run = () => {
    done += 1;
    if (done === jobs) finish(now());
  };
  const starting = now();
  const stop = await queue.work({ concurrency: 100, run });
  const end = await ended;
  await stop();
  await queue.close();
  const perSecond = (ms) => (jobs * 1000) / ms;
  return {
    put: perSecond(put - begun),
    worked: perSecond(end - starting),
    perSecond: perSecond(put - begun + end - starting),
  };
}

/** From the last job of the warm-up to the last of all. */
async function timed(all, warm, begin) {
  const seen = new Uint8Array(all);
  let done = 0;
  let begun = 0;
  let finish;
  const ended = new Promise((resolve) => {
    finish = resolve;
  });
  const stop = await begin((n) => {
    if (n >= all) return;
    seen[n]++;
    done += 1;
    if (done === warm) begun = now();
    if (done === all) finish(now());
  });
  const end = await ended;
  await stop();
  if (seen.some((count) => count !== 1)) throw new Error("A job was lost, or ran twice");
  return { perSecond: ((all - warm) * 1000) / (end - begun) };
}

function inThisProcess({ concurrency, handler = "noop" }, queue, ran) {
  const handle = HANDLERS[handler];
  const run = handler === "noop" ? ({ n }) => ran(n) : ({ n }) => handle().then(() => ran(n));
  return queue.work({ concurrency, run });
}

async function inProcesses(task, _queue, ran) {
  const one = { ...task, kind: "hand", concurrency: task.concurrency / task.processes };
  const children = Array.from({ length: task.processes }, () => fork(import.meta.filename));
  for (const child of children) {
    child.on("message", ({ ran: list }) => {
      for (const n of list ?? []) ran(n);
    });
    child.send(one);
  }
  return () => Promise.all(children.map(ended));
}

function ended(child) {
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.send({ stop: true });
  });
}

/** A worker among several: tells its parent every now and then what it has run. */
async function hand({ system, place, concurrency, handler = "noop" }) {
  const queue = await SYSTEMS[system](place);
  let list = [];
  const handle = HANDLERS[handler];
  const stop = await queue.work({
    concurrency,
    run: async ({ n }) => {
      if (handler !== "noop") await handle();
      list.push(n);
    },
  });
  setInterval(() => {
    if (list.length > 0) process.send({ ran: list });
    list = [];
  }, 5);
  await new Promise((resolve) => process.once("message", resolve));
  await stop();
  return {};
}

const TASKS = {
  put,
  work,
  gated: (task) => gated(task, fill),
  hand,
  crowd,
  among,
  latency,
  due,
  idle,
  witness,
  cycle,
  weigh,
};

process.once("message", async (task) => {
  try {
    const figures = await TASKS[task.kind](task);
    process.send({ figures }, () => process.exit());
  } catch (error) {
    process.send({ error: error.stack ?? String(error) }, () => process.exit());
  }
});
process.on("disconnect", () => process.exit());
