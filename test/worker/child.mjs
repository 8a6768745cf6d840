/**
 * A worker in a process of its own that a test may kill: `child.mjs <url> <namespace> <deadly point>`.
 * It prints `begun <jid> <lease>` for each run. At the point, if one is named, it kills itself once.
 */
import { connect, Worker } from "../../dist/index.js";

const [url, namespace, point = ""] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const client = await connect(url, { namespace, onWarning: () => {} });
const call = client.engine.call.bind(client.engine);
let calls = 0;
client.engine.call = async (command, words, options) => {
  const isDeadly = command === "finish" && ++calls > 3;
  if (isDeadly && point === "before-finish") die();
  const sent = call(command, words, options);
  if (isDeadly && point === "finish-sent") setTimeout(die, Math.random() * 2);
  const reply = await sent;
  if (isDeadly && point === "after-pop") die();
  if (command === "heartbeat.many" && point === "heartbeat") die();
  return reply;
};
let runs = 0;
const worker = new Worker(client, { queues: "q", concurrency: 8 }).handle("k", async (job) => {
  process.stdout.write(`begun ${job.jid} ${job.lease}\n`);
  runs += 1;
  if (job.data.isDeadly || (point === "in-handler" && runs > 20)) die();
  if (point === "heartbeat" && runs === 20) await new Promise((go) => setTimeout(go, 900));
  await new Promise((go) => setTimeout(go, job.data.ms));
});
await worker.start();
process.stdin.on("end", async () => {
  if (point === "in-shutdown") setTimeout(die, 2);
  await worker.stop();
  await client.close();
  process.exit(0);
});
process.stdin.resume();
