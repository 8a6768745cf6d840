/**
 * What a program can put per second through the TypeScript client, and through BullMQ, in one run on
 * one private server: single puts with 200 in flight, and 1,000 jobs per call, one call after the other. The machine may be
 * noisy: only ratios of one run mean anything.
 */
import { Queue } from "bullmq";
import { inFlight, startServer } from "./redis.mjs";

const { connect } = await import("../dist/index.js");

const quick = process.argv.includes("--quick");
const JOBS = quick ? 5_000 : 40_000;
const ROUNDS = quick ? 1 : 7;
const WIDTH = 200;
const BULK = 1_000;
const DATA = { hello: "world" };

const say = (line) => process.stdout.write(`${line}\n`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rate = (value) => `${Math.round(value / 100) / 10}k/s`.padStart(9);

/** Jobs per second. */
async function perSecond(jobs, work) {
  const begun = process.hrtime.bigint();
  await work();
  return jobs / (Number(process.hrtime.bigint() - begun) / 1e9);
}

async function round(redis, client, queue) {
  const bulk = Array.from({ length: BULK }, () => ({ klass: "klass", data: DATA }));
  const theirs = bulk.map(({ klass: name, data }) => ({ name, data }));
  const figures = {};
  const phase = async (name, work) => {
    await redis.flushdb();
    figures[name] = await perSecond(JOBS, work);
  };
  await phase("add", () => inFlight(JOBS, WIDTH, () => queue.add("klass", DATA)));
  await phase("put", () => inFlight(JOBS, WIDTH, () => client.put("klass", DATA)));
  await phase("addBulk", () => inFlight(JOBS / BULK, 1, () => queue.addBulk(theirs)));
  await phase("putMany", () => inFlight(JOBS / BULK, 1, () => client.putMany(bulk)));
  process.stderr.write(".");
  return figures;
}

const { redis, port, stop } = await startServer();
const client = await connect(`redis://127.0.0.1:${port}`, { onWarning: () => {} });
const queue = new Queue("klass", { connection: { host: "127.0.0.1", port } });
try {
  await queue.waitUntilReady();
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(redis, client, queue));
  process.stderr.write("\r".padEnd(20) + "\r");
  say(`Jobs put per second (${JOBS} jobs, median of ${ROUNDS} rounds; ratios per round)`);
  for (const [ours, theirs, what, budget] of [
    ["put", "add", `single, ${WIDTH} in flight`, 1],
    ["putMany", "addBulk", `${BULK} per call`, 4],
  ]) {
    const ratios = rounds.map((one) => one[ours] / one[theirs]).toSorted((a, b) => a - b);
    const of = (name) => rate(median(rounds.map((one) => one[name])));
    const range = `${ratios[0].toFixed(2)}x to ${ratios.at(-1).toFixed(2)}x`;
    say(
      `${what.padEnd(21)} ${ours.padEnd(7)} ${of(ours)}   BullMQ ${theirs.padEnd(7)} ${of(theirs)}` +
        `   = ${median(ratios).toFixed(2)}x (${range}; budget ${budget}x)`,
    );
  }
} finally {
  await queue.close();
  await client.close();
  await stop();
}
