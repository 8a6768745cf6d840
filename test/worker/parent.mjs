/** A worker with children in a process of its own, for a test to kill: `parent.mjs <options as JSON>`. */
import { connect, Worker } from "../../dist/index.js";

const { url, namespace, ...options } = JSON.parse(process.argv[2]);
const client = await connect(url, { namespace, onWarning: () => {} });
const worker = new Worker(client, { queues: "q", ...options });
await worker.start();
process.stdout.write("ready\n");
