import type { Client } from "../../client/client.ts";
import { connect } from "../../connect.ts";
import { firstLine } from "../../worker/modules.ts";
import { Worker } from "../../worker/worker.ts";
import { type FromWorker, nameOf, type Post, type ToWorker } from "./messages.ts";
import { Pace } from "./pace.ts";
import { type Room, roomOf } from "./rooms.ts";
import { jobs, type ShopJobs } from "./shop.ts";

/** Workers of the demonstration, in a process of their own: this is what that process runs. */

/** How long a stop waits for what runs, in milliseconds; others have it later. */
const GRACE_MS = 1000;

const tell = (message: FromWorker) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send!(message, () => resolve());
    else resolve();
  });

async function fail(error: unknown): Promise<void> {
  await tell({ trouble: firstLine(error) });
  process.exit(1);
}

function workerFor(client: Client<ShopJobs>, name: string, room: Room): Worker<ShopJobs> {
  const { queues, concurrency, handlers, options = {} } = room;
  const worker = new Worker(client, { queues, concurrency, name, grace: GRACE_MS });
  for (const [klass, handler] of Object.entries(handlers)) {
    worker.handle(klass as keyof ShopJobs, handler as never, options[klass]);
  }
  return worker;
}

async function work({ url, namespace, rooms, pace }: Post): Promise<void> {
  const client = await connect(url, { namespace, jobs, onWarning: () => {} });
  const workers = rooms.map((room) =>
    workerFor(client, nameOf(room, process.pid), roomOf(room, new Pace(pace))),
  );
  stop = async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
  };
  await Promise.all(workers.map((worker) => worker.start()));
  await tell({ isAtWork: true });
}

let stop = async () => {};

process.on("uncaughtException", (error) => void fail(error));
// Also when whoever has started it was killed: a worker must not outlive the demonstration.
process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToWorker) => {
  if (message !== "stop") work(message).catch(fail);
  else stop().then(() => process.exit(0), fail);
});
