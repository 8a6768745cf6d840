/**
 * What a job costs inside Redis, in qless and in BullMQ, in one run on one private server; what it
 * weighs while it waits; what changes with a million others waiting; and job cycles per second on
 * SQLite with fsync. The machine may be noisy: only ratios of one run mean anything.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue, Worker } from "bullmq";
import { cpuMicros, inFlight, startServer, usedMemory } from "./redis.mjs";

const quick = process.argv.includes("--quick");
const JOBS = quick ? 5_000 : 20_000;
const HELD = 500;
const ROUNDS = quick ? 1 : 9;
const WIDTH = 100;
const MILLION = quick ? 100_000 : 1_000_000;
const DATA = '{"hello":"world"}';
const WORKER = "worker-host-4711";

const jid = () => randomBytes(16).toString("base64url");
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const say = (line) => process.stdout.write(`${line}\n`);

/** CPU microseconds per job that the work costs the server. */
async function cost(redis, jobs, work) {
  const before = await cpuMicros(redis);
  const begun = process.hrtime.bigint();
  await work();
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  return { us: ((await cpuMicros(redis)) - before) / jobs, perSecond: jobs / seconds };
}

const fcall = (redis, name, ...args) => redis.call("FCALL", `qless_${name}`, 1, "ql", "", ...args);

function putOnce(redis, queue, batch) {
  if (batch === 1) return fcall(redis, "put", WORKER, queue, jid(), "klass", DATA, 0);
  const words = [];
  for (let i = 0; i < batch; i++) words.push(queue, jid(), "klass", DATA, 0, 0);
  return fcall(redis, "put_many", WORKER, ...words);
}

async function qlessRound(redis, batch) {
  const queue = `q${batch}`;
  const apart = await apartRound(redis, batch, JOBS, queue);
  return { ...apart, finish: await finishRound(redis, batch, JOBS, queue) };
}

/**
 * Jobs that are put, then popped and completed in calls of their own; never more than HELD are held
 * at once, since a worker at concurrency 100, as BullMQ's here, holds no crowd either.
 */
async function apartRound(redis, batch, jobs, queue) {
  const put = await cost(redis, jobs, () =>
    inFlight(jobs / batch, WIDTH, () => putOnce(redis, queue, batch)),
  );
  const pops = [];
  const completions = [];
  for (let done = 0; done < jobs; done += HELD) {
    const held = [];
    const take = async () => held.push(await fcall(redis, "pop", queue, WORKER, batch));
    pops.push(await cost(redis, HELD, () => inFlight(HELD / batch, WIDTH, take)));
    const end = (i) => completeOnce(redis, queue, held[i]);
    completions.push(await cost(redis, HELD, () => inFlight(held.length, WIDTH, end)));
  }
  return { put, pop: mean(pops), complete: mean(completions) };
}

const mean = (costs) => {
  const of = (what) => costs.reduce((sum, one) => sum + what(one), 0) / costs.length;
  return { us: of(({ us }) => us), perSecond: 1 / of(({ perSecond }) => 1 / perSecond) };
};

function completeOnce(redis, queue, done) {
  if (done.length > 1) return fcall(redis, "finish", WORKER, 0, "[]", ...outcomes(done));
  const [[id, , , data, lease]] = done;
  return fcall(redis, "complete", id, WORKER, queue, data, "lease", lease);
}

const outcomes = (jobs) => jobs.flatMap(([id, , , , lease]) => ["complete", id, lease, 0]);

/**
 * Workers that finish a batch and take the next in one call, until the queue is empty; as many calls
 * in flight as elsewhere, and no more jobs held.
 */
async function finishRound(redis, batch, jobs, queue) {
  await inFlight(jobs / batch, WIDTH, () => putOnce(redis, queue, batch));
  const finish = await cost(redis, jobs, () =>
    inFlight(Math.min(WIDTH, HELD / batch), WIDTH, async () => {
      let held = await fcall(redis, "pop", queue, WORKER, batch);
      while (held.length > 0) {
        const words = outcomes(held);
        [, held] = await fcall(redis, "finish", WORKER, batch, `["${queue}"]`, ...words);
      }
    }),
  );
  return finish;
}

