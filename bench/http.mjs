/**
 * Requests per second over HTTP: put, pop and complete, one job and a hundred at a time, beside a route
 * of bare fastify that does nothing but read and write JSON. Server and load are processes of their
 * own on one machine, so only ratios of one run mean anything. The store is a private Redis, and an
 * SQLite database in memory.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { inFlight, startServer } from "./redis.mjs";

const quick = process.argv.includes("--quick");
const SINGLES = quick ? 1_000 : 10_000;
const BATCHES = quick ? 50 : 400;
const BATCH = 100;
const WIDTH = 32;
const DATA = { hello: "world" };
/** Jobs a second that a batch of puts must reach, or half of what the client reaches without HTTP. */
const BUDGET = 20_000;

const say = (line) => process.stdout.write(`${line}\n`);
const figure = (value) => Math.round(value).toLocaleString("en").padStart(8);

/** The process that is measured: bare fastify and qless, on two ports. */
async function serve(url) {
  const { default: fastify } = await import("fastify");
  const { connect } = await import("../dist/index.js");
  const { serve: listen } = await import("../dist/http/index.js");
  const client = await connect(url, { onWarning: () => {} });
  const server = await listen(client, { port: 0, upkeep: false });
  const bare = fastify();
  bare.post("/", (call) => ({ jid: call.body.klass, outcome: "created" }));
  await bare.listen({ port: 0, host: "127.0.0.1" });
  process.on("message", async ({ jobs, times }) => {
    const list = Array.from({ length: jobs }, () => ({ klass: "direct", data: DATA }));
    const begun = performance.now();
    await inFlight(times, 4, () => client.putMany(list));
    process.send({ perSecond: (jobs * times * 1000) / (performance.now() - begun) });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port: server.port, bare: bare.server.address().port });
}

const agent = new Agent({ keepAlive: true, maxSockets: WIDTH });

function post(port, path, body) {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const options = { agent, host: "127.0.0.1", port, path, method: "POST", headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("end", () => {
        const answer = Buffer.concat(pieces).toString();
        if (response.statusCode >= 300) reject(new Error(`${response.statusCode} ${answer}`));
        else resolve(JSON.parse(answer));
      });
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

async function perSecond(count, work) {
  const begun = performance.now();
  await inFlight(count, WIDTH, work);
  return (count * 1000) / (performance.now() - begun);
}

async function measure() {
  const { port: redisPort, stop } = await startServer();
  try {
    await measureOn("Redis", `redis://127.0.0.1:${redisPort}`);
    await measureOn("SQLite in memory", "sqlite::memory:");
  } finally {
    agent.destroy();
    await stop();
  }
}

async function measureOn(name, url) {
  const child = fork(fileURLToPath(import.meta.url), ["--server", url]);
  const [{ port, bare }] = await once(child, "message");
  const job = { klass: "k", data: DATA };
  const many = Array.from({ length: BATCH }, () => job);
  const taken = [];
  await perSecond(SINGLES / 10, () => post(bare, "/", job));
  const floor = await perSecond(SINGLES, () => post(bare, "/", job));
  const put = await perSecond(SINGLES, () => post(port, "/api/v1/jobs", job));
  const pop = await perSecond(SINGLES, async () => {
    const { jobs } = await post(port, "/api/v1/pop", { queues: ["k"], worker: "w" });
    taken.push(...jobs);
  });
  const complete = await perSecond(SINGLES, () =>
    post(port, "/api/v1/finish", finishing(taken, 1)),
  );
  const puts = await perSecond(BATCHES, () => post(port, "/api/v1/jobs/batch", { jobs: many }));
  const pops = await perSecond(BATCHES, async () => {
    const asked = { queues: ["k"], worker: "w", count: BATCH };
    taken.push(...(await post(port, "/api/v1/pop", asked)).jobs);
  });
  const ends = await perSecond(BATCHES, () =>
    post(port, "/api/v1/finish", finishing(taken, BATCH)),
  );
  child.send({ jobs: BATCH, times: BATCHES });
  const [{ perSecond: direct }] = await once(child, "message");
  child.kill("SIGKILL");
  say(`${name}, ${WIDTH} requests in flight`);
  say(`  bare fastify route      ${figure(floor)} requests/s`);
  for (const [what, rate] of Object.entries({ put, pop, complete })) {
    say(`  ${what.padEnd(23)} ${figure(rate)} requests/s   ${(rate / floor).toFixed(2)}x of bare`);
  }
  for (const [what, rate] of Object.entries({ put: puts, pop: pops, complete: ends })) {
    say(`  ${`${what}, ${BATCH} a request`.padEnd(23)} ${figure(rate * BATCH)} jobs/s`);
  }
  const wanted = Math.min(BUDGET, direct / 2);
  const met = puts * BATCH >= wanted ? "met" : "MISSED";
  say(
    `  putMany without HTTP    ${figure(direct)} jobs/s; budget ${figure(wanted).trim()}: ${met}\n`,
  );
}

const finishing = (taken, count) => ({
  worker: "w",
  outcomes: taken.splice(0, count).map(({ jid, lease }) => ({ verb: "complete", jid, lease })),
});

if (process.argv[2] === "--server") await serve(process.argv[3]);
else await measure();
