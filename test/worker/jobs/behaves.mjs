/** Does what its data says, well or badly. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { setTimeout as rest } from "node:timers/promises";

const hog = [];

const ways = {
  throws: () => {
    throw new TypeError("no good");
  },
  exits: () => {
    process.stderr.write("last words\n");
    process.exit(3);
  },
  blocks: ({ ms }) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  },
  rests: ({ ms }, { signal }) => rest(ms, undefined, { signal }),
  /** Goes on whatever its signal says. */
  persists: async ({ ms, note }, { signal }) => {
    signal.addEventListener("abort", () => appendFileSync(note, `${signal.reason.code}\n`));
    process.once("SIGTERM", () => appendFileSync(note, "SIGTERM\n"));
    await rest(ms);
  },
  hoards: ({ megabytes }) => void hog.push(Buffer.alloc(megabytes * 1e6, 1)),
  /** Starts a process of its own that would outlive it. */
  breeds: ({ ms }) => {
    const { pid } = spawn("sleep", [String(ms / 1000)], { stdio: "ignore" });
    return { pid };
  },
};

export const handlers = {
  behaves: async (job, context) => {
    if (job.data.note !== undefined) appendFileSync(job.data.note, `begun ${process.pid}\n`);
    const value = await ways[job.data.way](job.data, context);
    if (value !== undefined) await context.heartbeat({ ...job.data, ...value });
    if (job.data.next !== undefined) await ways[job.data.next](job.data, context);
    return { pid: process.pid, ...value };
  },
};