async function bullRound(redis, port, concurrency) {
  const connection = { host: "127.0.0.1", port };
  const queue = new Queue(`bull${concurrency}`, { connection });
  await queue.waitUntilReady();
  const add = await cost(redis, JOBS, () =>
    inFlight(JOBS, WIDTH, () => queue.add("klass", JSON.parse(DATA))),
  );
  const process = await cost(redis, JOBS, () => drain(queue, connection, concurrency));
  await queue.obliterate({ force: true });
  await queue.close();
  return { add, process };
}

function drain(queue, connection, concurrency) {
  return new Promise((resolve) => {
    let done = 0;
    const worker = new Worker(queue.name, async () => {}, { connection, concurrency });
    worker.on("completed", async () => {
      done += 1;
      if (done === JOBS) {
        await worker.close();
        resolve();
      }
    });
  });
}

const fixed = (value) => value.toFixed(1).padStart(7);
const rate = (value) => `${Math.round(value / 100) / 10}k`.padStart(7);
const ratio = (value) => `${value.toFixed(2)}x`;

async function cpuTables({ redis, port }) {
  const bull = [];
  const qless = { 1: [], 10: [], 50: [] };
  for (let round = 0; round < ROUNDS; round++) {
    bull.push(await bullRound(redis, port, 100));
    for (const batch of [1, 10, 50]) {
      // BullMQ keeps all completed jobs and qless 50,000: from there on each would pay for a removal.
      await redis.flushdb();
      qless[batch].push(await qlessRound(redis, batch));
    }
    await redis.flushdb();
  }
  const of = (rounds, name, what = "us") => median(rounds.map((round) => round[name][what]));
  const whole = of(bull, "add") + of(bull, "process");
  say(`\nRedis CPU per job, microseconds, and jobs per second (${JOBS} jobs, median of ${ROUNDS})`);
  say(`with up to ${WIDTH} calls in flight and ${HELD} jobs held`);
  say(
    `BullMQ 6 at concurrency 100: add ${fixed(of(bull, "add"))} ${rate(of(bull, "add", "perSecond"))}/s`,
  );
  say(
    `                         process ${fixed(of(bull, "process"))} ${rate(of(bull, "process", "perSecond"))}/s`,
  );
  say(`                           cycle ${fixed(whole)}`);
  for (const batch of [1, 10, 50]) {
    const rounds = qless[batch];
    const cells = ["put", "pop", "complete", "finish"].map(
      (name) => `${name} ${fixed(of(rounds, name))} ${rate(of(rounds, name, "perSecond"))}/s`,
    );
    say(`qless, ${String(batch).padStart(2)} per call: ${cells.join("  ")}`);
    say(`   put + pop + complete  ${against(bull, rounds, ["put", "pop", "complete"])}`);
    say(`   put + finish with pop ${against(bull, rounds, ["put", "finish"])}`);
  }
}

/** The sum of some parts, and its ratio to BullMQ in the same round: the median, and from where to where. */
function against(bull, rounds, parts) {
  const sums = rounds.map((round) => parts.reduce((sum, part) => sum + round[part].us, 0));
  const ratios = sums
    .map((sum, i) => sum / (bull[i].add.us + bull[i].process.us))
    .toSorted((a, b) => a - b);
  const spread = `${ratio(ratios[0])} to ${ratio(ratios.at(-1))}`;
  return `${fixed(median(sums))} = ${ratio(median(ratios))} BullMQ (${spread})`;
}

