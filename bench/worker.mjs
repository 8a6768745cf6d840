/**
 * How many jobs a worker runs per second, how soon it starts one, and what that costs Redis: qless,
 * BullMQ and bee-queue in one run on one private server, round after round. Every job is counted: it
 * must have run once. The machine may be noisy: only ratios of one run mean anything.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BeeQueue from "bee-queue";
import { Worker as BullWorker, Queue } from "bullmq";
import { cpuMicros, startServer } from "./redis.mjs";

const { connect, Worker } = await import("../dist/index.js");

const quick = process.argv.includes("--quick");
const only = process.argv.find((arg) => arg.startsWith("--only="))?.slice(7);
/** Many short rounds: what disturbs one of them does not reach the median. */
const ROUNDS = quick ? 3 : 15;
const JOBS = { 1: 1_500, 10: 4_000, 100: 8_000 };
const DATA = { hello: "world" };
const BULK = 1_000;

const say = (line) => process.stdout.write(`${line}\n`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Puts jobs, has them run, and tells the rate; each has to have run once. */
async function measured(jobs, { put, run }) {
  for (let i = 0; i < jobs; i += BULK) await put(Math.min(BULK, jobs - i), i);
  const seen = new Uint8Array(jobs);
  let left = jobs;
  let resolve;
  const done = new Promise((settle) => {
    resolve = settle;
  });
  const begun = performance.now();
  const stop = await run((n) => {
    seen[n]++;
    if (--left === 0) resolve(performance.now());
  });
  const ended = await done;
  await stop();
  if (seen.some((count) => count !== 1)) throw new Error("a job was lost or ran twice");
  return jobs / ((ended - begun) / 1000);
}

const numbered = (count, from) =>
  Array.from({ length: count }, (_, i) => ({ ...DATA, n: from + i }));

function qless(url, options = {}) {
  return async (jobs, concurrency) => {
    const client = await connect(url, { onWarning: () => {}, ...options });
    const rate = await measured(jobs, {
      put: (count, from) =>
        client.putMany(numbered(count, from).map((data) => ({ klass: "klass", queue: "q", data }))),
      run: async (ran) => {
        const worker = new Worker(client, { queues: "q", concurrency });
        worker.handle("klass", (job) => void ran(job.data.n));
        await worker.start();
        return () => worker.stop();
      },
    });
    await client.close();
    return rate;
  };
}

function bullmq(port) {
  const connection = { host: "127.0.0.1", port };
  return async (jobs, concurrency) => {
    const queue = new Queue("bench", { connection });
    const rate = await measured(jobs, {
      put: (count, from) =>
        queue.addBulk(numbered(count, from).map((data) => ({ name: "klass", data }))),
      run: async (ran) => {
        const worker = new BullWorker("bench", async (job) => void ran(job.data.n), {
          connection,
          concurrency,
        });
        return () => worker.close();
      },
    });
    await queue.close();
    return rate;
  };
}

function beeQueue(port) {
  const redis = { host: "127.0.0.1", port };
  return async (jobs, concurrency) => {
    const options = { redis, removeOnSuccess: true, sendEvents: false, storeJobs: false };
    const queue = new BeeQueue("bench", { ...options, getEvents: false });
    const rate = await measured(jobs, {
      put: (count, from) =>
        queue.saveAll(numbered(count, from).map((data) => queue.createJob(data))),
      run: async (ran) => {
        queue.process(concurrency, async (job) => void ran(job.data.n));
        return () => {};
      },
    });
    await queue.close(0).catch(() => {});
    return rate;
  };
}

/** The rates of all that are compared, round after round, each on an empty database. */
async function compared(redis, jobs, concurrency, runners) {
  const rates = Object.fromEntries(Object.keys(runners).map((name) => [name, []]));
  const cpu = structuredClone(rates);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(runners)) {
      await redis.flushdb();
      const before = await cpuMicros(redis);
      rates[name].push(await run(jobs, concurrency));
      cpu[name].push(((await cpuMicros(redis)) - before) / jobs);
    }
    process.stderr.write(".");
  }
  return { rates, cpu };
}

