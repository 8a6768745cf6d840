import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** How a private server differs from a bare one: no persistence, no password, no limit. */
export interface RedisServerOptions {
  appendonly?: boolean;
  /** The lines of an ACL file. */
  aclfile?: readonly string[];
  maxmemory?: string;
  /** Starts it as the only node of a cluster; slots are for the test to assign. */
  cluster?: boolean;
  /** Makes it a Sentinel with these lines of configuration; it keeps no data then. */
  sentinel?: readonly string[];
  /** More of redis-server's own arguments, such as `["--requirepass", "secret"]`. */
  args?: readonly string[];
  /** The port of a server that was stopped, to come back in its place. */
  port?: number;
}

/** A redis-server that belongs to one test. */
export interface RedisServer {
  port: number;
  url: string;
  pid: number;
  dir: string;
  /** Kills it as `kill -9` does, and removes its files. */
  stop(): Promise<void>;
}

const ATTEMPTS = 5;

/**
 * The shell waits for the end of its input, which comes when this process closes it or dies, however
 * it dies; then it takes the server and its files away. Its own output is closed, so that the end
 * of the output is the end of the server.
 */
const KEEPER = `dir=$1; shift
redis-server "$@" 2>&1 & server=$!
exec >/dev/null 2>&1
cat
kill -9 $server
wait $server
rm -rf "$dir"`;

/** Starts a private redis-server on 127.0.0.1, and resolves once it answers. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  checkInstalled();
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    try {
      return await start(port, options);
    } catch (error) {
      // Another process may have taken the port between our asking for it and using it.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

function checkInstalled(): void {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, "redis-server")))) return;
  throw new Error(
    "redis-server is not installed: run `apt-get install redis-server` (7.0 or later)",
  );
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was given");
  return address.port;
}

async function start(port: number, options: RedisServerOptions): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), "qless-redis-"));
  const keeper = spawn("sh", ["-c", KEEPER, "sh", dir, ...serverArguments(port, dir, options)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const pid = await startedPid(keeper);
    await answered(port);
    return { port, url: `redis://127.0.0.1:${port}`, pid, dir, stop: () => stop(keeper) };
  } catch (error) {
    await stop(keeper);
    throw error;
  }
}

function serverArguments(port: number, dir: string, options: RedisServerOptions): string[] {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", ""];
  if (options.sentinel !== undefined) {
    return [textFile(dir, "sentinel.conf", options.sentinel), ...args, "--sentinel"];
  }
  args.push("--appendonly", options.appendonly === true ? "yes" : "no");
  // Without these a replica waits seconds for its first copy of the data.
  args.push("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1");
  if (options.maxmemory !== undefined) args.push("--maxmemory", options.maxmemory);
  if (options.cluster === true) args.push("--cluster-enabled", "yes");
  if (options.aclfile !== undefined) {
    args.push("--aclfile", textFile(dir, "users.acl", options.aclfile));
  }
  return [...args, ...(options.args ?? [])];
}

function textFile(dir: string, name: string, lines: readonly string[]): string {
  const file = join(dir, name);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** The server's process id, once it says in its log that it takes connections. */
async function startedPid(keeper: ChildProcess): Promise<number> {
  let log = "";
  for await (const piece of keeper.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    log += String(piece);
    const ready = /^(\d+):\w .*(Ready to accept connections|Sentinel ID is)/m.exec(log);
    if (ready === null) continue;
    keeper.stdout?.resume(); // The rest of the log is read and dropped, or the pipe would fill.
    return Number(ready[1]);
  }
  throw new Error(`redis-server ended before it was ready:\n${log}`);
}

/** Any answer to PING will do: a server with users answers NOAUTH. */
async function answered(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write("PING\r\n");
  await once(socket, "data");
  socket.destroy();
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const ended = once(keeper, "exit");
  keeper.stdin?.end();
  await ended;
}
