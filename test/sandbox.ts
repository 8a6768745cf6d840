import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type RedisServer, startRedis } from "./redis-server.ts";
import { ROOT } from "./sources.ts";

const run = promisify(execFile);

/** Where documents say that Redis is, and the server of `qless serve`. */
const REDIS = /redis:\/\/(?::\S*@)?([\w-]+:\w+@)?redis\.example\.com(?::6379)?/g;
const HTTP = "http://127.0.0.1:4774";
/** What runs until it is told to stop. */
const STAYS = /^(?:\w+=\S+ )*(?:npx )?qless (serve|work)\b/;
const PATIENCE_MS = 60_000;

/**
 * A reader's folder: a project that has the package, the built `qless` in its path, and a Redis of its
 * own behind `redis-cli`. What a document says to do is done here, one block after the other.
 */
export class Sandbox {
  readonly folder: string;
  readonly #server: RedisServer;
  readonly #staying: Staying[] = [];
  #http: string | undefined;

  static async open(): Promise<Sandbox> {
    return new Sandbox(await startRedis({ appendonly: true, maxmemory: "500mb" }));
  }

  private constructor(server: RedisServer) {
    this.#server = server;
    this.folder = mkdtempSync(join(tmpdir(), "qless-manual-"));
    this.write("package.json", '{"type":"module"}');
    this.write("bin/qless", `#!/bin/sh\nexec "${process.execPath}" "${QLESS}" "$@"\n`);
    this.write("bin/npx", '#!/bin/sh\nexec "$@"\n');
    this.write("bin/redis-cli", `#!/bin/sh\nexec ${REDIS_CLI} -e -u "${server.url}" "$@"\n`);
    this.write(
      "bin/sqlite3",
      `#!/bin/sh\nexec "${process.execPath}" "${this.folder}/backup.cjs" "$@"\n`,
    );
    this.write("backup.cjs", BACKUP);
    const programs = ["qless", "npx", "redis-cli", "sqlite3"];
    for (const name of programs) chmodSync(join(this.folder, "bin", name), 0o755);
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(ROOT, join(this.folder, "node_modules/qless"));
    symlinkSync(join(ROOT, "dist"), join(this.folder, "dist"));
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs commands to their end, and gives what they print; one that stays is left running. */
  async run(commands: string): Promise<string> {
    const lines = this.#placed(commands).split("\n");
    const at = lines.findIndex((line) => STAYS.test(line));
    if (at < 0) return this.#shell(lines.join("\n"));
    const printed = at === 0 ? "" : await this.#shell(lines.slice(0, at).join("\n"));
    await this.#stay(lines[at]!);
    return printed;
  }

  /** Tells all that stays to stop, and gives how each has ended. */
  async stop(): Promise<(number | null)[]> {
    const codes = await Promise.all(this.#staying.map((one) => one.stop()));
    await this.#server.stop();
    rmSync(this.folder, { recursive: true, force: true });
    return codes;
  }

  async #shell(script: string): Promise<string> {
    const options = { cwd: this.folder, env: this.#environment(), timeout: PATIENCE_MS };
    const { stdout } = await run("sh", ["-ec", script], options);
    return stdout;
  }

  async #stay(command: string): Promise<void> {
    const isServer = / serve\b/.test(command) && !command.includes("--port");
    const words = isServer ? command.replace(" serve", " serve --port 0") : command;
    // In the place of the shell, so that it gets the signal.
    const started = new Staying(
      spawn("sh", ["-ec", `exec env ${words}`], {
        cwd: this.folder,
        env: this.#environment(),
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    this.#staying.push(started);
    const { url } = await started.ready();
    if (url !== undefined) this.#http = url.replace(/\/$/, "");
  }

  #environment(): Record<string, string> {
    const path = `${join(this.folder, "bin")}:${process.env.PATH ?? ""}`;
    return { PATH: path, HOME: this.folder };
  }

  #placed(text: string): string {
    const { host } = new URL(this.#server.url);
    const here = text.replaceAll(
      REDIS,
      (_, user: string | undefined) => `redis://${user ?? ""}${host}`,
    );
    return this.#http === undefined ? here : here.replaceAll(HTTP, this.#http);
  }
}

/** What SQLite's shell does for `sqlite3 <file> ".backup <file>"`, which not every machine has. */
const BACKUP = `const Database = require(${JSON.stringify(join(ROOT, "node_modules/better-sqlite3"))});
const [file, command] = process.argv.slice(2);
new Database(file).backup(command.replace(".backup ", ""));
`;
const QLESS = join(ROOT, "dist/cli/qless.js");
const REDIS_CLI = "$(PATH=${PATH#*:} command -v redis-cli)";

/** A command that runs until it is stopped. */
class Staying {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #log = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "close");
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#log += text;
      });
    }
  }

  /** Resolves when it says that it works or serves, with what it says. */
  async ready(): Promise<{ url?: string }> {
    for (let end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
      const line = this.#log.split("\n").find((one) => /"msg":"(Serving|Working)"/.test(one));
      if (line !== undefined) return JSON.parse(line) as { url?: string };
      if (this.#child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`It does not get ready: ${this.#log}`);
  }

  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#ended;
    return this.#child.exitCode;
  }
}
