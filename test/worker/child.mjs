/**
 * A worker in a process of its own that a test may kill: `child.mjs <url> <namespace> <how>`, where
 * how is JSON and may say
 *
 * point     where it kills itself, once
 * signal    by which it does: SIGKILL, or SIGSTOP to be frozen until somebody lets it go on
 * klasses   which it handles; `k` if none are named
 * queues    where it takes jobs from; `q`
 * ahead     by how many seconds the time of its calls is ahead, as if so much had gone by
 * skew      by how many seconds its own clock is wrong
 * hangs     whether it never ends a job
 * freezes   whether it stops, as SIGSTOP does, in each job; never in a transaction, in which a frozen
 *           process holds up all others that use the same SQLite file
 *
 * It prints `ready` when it takes jobs, `begun <jid> <lease>` for each run, `lost <jid>` for each
 * whose outcome was refused, and `frozen` when it stops itself: at its point, or between two turns when
 * it reads `freeze`. It ends when there is no more to read.
 */
const [url, namespace, said = "{}"] = process.argv.slice(2);
const how = JSON.parse(said);
const {
  point,
  signal = "SIGKILL",
  klasses = ["k"],
  queues = ["q"],
  ahead,
  skew = 0,
  hangs,
  freezes,
} = how;
const clock = Date.now;
Date.now = () => clock() + skew * 1000;
const { connect, Worker } = await import("../../dist/index.js");

const stop = (by) => {
  if (by === "SIGSTOP") process.stdout.write("frozen\n");
  process.kill(process.pid, by);
};
let isDue = true;
const die = () => {
  if (isDue) stop(signal);
  isDue = false;
};
const sleep = (ms) => new Promise((go) => setTimeout(go, ms));
const client = await connect(url, { namespace, onWarning: () => {} });
const call = client.engine.call.bind(client.engine);
let calls = 0;
client.engine.call = async (command, words, options) => {
  const isDeadly = command === "finish" && ++calls > 3;
  if (isDeadly && point === "before-finish") die();
  const at = ahead === undefined ? options : { ...options, now: clock() + ahead * 1000 };
  const sent = call(command, words, at);
  if (isDeadly && point === "finish-sent") setTimeout(die, Math.random() * 2);
  const reply = await sent;
  if (isDeadly && point === "after-pop") die();
  if (command === "heartbeat.many" && point === "heartbeat") die();
  return reply;
};
let runs = 0;
async function run(job) {
  process.stdout.write(`begun ${job.jid} ${job.lease}\n`);
  runs += 1;
  if (job.data.isDeadly || (point === "in-handler" && runs > 20)) die();
  if (point === "heartbeat" && runs === 20) await sleep(900);
  if (freezes) stop("SIGSTOP");
  if (hangs) await new Promise(() => {});
  if (job.data.throws > job.retries - job.remaining) throw new Error("not yet");
  await sleep(job.data.ms ?? 0);
  return job.data.tells ? { by: process.pid } : undefined;
}
const worker = new Worker(client, { queues, concurrency: 8 });
for (const klass of klasses) worker.handle(klass, run);
worker.on("lost", ({ jid }) => process.stdout.write(`lost ${jid}\n`));
await worker.start();
process.stdout.write("ready\n");
process.stdin.on("end", async () => {
  if (point === "in-shutdown") setTimeout(die, 2);
  await worker.stop();
  await client.close();
  process.exit(0);
});
process.stdin.on("data", () => stop("SIGSTOP"));