async function memoryTable({ redis, port }) {
  const jobs = 20_000;
  say(`\nBytes per waiting job (${jobs} jobs)`);
  for (const size of [20, 500]) {
    const data = JSON.stringify({ text: "x".repeat(size - 11) });
    await redis.flushdb();
    const empty = await usedMemory(redis);
    const words = [];
    for (let i = 0; i < jobs; i++) words.push([WORKER, "queue", jid(), "klass", data, 0]);
    await inFlight(jobs, WIDTH, (i) => fcall(redis, "put", ...words[i]));
    const ours = (await usedMemory(redis)) - empty;
    await redis.flushdb();
    const queue = new Queue("queue", { connection: { host: "127.0.0.1", port } });
    await queue.waitUntilReady();
    const blank = await usedMemory(redis);
    await inFlight(jobs, WIDTH, () => queue.add("klass", JSON.parse(data)));
    const theirs = (await usedMemory(redis)) - blank;
    await queue.close();
    const each = (bytes) => Math.round(bytes / jobs);
    say(`payload ${size}: qless ${each(ours)}, BullMQ ${each(theirs)} = ${ratio(ours / theirs)}`);
  }
  await redis.flushdb();
}

/** The same work beside few and beside many other jobs in the queue. */
async function growthTable({ redis }) {
  const jobs = 5_000;
  const few = [];
  const many = [];
  const fill = async (count) =>
    inFlight(count / 500, 10, async (i) => {
      await putOnce(redis, "crowd", 500);
      if (i % 500 === 0) process.stderr.write(`\r${i * 500} of ${count} jobs put  `);
    });
  await redis.flushdb();
  await fill(1_000);
  for (let i = 0; i < ROUNDS; i++) few.push(await apartRound(redis, 1, jobs, "crowd"));
  await fill(MILLION);
  for (let i = 0; i < ROUNDS; i++) many.push(await apartRound(redis, 1, jobs, "crowd"));
  process.stderr.write("\r".padEnd(40) + "\r");
  say(`\nRedis CPU per job with 1,000 and with ${MILLION.toLocaleString("en")} others waiting`);
  for (const name of ["put", "pop", "complete"]) {
    const [a, b] = [few, many].map((rounds) => median(rounds.map((round) => round[name].us)));
    say(`${name.padEnd(9)}${fixed(a)} ${fixed(b)} = ${ratio(b / a)}`);
  }
  const cycle = (rounds) =>
    median(rounds.map(({ put, pop, complete }) => put.us + pop.us + complete.us));
  say(`cycle    ${fixed(cycle(few))} ${fixed(cycle(many))} = ${ratio(cycle(many) / cycle(few))}`);
}

async function embeddedTable() {
  const { EmbeddedEngine } = await import("../dist/embedded/engine.js");
  const dir = mkdtempSync(join(tmpdir(), "qless-bench-"));
  const engine = await EmbeddedEngine.open(join(dir, "jobs.db"));
  say("\nSQLite with fsync (WAL, synchronous=FULL): job cycles (put, pop, complete) per second");
  try {
    for (const batch of [1, 10]) {
      for (const width of [1, 100]) {
        const cycles = batch * width > 1 ? 5_000 : 1_000;
        const begun = process.hrtime.bigint();
        await inFlight(cycles / batch, width, () => embeddedCycle(engine, batch));
        const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
        say(`${batch} per call, ${width} in flight: ${Math.round(cycles / seconds)}/s`);
      }
    }
  } finally {
    await engine.close();
    rmSync(dir, { recursive: true });
  }
}

async function embeddedCycle(engine, batch) {
  const words = [];
  for (let i = 0; i < batch; i++) words.push("q", jid(), "klass", DATA, 0, 0);
  await engine.call("put.many", [WORKER, ...words]);
  const held = await engine.call("pop", ["q", WORKER, batch]);
  await engine.call("finish", [WORKER, 0, "[]", ...outcomes(held)]);
}

const server = await startServer();
const library = readFileSync(new URL("../dist/qless.functions.lua", import.meta.url), "utf8");
await server.redis.call("FUNCTION", "LOAD", library);
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7);
try {
  if (only === undefined || only === "cpu") await cpuTables(server);
  if (only === undefined || only === "memory") await memoryTable(server);
  if (only === undefined || only === "growth") await growthTable(server);
  if (only === undefined || only === "sqlite") await embeddedTable();
} finally {
  await server.stop();
}
