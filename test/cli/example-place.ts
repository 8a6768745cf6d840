import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { ROOT } from "../sources.ts";
import { folderOf, Started } from "./support.ts";

export type Engine = "sqlite" | "redis";

/** It tells its process, so that a signal reaches it, and not the shell or its neighbour in a pipe. */
const QLESS = `#!/bin/sh
echo $$ > "$HOME/pid"
exec "${process.execPath}" "${join(ROOT, "dist/cli/qless.js")}" "$@"
`;
/** What it prints is to be seen at once, as on a terminal. */
const JQ = `#!/bin/sh
exec "$(PATH=\${PATH#*:} command -v jq)" --unbuffered "$@"
`;

/** Where a reader tries out an example: a home, a folder, a queue, and `qless` in the path. */
export class Place {
  readonly folder: string;
  readonly client: Client;
  readonly env: Record<string, string>;

  static async open(engine: Engine, files: Record<string, string>): Promise<Place> {
    const folder = folderOf({ ...files, "bin/qless": QLESS, "bin/jq": JQ });
    for (const name of ["qless", "jq"]) chmodSync(join(folder, "bin", name), 0o755);
    const url = engine === "sqlite" ? `sqlite:${join(folder, "jobs.db")}` : redisUrl();
    const namespace = freshNamespace();
    const client = await connect(url, { namespace, onWarning: () => {} });
    return new Place(folder, client, { QLESS_URL: url, QLESS_NAMESPACE: namespace });
  }

  private constructor(folder: string, client: Client, env: Record<string, string>) {
    this.folder = folder;
    this.client = client;
    const path = `${join(folder, "bin")}:${process.env.PATH ?? ""}`;
    this.env = { PATH: path, HOME: folder, ...env };
  }

  /** Types it into a shell: bash, since one example is for bash alone. */
  type(text: string): Started {
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", text], {
      cwd: this.folder,
      env: this.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let isOver = false;
    child.once("exit", () => {
      isOver = true;
    });
    // With all that it has started.
    onTestFinished(() => void (isOver || process.kill(-child.pid!, "SIGKILL")));
    return new Started(child);
  }

  /** Signals the `qless` that was started last. */
  signal(signal: NodeJS.Signals): void {
    process.kill(Number(readFileSync(join(this.folder, "pid"), "utf8")), signal);
  }
}
