/** A producer or a worker in a process of its own: `child.mjs <role> <url> <namespace> <name> <count>`. */
import { openEngine } from "../../dist/index.js";

const [role, url, namespace, name, count] = process.argv.slice(2);
const engine = await openEngine(url, { namespace });
const BATCH = 10;

/** Puts jobs `<name>-0`, `<name>-1`, ... one batch after the other. */
async function produce() {
  for (let from = 0; from < Number(count); from += BATCH) {
    const words = [];
    for (let i = from; i < from + BATCH; i++) {
      words.push("queue", `${name}-${i}`, "klass", JSON.stringify({ i }), 0, 0);
    }
    await engine.call("put.many", [name, ...words], { request: `${name}-${from}` });
  }
}

/** Works until it is told to stop, and prints what it completed: `jid lease`. */
async function work() {
  let stopping = false;
  process.stdin.on("data", () => {
    stopping = true;
  });
  let held = [];
  while (!stopping || held.length > 0) {
    const outcomes = held.flatMap(([jid, , , lease]) => ["complete", jid, lease, 0]);
    const reply = await engine.call("finish", [name, BATCH, '["queue"]', ...outcomes]);
    held.forEach(([jid, , , lease], i) => {
      if (reply[i] === "complete") process.stdout.write(`${jid} ${lease}\n`);
    });
    held = reply.slice(held.length).map((job) => job.split("\t"));
    if (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  process.stdin.destroy();
}

await (role === "producer" ? produce() : work());
await engine.close();
