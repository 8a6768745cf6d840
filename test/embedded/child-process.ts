import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CHILD = "test/embedded/child.ts";

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  rewriteRelativeImportExtensions: true,
};

export interface Child {
  process: ChildProcess;
  /** What it has said so far. */
  lines: string[];
  /** Its exit code and signal. */
  ended: Promise<unknown[]>;
}

/**
 * Compiles child.ts for Node, which in version 20 reads no TypeScript, before the tests of a file;
 * the result starts one of its roles. No child outlives its test.
 */
export function childProcesses() {
  let built = "";
  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), "qless-child-"));
    symlinkSync(join(root, "node_modules"), join(built, "node_modules"));
    writeFileSync(join(built, "package.json"), '{"type":"module"}');
    for (const file of [
      "src/errors.ts",
      "src/engine.ts",
      "src/timers.ts",
      CHILD,
      ...under("src/core"),
      ...under("src/embedded"),
    ]) {
      compile(file, built);
    }
  });
  afterAll(() => rmSync(built, { recursive: true, force: true }));
  return (role: string, file: string, name = ""): Child =>
    start([join(built, CHILD.replace(".ts", ".js")), role, file, name]);
}

function under(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
}

function compile(file: string, built: string): void {
  const { outputText } = ts.transpileModule(readFileSync(join(root, file), "utf8"), {
    compilerOptions,
  });
  const target = join(built, file.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}

function start(args: string[]): Child {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  return { process: child, lines, ended: once(child, "close") };
}
