/** A private redis-server for benchmarks, and its CPU time. */
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { Redis } from "ioredis";

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a server without persistence, and connects to it. */
export async function startServer() {
  const port = await freePort();
  const args = [
    "--port",
    String(port),
    "--save",
    "",
    "--appendonly",
    "no",
    "--loglevel",
    "warning",
  ];
  const child = spawn("redis-server", args, { stdio: "ignore" });
  child.on("error", () => {
    console.error("redis-server is not installed: apt-get install redis-server");
    process.exit(1);
  });
  const redis = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null });
  // Until the server listens, connecting fails and is tried again.
  redis.on("error", () => {});
  await redis.ping();
  return {
    port,
    redis,
    async stop() {
      redis.disconnect();
      child.kill("SIGKILL");
    },
  };
}

/** CPU time that the server's main thread has used, in microseconds. */
export async function cpuMicros(redis) {
  const info = await redis.info("cpu");
  const seconds = (name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)[1]);
  return 1e6 * (seconds("used_cpu_user_main_thread") + seconds("used_cpu_sys_main_thread"));
}

export async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))[1]);
}

/** Runs `count` calls of `work(i)`, `width` at a time. */
export async function inFlight(count, width, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}

export function redisVersion() {
  const text = execFileSync("redis-server", ["--version"], { encoding: "utf8" });
  return /v=(\S+)/.exec(text)[1];
}
