/** Does what its data says, well or badly. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { setTimeout as rest } from "node:timers/promises";
import { isMainThread, parentPort } from "node:worker_threads";

const hog = [];

/** What a program of its own would tell its parent, and what looks like the worker's own messages. */
const MESSAGES = [
  "ready",
  null,
  7,
  {},
  { kind: "ready" },
  { kind: "ended", lease: 1 },
  { kind: "log", level: "nosuch" },
  ["qless:child"],
  ["qless:child", null],
  ["qless:child", { kind: "ready" }],
  ["qless:child", { kind: "log", level: "nosuch" }],
  ["qless:child", { kind: "nosuch" }],
];

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const ways = {
  throws: () => {
    throw new TypeError("no good");
  },
  speaks: () => {
    for (const message of MESSAGES) {
      if (isMainThread) process.send(message);
      else parentPort.postMessage(message);
    }
  },
  poisons: () => {
    throw revoked();
  },
  names: () => {
    throw Object.assign(new Error("no good"), { name: Symbol("n") });
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
  reports: async ({ count }, { checkin }) => {
    for (let i = 0; i < count; i++) await checkin(`step ${i}`, i / count);
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
    const { data } = job;
    if (data.way === "changes") Object.assign(job, { jid: "x", lease: 9, klass: 5 });
    if (data.way === "changes") return {};
    const value = await ways[job.data.way](job.data, context);
    if (value !== undefined) await context.heartbeat({ ...job.data, ...value });
    if (job.data.next !== undefined) await ways[job.data.next](job.data, context);
    return { pid: process.pid, ...value };
  },
};
