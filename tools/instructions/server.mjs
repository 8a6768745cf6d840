/** A redis-server under callgrind that behaves the same in every run. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { CannotMeasure, pathOf } from "./environment.mjs";

/** How long valgrind may take to start the server, and to write its counts, in milliseconds. */
const START_MS = 60_000;
const DUMP_MS = 30_000;

/** A short path: the path of a socket may have about 100 bytes. */
const newFolder = () => mkdtempSync(join(tmpdir(), "qless-count-"));

/** Compiles the library that replaces clocks and seeds; returns its path. */
function compileSteady({ cc }, folder) {
  const library = join(folder, "steady.so");
  try {
    execFileSync(cc, ["-shared", "-fPIC", "-O2", "-o", library, pathOf("steady.c"), "-ldl"], {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
  } catch (error) {
    throw new CannotMeasure(
      "steady.c does not compile. Install the headers of valgrind (the package valgrind, or " +
        `valgrind-devel) and of the C library (libc6-dev).\n${error.stderr ?? error.message}`,
    );
  }
  return library;
}

/**
 * Starts the server. It listens on a socket in a folder of its own, stores nothing on the disk, and
 * ends with this process. `limitMs` bounds its life.
 */
export async function startCounted(programs, limitMs) {
  const folder = newFolder();
  const library = compileSteady(programs, folder);
  const counts = join(folder, "counts");
  const socket = join(folder, "redis.sock");
  const args = [
    ...["--tool=callgrind", `--callgrind-out-file=${counts}`, programs["redis-server"]],
    ...["--port", "0", "--unixsocket", socket, "--dir", folder, "--daemonize", "no"],
    ...["--save", "", "--appendonly", "no", "--hz", "10", "--dynamic-hz", "no"],
    ...["--jemalloc-bg-thread", "no"],
  ];
  const child = spawn(programs.valgrind, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LD_PRELOAD: library },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-4000);
    });
  }
  const ended = once(child, "exit");
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const leave = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", leave);
  const redis = new Redis({
    ...{ path: socket, lazyConnect: true, enableReadyCheck: false, disableClientInfo: true },
    ...{ retryStrategy: null, maxRetriesPerRequest: 0 },
  });
  redis.on("error", () => {});
  let dumps = 0;

  const server = {
    redis,
    /** Instructions since the last call, or since the start. */
    async count() {
      dumps += 1;
      const file = `${counts}.${dumps}`;
      child.kill("SIGUSR2");
      // A command wakes the server, which otherwise notices the signal at its next look at the clock.
      await redis.ping();
      return Number(await totalIn(file));
    },
    async stop() {
      clearTimeout(limit);
      redis.disconnect();
      child.kill("SIGKILL");
      await ended;
      process.removeListener("exit", leave);
      leave();
    },
  };
  try {
    await connected(redis, socket, child);
  } catch {
    await server.stop();
    throw new CannotMeasure(`redis-server did not start under valgrind:\n${log}`);
  }
  return server;
}

async function connected(redis, socket, child) {
  const deadline = Date.now() + START_MS;
  while (!existsSync(socket)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error("no socket");
    await sleep(50);
  }
  await redis.connect();
}

/** The total in a file of callgrind, once it is complete. */
async function totalIn(file) {
  const deadline = Date.now() + DUMP_MS;
  while (Date.now() < deadline) {
    const total = existsSync(file) && /^totals: (\d+)$/m.exec(readFileSync(file, "utf8"))?.[1];
    if (total) return total;
    await sleep(20);
  }
  throw new CannotMeasure(`callgrind wrote no total to ${file} within ${DUMP_MS / 1000} seconds.`);
}
