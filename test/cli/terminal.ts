import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { ROOT } from "../sources.ts";
import { Started } from "./support.ts";

/** Whether there is a way to run something on a terminal: `script` of util-linux. */
export const hasTerminal =
  spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
export const NO_TERMINAL = "There is no script of util-linux here to make a terminal with";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const OBEYED = /\u001b\[[?\d;]*[A-Za-z]/g;

/** `qless` on a terminal of its own, with somebody who types. */
export class OnTerminal extends Started {
  type(keys: string): void {
    this.child.stdin!.write(keys);
  }

  /** What the screen has shown since it was last wiped, without what it obeys. */
  get screen(): string {
    const from = Math.max(this.stdout.lastIndexOf("\u001b[H"), 0);
    return this.stdout.slice(from).replaceAll(OBEYED, "").replaceAll("\r", "");
  }

  async shows(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.screen, { timeout: 20_000, interval: 20 }).toMatch(text);
  }
}

/**
 * Starts `qless` on a terminal of 100 columns and 30 rows; it is killed when the test is over. `fed` is a
 * command of the shell that it reads from, in place of the terminal.
 */
export function onTerminal(
  words: readonly string[],
  { cwd, env = {}, fed }: { cwd: string; env?: Record<string, string>; fed?: string },
): OnTerminal {
  const quoted = [process.execPath, join(ROOT, "dist/cli/qless.js"), ...words].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  );
  const command = fed === undefined ? "exec" : `${fed} |`;
  const line = `stty cols 100 rows 30; ${command} ${quoted.join(" ")}`;
  const child = spawn("script", ["-qefc", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new OnTerminal(child);
}
