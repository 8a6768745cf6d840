/**
 * How long until a job runs again whose worker was killed, with everybody's default settings. It takes
 * a minute or so in which next to nothing is done, so it goes on beside the rest, on a server of its own.
 */
import { fork } from "node:child_process";
import { startServer } from "./redis.mjs";

const SYSTEMS = ["qless", "BullMQ", "bee-queue"];
const PATIENCE_MS = 180_000;

export async function recovery() {
  const server = await startServer();
  try {
    const all = await Promise.all(SYSTEMS.map((system) => recovered(system, server.port)));
    return Object.fromEntries(all.map((seconds, i) => [SYSTEMS[i], seconds]));
  } finally {
    await server.stop();
  }
}

/** Seconds from the kill to the next start; undefined if it did not come. */
async function recovered(system, port) {
  const begin = (hangs) => {
    const child = fork(new URL("./participant.mjs", import.meta.url));
    child.send({ kind: "witness", system, place: { port }, hangs });
    return child;
  };
  const victim = begin(true);
  await told(victim, "started");
  const heir = begin(false);
  await told(heir, "ready");
  const killed = Number(process.hrtime.bigint()) / 1e6;
  victim.kill("SIGKILL");
  const started = await told(heir, "started");
  heir.kill("SIGKILL");
  return started === undefined ? undefined : (started - killed) / 1000;
}

function told(child, what) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    child.on("message", (message) => {
      if (message[what] === undefined) return;
      clearTimeout(timer);
      resolve(message[what]);
    });
  });
}