function tell(what, { rates, cpu }, budget) {
  const [ours, theirs] = Object.keys(rates);
  const ratios = rates[ours].map((rate, i) => rate / rates[theirs][i]).toSorted((a, b) => a - b);
  const each = Object.entries(rates)
    .map(([name, list]) => `${name} ${Math.round(median(list) / 100) / 10}k/s`)
    .join(", ");
  const quarter = Math.floor(ratios.length / 4);
  const range = `half of the rounds ${ratios[quarter].toFixed(2)} to ${ratios.at(-1 - quarter).toFixed(2)}`;
  const load = cpu[ours].map((us, i) => us / cpu[theirs][i]);
  say(
    `${what}: ${each} = ${median(ratios).toFixed(2)}x ${theirs} (${range}; budget ${budget}x); ` +
      `Redis CPU per job, put included ${median(load).toFixed(2)}x`,
  );
}

/** From the put to the start of a job, in milliseconds, with nothing else to do. */
async function latencies(count, begin) {
  const took = [];
  let heard;
  const { put, stop } = await begin((at) => {
    took.push(performance.now() - at);
    heard();
  });
  for (let i = 0; i < count; i++) {
    const started = new Promise((resolve) => {
      heard = resolve;
    });
    await sleep(Math.random() * 6);
    await put(performance.now());
    await started;
  }
  await stop();
  took.sort((a, b) => a - b);
  return { p50: took[Math.floor(count / 2)], p99: took[Math.floor(count * 0.99)] };
}

async function latency(redis, url, port) {
  const count = quick ? 200 : 400;
  const results = { qless: [], BullMQ: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await redis.flushdb();
    results.qless.push(
      await latencies(count, async (started) => {
        const client = await connect(url, { onWarning: () => {} });
        const worker = new Worker(client, { queues: "q", concurrency: 10 });
        worker.handle("klass", (job) => started(job.data.at));
        await worker.start();
        return {
          put: (at) => client.queue("q").put("klass", { at }),
          stop: async () => {
            await worker.stop();
            await client.close();
          },
        };
      }),
    );
    await redis.flushdb();
    results.BullMQ.push(
      await latencies(count, async (started) => {
        const connection = { host: "127.0.0.1", port };
        const queue = new Queue("bench", { connection });
        const worker = new BullWorker("bench", async (job) => started(job.data.at), {
          connection,
          concurrency: 10,
        });
        await worker.waitUntilReady();
        return {
          put: (at) => queue.add("klass", { at }),
          stop: async () => {
            await worker.close();
            await queue.close();
          },
        };
      }),
    );
    process.stderr.write(".");
  }
  const of = (name, p) => median(results[name].map((one) => one[p]));
  const each = (name) =>
    `${name} p50 ${of(name, "p50").toFixed(2)} ms, p99 ${of(name, "p99").toFixed(2)} ms`;
  const ratio = (p) => (of("qless", p) / of("BullMQ", p)).toFixed(2);
  say(
    `put to start, idle worker: ${each("qless")}; ${each("BullMQ")} = ` +
      `${ratio("p50")}x and ${ratio("p99")}x (budget 1x)`,
  );
}

async function startLag(port) {
  const child = fork(new URL("./lag.mjs", import.meta.url), [String(port)], { silent: true });
  const own = await new Promise((resolve) =>
    child.stdout.once("data", (text) => resolve(Number(text))),
  );
  return { port: own, stop: () => child.kill() };
}

const { redis, port, stop } = await startServer();
const url = `redis://127.0.0.1:${port}`;
const folder = mkdtempSync(join(tmpdir(), "qless-bench-"));
try {
  const all = { qless: qless(url), BullMQ: bullmq(port), "bee-queue": beeQueue(port) };
  for (const [concurrency, budget] of [
    [1, 1.5],
    [10, 2],
    [100, 2.5],
  ]) {
    if (only !== undefined && only !== String(concurrency)) continue;
    const result = await compared(redis, JOBS[concurrency], concurrency, all);
    tell(`no-op jobs, concurrency ${concurrency}`, result, budget);
  }
  if (only === undefined || only === "latency") await latency(redis, url, port);
  if (only === undefined || only === "lag") {
    const lag = await startLag(port);
    const far = { qless: qless(`redis://127.0.0.1:${lag.port}`), BullMQ: bullmq(lag.port) };
    tell("with 1 ms of round trip, concurrency 100", await compared(redis, JOBS[10], 100, far), 2);
    lag.stop();
  }
  if (only === undefined || only === "sqlite") {
    let files = 0;
    const sqlite = (jobs, concurrency) =>
      qless(`sqlite:${join(folder, `${files++}.db`)}`)(jobs, concurrency);
    const pair = { "qless on SQLite": sqlite, "BullMQ on Redis": bullmq(port) };
    tell("SQLite with fsync, concurrency 10", await compared(redis, JOBS[10], 10, pair), 0.5);
  }
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
